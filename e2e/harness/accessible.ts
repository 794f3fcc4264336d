import { expect, type Page } from '@playwright/test';
import axe, { type AxeResults, type RunOptions } from 'axe-core';

const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
/**
 * Rules that are left out. The first is still experimental: it takes the avatar's initials, which no reader hears, for a label. The second
 * wants everything within landmarks. Open menus are outside by design, and so is the frame that stands while a page loads.
 */
const LEFT_OUT = ['label-content-name-mismatch', 'region'];
/** By default axe also describes each element that passes, which takes most of its time. We describe faults by their elements. */
const FAULTS_ALONE = { resultTypes: ['violations'], elementRef: true } satisfies RunOptions;
/** By default axe also reads the source of every element that it judges. */
const WITHOUT_SOURCES = 'axe.configure({ noHtml: true });';
/** Letters of a faulty element's source that are told. */
const SOURCE_MAX = 300;
const OPTIONS = {
  all: {
    ...FAULTS_ALONE,
    runOnly: { type: 'tag', values: RULES },
    rules: Object.fromEntries(LEFT_OUT.map((rule) => [rule, { enabled: false }])),
  },
  colours: { ...FAULTS_ALONE, runOnly: { type: 'rule', values: ['color-contrast', 'link-in-text-block'] } },
} satisfies Record<string, RunOptions>;

/**
 * The faults that axe finds on a page as it is now, told in few words: by the rules of WCAG, and of headings (one h1,
 * in order) and landmarks (each of its own name). If a dialog is open, axe looks only at the one with the focus or the topmost, at what opened
 * from it, and at what is told or may be used beside it. The page under it is looked at when no dialog is open.
 * @param rules `colours`: those whose outcome depends on the colour scheme, for a state that is looked at by all rules in the other scheme
 */
export async function accessibilityFaults(page: Page, rules: keyof typeof OPTIONS = 'all'): Promise<string[]> {
  const look = () => page.evaluate(lookByAxe, [OPTIONS[rules], SOURCE_MAX] as const);
  const faults = await look();
  if (faults !== null) return faults;
  // The frame that stands while a screen’s code loads has no heading yet, or a hidden one. The check is for the screen itself.
  await expect(page.locator('h1:visible')).not.toHaveCount(0);
  // A page keeps the script until it is left. It has no frames, each of which would need the script too.
  await page.evaluate(`${axe.source};${WITHOUT_SOURCES}`);
  return (await look()) ?? ['the heading was lost'];
}

/** Runs in the page. Returns null without the script, or without a heading. */
async function lookByAxe([options, sourceMax]: readonly [RunOptions, number]): Promise<string[] | null> {
  const isShown = (element: Element) =>
    element.checkVisibility({ visibilityProperty: true }) && element.getBoundingClientRect().height > 0;
  const headings = [...document.querySelectorAll('h1')].filter(isShown);
  const script = Object(window).axe;
  if (headings.length === 0 || script === undefined) return null;
  const dialog =
    document.activeElement?.closest('[aria-modal=true]') ??
    [...document.querySelectorAll('[aria-modal=true]')].filter(isShown).at(-1);
  const beside = [...document.querySelectorAll('[role=alert], [role=status], [aria-modal=false]')].filter(isShown);
  const onTop: Element[] = dialog === undefined ? [] : [dialog, ...beside];
  // Menus and lists that open from a dialog stand after it in the page, in a place of their own.
  for (let place: Element | null | undefined = dialog; place && place !== document.body; place = place.parentElement)
    for (let next = place.nextElementSibling; next !== null; next = next.nextElementSibling) onTop.push(next);
  const { violations }: AxeResults = await script.run(dialog === undefined ? document : { include: onTop }, options);
  const faults = violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, element }) => `${id}: ${target.join(' ')} ${element?.outerHTML.slice(0, sourceMax)}`),
  );
  if (headings.length > 1) faults.push(`more than one h1: ${headings.map((one) => one.textContent).join(', ')}`);
  return faults;
}

/** Checks a state of a screen, once in any language: other tests look for wrong words and words that are too wide. */
export async function expectAccessible(page: Page, where: string): Promise<void> {
  expect(await accessibilityFaults(page), where).toEqual([]);
}
