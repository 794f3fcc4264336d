import { type CDPSession, expect, type Page } from '@playwright/test';
import { focusSettled } from './acts.ts';
import { OFTEN } from './spoken.ts';

/** How a screen reader describes the element that has the focus, as Chromium computes it for the accessibility tree. */
export interface Stop {
  role: string;
  name: string;
  description: string;
  /** The states that say whether it is wrong, pressed, open, ticked or chosen. */
  states: Record<string, string>;
  isBody: boolean;
  /** A fault of its visibility: it is outside the window, or beneath something else. */
  fault: string;
  /** True if the stop before this one looks as it did with the focus. */
  isLastUnchanged: boolean;
}

export interface Keyboard {
  readonly page: Page;
  /** Returns the stop that has the focus now. */
  stop(): Promise<Stop>;
  /** Walks on with the Tab key until something of that role and name has the focus. @throws with all stops on the way */
  to(role: string, name: string | RegExp, key?: 'Tab' | 'Shift+Tab'): Promise<Stop>;
  /** Walks as `to` does, and presses the Enter key. */
  enter(role: string, name: string | RegExp, key?: 'Tab' | 'Shift+Tab'): Promise<void>;
  /** Walks as `to` does, and replaces the text of the field. */
  write(role: string, name: string | RegExp, text: string): Promise<void>;
  /** In a menu or a list that is open: walks with an arrow until a point of that name has the focus. */
  pick(name: string, key?: 'ArrowDown' | 'ArrowUp'): Promise<void>;
  press(key: string): Promise<void>;
  type(text: string): Promise<void>;
  /** Walks all around the page: every stop is named and seen, and the way leads out of the page again. Returns the stops. */
  round(where: string): Promise<readonly Stop[]>;
  /** Waits until the focus is there. */
  expectAt(role: string, name: string | RegExp, why: string): Promise<void>;
}

/** A notice may lie over something for this long, and then goes by itself. */
const PASSING_MS = 8_000;
const STOPS_MAX = 90;
const ROUND_MAX = 200;

/** Acts on a page by its keyboard alone. Every stop of the focus on the way must be seen. */
export async function createKeyboard(page: Page): Promise<Keyboard> {
  const devtools = await page.context().newCDPSession(page);
  const stop = () => readStop(devtools);
  const matches = (seen: Stop, role: string, name: string | RegExp) =>
    seen.role === role && (typeof name === 'string' ? seen.name === plain(name) : name.test(seen.name));

  async function to(role: string, name: string | RegExp, key: 'Tab' | 'Shift+Tab' = 'Tab'): Promise<Stop> {
    const passed: string[] = [];
    await focusSettled(page);
    for (let step = 0; step <= STOPS_MAX; step += 1) {
      const seen = await stop();
      if (step > 0 && seen.isLastUnchanged) await expectUnlike(page, passed.at(-1) ?? '');
      await expectSeen(stop, seen);
      if (matches(seen, role, name)) return seen;
      passed.push(said(seen));
      await page.keyboard.press(key);
    }
    throw new Error(`${key} does not lead to ${role} «${name}», but to:\n${passed.join('\n')}`);
  }

  return {
    page,
    stop,
    to,
    async enter(role, name, key) {
      await to(role, name, key);
      await page.keyboard.press('Enter');
    },
    async write(role, name, text) {
      await to(role, name);
      await page.keyboard.press('ControlOrMeta+A');
      await page.keyboard.type(text);
    },
    async pick(name, key = 'ArrowDown') {
      const passed: string[] = [];
      // A menu takes the focus a moment after it opened.
      await expect.poll(async () => (await stop()).role, { intervals: OFTEN }).toMatch(/^(?:menu|option|listbox)/u);
      for (let step = 0; step < 40; step += 1) {
        const seen = await stop();
        if (seen.name === plain(name)) return page.keyboard.press('Enter');
        passed.push(said(seen));
        await page.keyboard.press(key);
      }
      throw new Error(`${key} does not lead to «${name}», but to:\n${passed.join('\n')}`);
    },
    press: (key) => page.keyboard.press(key),
    type: (text) => page.keyboard.type(text),
    async round(where) {
      const stops: Stop[] = [];
      for (let step = 0; step < ROUND_MAX; step += 1) {
        await page.keyboard.press('Tab');
        const seen = await stop();
        if (step > 0 && seen.isLastUnchanged) await expectUnlike(page, `${where}: ${said(stops.at(-1) ?? seen)}`);
        if (seen.isBody && stops.length > 0) return stops;
        if (seen.isBody) continue;
        await expectSeen(stop, seen);
        expect(seen.name, `${where}: a ${seen.role} has a name`).not.toBe('');
        stops.push(seen);
      }
      throw new Error(`${where}: the Tab key never leaves, after:\n${stops.map(said).join('\n')}`);
    },
    async expectAt(role, name, why) {
      const isThere = async () => {
        const seen = await stop();
        return matches(seen, role, name) ? '' : said(seen);
      };
      await expect.poll(isThere, { message: `${why}: the focus is at ${role} «${name}»`, intervals: OFTEN }).toBe('');
    },
  };
}

const said = ({ role, name, isBody }: Stop): string => (isBody ? 'the page itself' : `${role} «${name}»`);
const plain = (text: string): string => text.replace(/\s+/gu, ' ').trim();

/** Rows that are just coming move things, so only a fault that lasts counts. */
async function expectSeen(stop: () => Promise<Stop>, first: Stop): Promise<void> {
  if (first.isBody || first.fault === '') return;
  await expect
    .poll(async () => (await stop()).fault, {
      message: `${said(first)} has the focus`,
      timeout: PASSING_MS,
      intervals: OFTEN,
    })
    .toBe('');
}

/** Playwright's own `evaluate` takes twice the time, and a walk has hundreds of stops. */
async function readStop(devtools: CDPSession): Promise<Stop> {
  const { result } = await devtools.send('Runtime.evaluate', { expression: 'document.activeElement ?? document.body' });
  const element = result.objectId === undefined ? {} : { objectId: result.objectId };
  const [look, { nodes }] = await Promise.all([
    devtools.send('Runtime.callFunctionOn', {
      ...element,
      functionDeclaration: String(lookAtFocus),
      returnByValue: true,
    }),
    devtools.send('Accessibility.getPartialAXTree', { ...element, fetchRelatives: false }),
  ]);
  const sight: ReturnType<typeof lookAtFocus> = look.result.value;
  const node = nodes[0];
  const text = (value: { value?: unknown } | undefined) => plain(String(value?.value ?? ''));
  const states = (node?.properties ?? []).map(({ name, value }) => [name, text(value)] as const);
  return {
    role: text(node?.role),
    name: text(node?.name),
    description: text(node?.description),
    states: Object.fromEntries(states),
    ...sight,
  };
}

/** Waits until the element that had the focus looks otherwise without it. Switches and fields take a moment to change. */
async function expectUnlike(page: Page, what: string): Promise<void> {
  await expect
    .poll(() => page.evaluate(() => window.presselLeft?.() === true), {
      message: `the focus is not seen at ${what}`,
      timeout: 3_000,
      intervals: OFTEN,
    })
    .toBe(false);
}

declare global {
  interface Window {
    /** The last stop of the focus, and how it looked then. */
    presselStop?: { element: Element; look: string } | undefined;
    /** True if the stop before that one looks as it did with the focus. */
    presselLeft?: () => boolean;
  }
}

/** Runs in the page. */
function lookAtFocus(): Pick<Stop, 'isBody' | 'fault' | 'isLastUnchanged'> {
  const isHidden = (one: Element) => {
    const box = one.getBoundingClientRect();
    return box.width < 4 || box.height < 4 || getComputedStyle(one).opacity === '0';
  };
  const lookOf = (one: Element) =>
    [one, one.parentElement, one.nextElementSibling]
      .filter((part) => part !== null)
      // The input of a switch gets a ring that nobody sees.
      .filter((part) => !isHidden(part))
      .map((part) => {
        const css = getComputedStyle(part);
        return [css.outlineStyle, css.outlineWidth, css.outlineColor, css.boxShadow, css.borderColor].join();
      })
      .join();
  const last = window.presselStop;
  window.presselLeft = () =>
    last !== undefined &&
    last.element !== document.activeElement &&
    last.element.isConnected &&
    lookOf(last.element) === last.look;
  const isLastUnchanged = window.presselLeft();
  const element = document.activeElement ?? document.body;
  if (element === document.body) {
    window.presselStop = undefined;
    return { isBody: true, fault: '', isLastUnchanged };
  }
  // An element that only scripts can focus is none of the stops.
  if (element instanceof HTMLElement && element.tabIndex < 0) {
    window.presselStop = undefined;
    return { isBody: false, fault: '', isLastUnchanged };
  }
  window.presselStop = { element, look: lookOf(element) };
  // An element beside the input draws a box or a switch. The input itself may be a dot that nobody sees.
  let place: Element = element;
  if (element instanceof HTMLInputElement && isHidden(element)) place = element.nextElementSibling ?? element;
  const { left, top, width, height } = place.getBoundingClientRect();
  const x = Math.min(Math.max(left, 0) + Math.min(width, window.innerWidth) / 2, window.innerWidth - 1);
  const points = [0.25, 0.5, 0.75].map((share) => top + height * share);
  const isTall = height > window.innerHeight / 2;
  if (left + width <= 0 || left >= window.innerWidth)
    return { isBody: false, fault: 'outside the window', isLastUnchanged };
  const covers = points.map((y) => {
    if (y < 0 || y >= window.innerHeight) return 'outside the window';
    const hit = document.elementFromPoint(x, y);
    const own = hit !== null && (place.contains(hit) || hit.contains(place) || hit.closest('label')?.contains(place));
    return own || hit === null ? '' : `beneath ${hit.outerHTML.slice(0, 120)}`;
  });
  const faults = covers.filter((cover) => cover !== '');
  const isFaulty = isTall ? faults.length === covers.length : faults.length > 0;
  return { isBody: false, fault: isFaulty ? (faults[0] ?? '') : '', isLastUnchanged };
}
