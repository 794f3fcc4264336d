import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { watchStart } from './watch-start.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const WORDS = {
  fr: { gone: 'Pas chargée', goneMore: 'Rechargez la page', reload: 'Recharger' },
  en: { gone: 'Not loaded', goneMore: 'Reload the page', reload: 'Reload' },
};

/** Opens a page whose first script can't be loaded, from a server that answers as told. */
function openPage({ isServerThere = true, keeps = true } = {}) {
  const seen = { reloads: 0, forgotten: [] as string[], asked: 0 };
  const page = document.implementation.createHTMLDocument();
  page.body.innerHTML = `<div id="frame"><div class="frame-gone"><p></p><button></button></div></div>
    <template id="frame-words">${JSON.stringify(WORDS)}</template>
    <script id="of-an-extension" type="module" src="chrome-extension://abc/page.js"></script>
    <script id="own" type="module" src="/assets/index-old.js"></script>`;
  const store = new Map<string, string>();
  const storage = {
    getItem: (name: string) => store.get(name) ?? null,
    setItem(name: string, text: string) {
      if (!keeps) throw new Error('QuotaExceededError');
      store.set(name, text);
    },
  };
  const server = { isThere: isServerThere };
  const own = new EventTarget();
  const opened = Object.assign(own, {
    document: page,
    localStorage: storage,
    sessionStorage: storage,
    fetch: async () => {
      seen.asked += 1;
      return { ok: server.isThere };
    },
    caches: {
      keys: async () => ['pressel-1'],
      open: async (name: string) => ({ delete: async (path: string) => void seen.forgotten.push(`${name} ${path}`) }),
    },
    location: {
      reload() {
        seen.reloads += 1;
      },
    },
    setInterval: (run: () => void, ms: number) => {
      const timer = setInterval(run, ms);
      onTestFinished(() => clearInterval(timer));
    },
  }) as unknown as Window;
  watchStart(opened);
  const fail = async (tag: string) => {
    const event = new Event('error');
    Object.defineProperty(event, 'target', { value: page.querySelector(tag) });
    opened.dispatchEvent(event);
    await vi.advanceTimersByTimeAsync(0);
  };
  return {
    window: opened,
    seen,
    fail,
    ...{ server, store },
    said: () => page.querySelector('.frame-gone')?.textContent?.trim() ?? '',
    page,
  };
}

test('[APP6] a page whose first script is gone is asked for again, once', async () => {
  const { seen, fail, said } = openPage();
  await fail('#own');
  expect(seen).toMatchObject({ reloads: 1, forgotten: ['pressel-1 /'] });
  expect(said()).toBe('');
  await fail('#own');
  expect(seen.reloads).toBe(1);
  expect(said()).toContain('Pas chargée');
  expect(said()).toContain('Rechargez la page');
});

test('[APP6] without a server it says so, and reloads when the server is back', async () => {
  const { seen, fail, server, said, page } = openPage({ isServerThere: false });
  await fail('#own');
  expect(said()).toContain('Pas chargée');
  expect(seen.reloads).toBe(0);
  server.isThere = true;
  await vi.advanceTimersByTimeAsync(5_000);
  expect(seen.reloads).toBe(1);
  page.querySelector('button')?.click();
  expect(seen.reloads).toBe(2);
});

test('[APP6] without a server it reloads as soon as there is a network', async () => {
  const { window: opened, seen, fail, server } = openPage({ isServerThere: false });
  await fail('#own');
  server.isThere = true;
  opened.dispatchEvent(new Event('online'));
  await vi.advanceTimersByTimeAsync(0);
  expect(seen.reloads).toBe(1);
});

test('[APP6] it speaks the language that was chosen, and French where it has no other', async () => {
  const english = openPage({ isServerThere: false });
  english.store.set('language', '"en"');
  await english.fail('#own');
  expect(english.said()).toContain('Not loaded');
  const other = openPage({ isServerThere: false });
  other.store.set('language', '"eo"');
  await other.fail('#own');
  expect(other.said()).toContain('Pas chargée');
});

test('[APP6] a script that fails before the page is read is told of once it is', async () => {
  const { fail, said, page } = openPage({ isServerThere: false });
  const place = page.querySelector('#frame') as Element;
  const toRead = page.createElement('div');
  place.replaceWith(toRead);
  toRead.id = 'frame';
  const state = vi.spyOn(page, 'readyState', 'get').mockReturnValue('loading');
  await fail('#own');
  expect(said()).toBe('');
  toRead.replaceWith(place);
  state.mockReturnValue('interactive');
  page.dispatchEvent(new Event('DOMContentLoaded'));
  expect(said()).toContain('Pas chargée');
});

test('[APP6] where nothing can be kept it never reloads by itself', async () => {
  const { seen, fail, said } = openPage({ keeps: false });
  await fail('#own');
  expect(seen.reloads).toBe(0);
  expect(said()).toContain('Pas chargée');
});

test.each(['p', '#of-an-extension'])('what else can’t be loaded is none of its business (%s)', async (which) => {
  const { seen, fail, said } = openPage();
  await fail(which);
  expect(seen.reloads).toBe(0);
  expect(said()).toBe('');
});

test('[APP6] [APP11] once the app stands it never reloads, whatever fails', async () => {
  const { seen, fail, server, page } = openPage({ isServerThere: false });
  await fail('#own');
  page.querySelector('#frame')?.remove();
  server.isThere = true;
  await vi.advanceTimersByTimeAsync(600_000);
  await fail('#own');
  expect(seen.reloads).toBe(0);
});

test('[APP6] [APP11] a script that fails once the app stands asks nothing of the server', async () => {
  const { seen, fail, page } = openPage();
  page.querySelector('#frame')?.remove();
  await fail('#own');
  await vi.advanceTimersByTimeAsync(600_000);
  expect(seen).toMatchObject({ asked: 0, reloads: 0 });
});

test('[APP6] it says what else the start lacks, with the button that it is told', () => {
  const { window: opened, seen, said, page } = openPage();
  let reloads = 0;
  const reload = () => {
    reloads += 1;
  };
  opened.dispatchEvent(new CustomEvent('startgone', { detail: reload }));
  expect(said()).toContain('Pas chargée');
  page.querySelector('button')?.click();
  expect(reloads).toBe(1);
  expect(seen.reloads).toBe(0);
});
