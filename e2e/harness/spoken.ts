import { type BrowserContext, expect, type Page } from '@playwright/test';

/** Something that a page said to a screen reader by its live regions. */
export interface Spoken {
  text: string;
  /** `mute`: a polite region that came together with its words, which readers don't say. */
  how: 'alert' | 'polite' | 'mute';
}

/** Intervals of a poll, ms: by default a poll waits for up to a second between two looks. */
export const OFTEN = [20, 50, 100, 200];

declare global {
  interface Window {
    presselSpoken?: Spoken[] | undefined;
  }
}

/** Listens to the live regions of every page of a context. Call it before one opens. */
export async function listenToRegions(context: BrowserContext): Promise<void> {
  await context.addInitScript(recordRegions);
}

/** Runs in the page. */
function recordRegions(): void {
  const spoken: Spoken[] = [];
  window.presselSpoken = spoken;
  const known = new Map<Element, string>();
  const REGIONS = '[role=status], [role=alert], [role=log], [aria-live=polite], [aria-live=assertive]';
  const read = (isFirst: boolean) => {
    const regions = [...document.querySelectorAll(REGIONS)].filter(
      (region) =>
        region.getAttribute('aria-live') !== 'off' &&
        region.closest('[aria-hidden=true], [inert]') === null &&
        region.parentElement?.closest(REGIONS) == null,
    );
    for (const region of regions) {
      const isHidden = !region.checkVisibility();
      const text = isHidden ? '' : (region.textContent ?? '').replace(/\s+/gu, ' ').trim();
      const before = known.get(region);
      known.set(region, text);
      if (text === '' || text === before || isFirst) continue;
      // In a region that is no status or alert, readers say only the added words: words leave such a region in the order
      // they came.
      const isWhole = /^(?:status|alert)$/u.test(region.getAttribute('role') ?? '');
      const added = isWhole ? text : addedTo(before ?? '', text);
      if (added === '') continue;
      const isAlert = region.getAttribute('role') === 'alert' || region.getAttribute('aria-live') === 'assertive';
      spoken.push({ text: added, how: isAlert ? 'alert' : before === undefined ? 'mute' : 'polite' });
    }
    for (const region of known.keys()) if (!region.isConnected) known.delete(region);
  };
  function addedTo(before: string, after: string): string {
    for (let from = 0; from <= before.length; from += 1) {
      const kept = before.slice(from);
      if (after.startsWith(kept) && (kept !== '' || from === before.length)) return after.slice(kept.length).trim();
    }
    return after;
  }
  const start = () => {
    read(true);
    const options = { subtree: true, childList: true, characterData: true, attributes: true };
    const attributeFilter = ['role', 'aria-live', 'aria-hidden', 'inert', 'style', 'class'];
    new MutationObserver(() => read(false)).observe(document.documentElement, { ...options, attributeFilter });
  };
  if (document.documentElement === null) document.addEventListener('readystatechange', start, { once: true });
  else start();
}

/** All that was said since the last call. */
export const takeSpoken = (page: Page): Promise<Spoken[]> => page.evaluate(() => window.presselSpoken?.splice(0) ?? []);

const isOf = (words: string | RegExp, text: string) =>
  typeof words === 'string' ? text.includes(words.replace(/\s+/gu, ' ').trim()) : words.test(text);

/** Waits until something is said, and makes sure that it is said once and aloud. Returns all that was said with it. */
export async function expectSpoken(page: Page, words: string | RegExp): Promise<readonly Spoken[]> {
  const all: Spoken[] = [];
  const isSaid = async () => {
    all.push(...(await takeSpoken(page)));
    return all.some(({ text }) => isOf(words, text)) ? '' : JSON.stringify(all);
  };
  await expect.poll(isSaid, { message: `it is said: ${words}`, intervals: OFTEN }).toBe('');
  const sayings = all.filter(({ text }) => isOf(words, text));
  expect(sayings, `it is said once and aloud: ${words}`).toEqual([
    { text: sayings[0]?.text, how: expect.stringMatching(/alert|polite/u) },
  ]);
  return all;
}

/** Does the same, and makes sure that nothing else was said. */
export async function expectSpokenOnly(page: Page, words: string): Promise<void> {
  const all = await expectSpoken(page, words);
  expect(
    all.map(({ text }) => text),
    'nothing else is said',
  ).toEqual([all[0]?.text]);
}
