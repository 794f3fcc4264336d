import { expect, type Page } from '@playwright/test';
import axe, { type AxeResults, type RunOptions } from 'axe-core';

const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
/**
 * Rules that are left out. The first is still experimental: it takes the avatar's initials, which no reader hears, for a label. The second
 * wants everything within landmarks. Open menus are outside by design, and so is the frame that stands while a page loads.
 */
const LEFT_OUT = ['label-content-name-mismatch', 'region'];
const OPTIONS: RunOptions = {
  runOnly: { type: 'tag', values: RULES },
  rules: Object.fromEntries(LEFT_OUT.map((rule) => [rule, { enabled: false }])),
  // By default axe also describes each element that passes, which takes most of its time.
  resultTypes: ['violations'],
  elementRef: true,
};

/**
 * The faults that axe finds on a page as it is now, told in few words: by the rules of WCAG, and of headings (one h1,
 * in order) and landmarks (each of its own name).
 */
export async function accessibilityFaults(page: Page): Promise<string[]> {
  // The frame that stands while a screen’s code loads has no heading yet, or a hidden one. The check is for the screen itself.
  await expect(page.locator('h1:visible')).not.toHaveCount(0);
  // A page keeps the script until it is left. It has no frames, each of which would need the script too.
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axe.source);
  const faults = await page.evaluate(async (options) => {
    const { violations }: AxeResults = await Object(window).axe.run(document, options);
    // Nobody can press what lies under a dialog, so it doesn't matter that the dialog's fields leave little of it uncovered.
    const dialog = [...document.querySelectorAll('[aria-modal=true]')].at(-1);
    const isUnderDialog = (element: Element | undefined) =>
      dialog !== undefined &&
      Boolean(element && element.compareDocumentPosition(dialog) & Node.DOCUMENT_POSITION_FOLLOWING);
    return violations.flatMap(({ id, nodes }) =>
      nodes
        .filter(({ element }) => id !== 'target-size' || !isUnderDialog(element))
        .map(({ target, html }) => `${id}: ${target.join(' ')} ${html}`),
    );
  }, OPTIONS);
  const headings = await page.locator('h1:visible').allTextContents();
  if (headings.length > 1) faults.push(`more than one h1: ${headings.join(', ')}`);
  return faults;
}

/** Checks a state of a screen, once in any language: other tests look for wrong words and words that are too wide. */
export async function expectAccessible(page: Page, where: string): Promise<void> {
  expect(await accessibilityFaults(page), where).toEqual([]);
}
