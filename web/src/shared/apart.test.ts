import { afterEach, expect, test, vi } from 'vitest';
import {
  createApart,
  createPageAttention,
  ownVersion,
  PATIENCE_MS,
  QUIET_MS,
  type ServerVersion,
  SPREAD_MS,
} from './apart.ts';
import { type Attention, createRenewal } from './renewal.ts';

const OWN: ServerVersion = { contract: 'c1', build: 'b1' };
const NEWER: ServerVersion = { contract: 'c2', build: 'b2' };

/** Starts a page of a browser tab, whose clock is the test's. */
function start({
  isServerThere = async () => true,
  isBuilt = true,
  mayReload = true,
  canKeep = true,
  random = (): number => 0,
} = {}) {
  const kept = { at: 0, server: null as string | null };
  let now = 1_000_000;
  let at: Attention = 'none';
  const ticks = new Set<() => void>();
  const reload = vi.fn<() => void>();
  const every = (_ms: number, act: () => void) => {
    ticks.add(act);
    return () => void ticks.delete(act);
  };
  /** Advances second by second. */
  const wait = async (ms: number) => {
    for (let left = ms; left > 0; left -= 1_000) {
      now += 1_000;
      for (const act of ticks) act();
      await settled();
    }
  };
  const create = () => {
    // The page before it is gone.
    ticks.clear();
    const renewal = createRenewal({
      ...{ reload, isServerThere, now: () => now, look: () => undefined, forgetPage: async () => undefined },
      last: { read: () => kept.at, write: () => undefined },
    });
    const last = {
      readAt: () => kept.at,
      readServer: () => kept.server,
      write(time: number, server: string) {
        if (canKeep) Object.assign(kept, { at: time, server });
        return canKeep;
      },
    };
    const own = isBuilt ? OWN : undefined;
    const apart = createApart({ renewal, own, mayReload, last, attention: () => at, now: () => now, every, random });
    return { ...renewal, ...apart };
  };
  const doing = (next: Attention) => {
    at = next;
  };
  return { reload, create, wait, doing };
}

const settled = async () => {
  for (let turn = 0; turn < 8; turn += 1) await Promise.resolve();
};

test('[APP13] a server of another build is something newer, told quietly', () => {
  const renewal = start().create();
  renewal.serverIs(OWN);
  expect(renewal.getSnapshot()).toMatchObject({ isNewer: false, apart: 'no' });
  renewal.serverIs({ ...OWN, build: 'b2' });
  expect(renewal.getSnapshot()).toMatchObject({ isNewer: true, apart: 'no' });
  renewal.serverIs({ ...OWN, build: null });
  expect(renewal.getSnapshot().isNewer, 'a server without a web app says nothing').toBe(false);
});

test('[APP14] [APP15] a page of another contract says so at once, and reloads when nobody has done anything for a while', async () => {
  const { create, wait, reload } = start();
  const renewal = create();
  const told = vi.fn<() => void>();
  renewal.subscribe(told);
  renewal.serverIs(NEWER);
  expect(renewal.getSnapshot().apart).toBe('reloads');
  expect(told).toHaveBeenCalled();
  await wait(QUIET_MS);
  expect(reload).not.toHaveBeenCalled();
  await wait(1_000);
  expect(reload).toHaveBeenCalledTimes(1);
});

test('[APP15] thousands of pages don’t reload at the same moment', async () => {
  const { create, wait, reload } = start({ random: () => 0.9 });
  create().serverIs(NEWER);
  await wait(SPREAD_MS * 0.9 - 1_000);
  expect(reload).not.toHaveBeenCalled();
  await wait(1_000);
  expect(reload).toHaveBeenCalledTimes(1);
});

test.each(['working', 'listening'] as const)(
  '[APP15] it waits for whoever is %s, on the page or in a room, and for the quiet after it',
  async (at) => {
    const { create, wait, doing, reload } = start();
    const renewal = create();
    renewal.serverIs(NEWER);
    doing(at);
    await wait(600_000);
    doing('none');
    let inRoom: Attention = at;
    const letGo = renewal.blockReload(() => inRoom);
    await wait(600_000);
    inRoom = 'none';
    await wait(QUIET_MS);
    inRoom = at;
    await wait(1_000);
    inRoom = 'none';
    await wait(QUIET_MS);
    expect(reload).not.toHaveBeenCalled();
    await wait(1_000);
    expect(reload).toHaveBeenCalledTimes(1);
    letGo();
  },
);

test('[APP15] a page that could not read something may be deaf: it waits for others’ talks a minute at most', async () => {
  const { create, wait, doing, reload } = start();
  const renewal = create();
  renewal.serverIs(OWN);
  renewal.report();
  expect(renewal.getSnapshot().apart).toBe('reloads');
  doing('listening');
  await wait(PATIENCE_MS + QUIET_MS - 1_000);
  expect(reload).not.toHaveBeenCalled();
  await wait(1_000);
  expect(reload).toHaveBeenCalledTimes(1);
  const busy = start();
  busy.doing('working');
  busy.create().report();
  await busy.wait(600_000);
  expect(busy.reload).not.toHaveBeenCalled();
});

test('[APP16] it reloads once for each server, and then leaves it to the user', async () => {
  const { create, wait, reload } = start();
  create().serverIs(NEWER);
  await wait(60_000);
  expect(reload).toHaveBeenCalledTimes(1);
  // A proxy, for example, gave it the same page again.
  const again = create();
  again.serverIs(NEWER);
  expect(again.getSnapshot().apart).toBe('asks');
  await wait(3_600_000);
  expect(reload).toHaveBeenCalledTimes(1);
  await again.reload();
  expect(reload).toHaveBeenCalledTimes(2);
  const other = create();
  other.serverIs({ contract: 'c3', build: 'b3' });
  await wait(60_000);
  expect(reload).toHaveBeenCalledTimes(3);
});

test('[APP16] two servers that take turns can’t make it reload all the time', async () => {
  const { create, wait, reload } = start();
  for (let turn = 0; turn < 12; turn += 1) {
    create().serverIs(turn % 2 === 0 ? NEWER : { contract: 'c3', build: 'b3' });
    await wait(60_000);
  }
  expect(reload.mock.calls.length).toBeLessThanOrEqual(3);
});

test('[APP16] where nothing can be kept, it asks', async () => {
  const { create, wait, reload } = start({ canKeep: false });
  const renewal = create();
  renewal.serverIs(NEWER);
  await wait(600_000);
  expect(renewal.getSnapshot().apart).toBe('asks');
  expect(reload).not.toHaveBeenCalled();
});

test('[APP15] without a server it waits for one, and a server that speaks the page’s contract again ends it', async () => {
  let isThere = false;
  const { create, wait, reload } = start({ isServerThere: async () => isThere });
  const renewal = create();
  renewal.report('c2');
  await wait(600_000);
  expect(reload).not.toHaveBeenCalled();
  renewal.serverIs(OWN);
  expect(renewal.getSnapshot().apart).toBe('no');
  isThere = true;
  await wait(600_000);
  expect(reload).not.toHaveBeenCalled();
});

test('[APP18] a page that alone has its link never reloads by itself', async () => {
  const { create, wait, reload } = start({ mayReload: false });
  const renewal = create();
  renewal.report();
  expect(renewal.getSnapshot().apart).toBe('link');
  await wait(600_000);
  expect(reload).not.toHaveBeenCalled();
});

test('the dev server’s page is compared with nothing', () => {
  const renewal = start({ isBuilt: false }).create();
  renewal.serverIs(NEWER);
  renewal.report();
  expect(renewal.getSnapshot()).toEqual({ isNewer: false, isHeld: false, apart: 'no' });
});

test('a link that is closed waits for nothing any more', async () => {
  const { create, wait, reload } = start();
  const page = create();
  page.serverIs(NEWER);
  page.close();
  page.report('c3');
  await wait(600_000);
  expect(reload).not.toHaveBeenCalled();
});

afterEach(() => {
  document.head.querySelectorAll('meta').forEach((tag) => {
    tag.remove();
  });
  document.body.replaceChildren();
});

/** Opens a page whose clock is the test's, long after the last input. */
function openPage(html = '') {
  document.body.innerHTML = html;
  let now = 1_000_000;
  const attention = createPageAttention(window, () => now);
  attention();
  return {
    attention,
    pass: (ms: number) => {
      now += ms;
    },
  };
}

test('[APP13] a page knows what it was built as and with, unless it is the dev server’s', () => {
  expect(ownVersion()).toBeUndefined();
  document.head.innerHTML = '<meta name="contract" content="c1"><meta name="build" content="b1">';
  expect(ownVersion()).toEqual({ contract: 'c1', build: 'b1' });
});

test('[APP15] nobody is at work on a page that is only looked at', () => {
  expect(openPage('<main><a href="/">x</a><input type="search" value="Nord"></main>').attention()).toBe('none');
});

test.each([
  ['a dialog', '<div role="dialog"></div>'],
  ['an open menu', '<div role="menu"></div>'],
  ['selected rows, or a form at the door', '<section data-unsaved=""></section>'],
  ['an export', '<button data-loading="true"></button>'],
])('[APP15] %s is work that a reload would lose', (_, html) => {
  expect(openPage(html).attention()).toBe('working');
});

test('[APP15] so is a text in the field that has the focus, but for one that is kept', () => {
  const page = openPage('<input value=""><textarea data-kept="">Le camion</textarea>');
  const [field, kept] = [document.querySelector('input'), document.querySelector('textarea')];
  field?.focus();
  expect(page.attention()).toBe('none');
  if (field) field.value = 'Nord';
  expect(page.attention()).toBe('working');
  kept?.focus();
  expect(page.attention()).toBe('none');
});

test('[APP15] so is what the page would ask about before it is left', () => {
  const page = openPage();
  const ask = (event: Event) => event.preventDefault();
  window.addEventListener('beforeunload', ask);
  expect(page.attention()).toBe('working');
  window.removeEventListener('beforeunload', ask);
  expect(page.attention()).toBe('none');
});

test.each(['keydown', 'pointerdown', 'wheel'])('[APP15] whoever has just done something is at work (%s)', (type) => {
  const page = openPage('<button>x</button>');
  document.querySelector('button')?.dispatchEvent(new Event(type, { bubbles: true }));
  expect(page.attention()).toBe('working');
  page.pass(2_000);
  expect(page.attention()).toBe('none');
});
