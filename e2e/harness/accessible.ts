import { expect, type Page } from '@playwright/test';
import axe, { type AxeResults, type RunOptions } from 'axe-core';

const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
/**
 * The first is still experimental: it takes the initials of the avatar, which no reader hears, for a label. The second wants all
 * within landmarks: open menus are not, as their pattern has it, nor is the frame that stands while a page loads.
 */
const LEFT_OUT = ['label-content-name-mismatch', 'region'];
const OPTIONS: RunOptions = {
  runOnly: { type: 'tag', values: RULES },
  rules: Object.fromEntries(LEFT_OUT.map((rule) => [rule, { enabled: false }])),
  // By default axe also describes each element that passes, which takes most of its time.
  resultTypes: ['violations'],
};

/**
 * What axe finds on a page as it is now, as short as it can be said: by the rules of WCAG, and of headings (one h1, in
 * order) and landmarks (each of its own name).
 */
export async function accessibilityFaults(page: Page): Promise<string[]> {
  // The frame that stands while a screen’s code loads has no heading yet, or a hidden one: it is the screen that is looked at.
  await expect(page.locator('h1:visible')).not.toHaveCount(0);
  // A page keeps the script until it is left. There are no frames in it, which would each need their own.
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axe.source);
  const faults = await page.evaluate(async (options) => {
    const { violations }: AxeResults = await Object(window).axe.run(document, options);
    return violations.flatMap(({ id, nodes }) => nodes.map(({ target, html }) => `${id}: ${target.join(' ')} ${html}`));
  }, OPTIONS);
  const headings = await page.locator('h1:visible').allTextContents();
  if (headings.length > 1) faults.push(`more than one h1: ${headings.join(', ')}`);
  return faults;
}

/** A state of a screen needs this once, in whatever language: that no words are wrong or too wide is looked at elsewhere. */
export async function expectAccessible(page: Page, where: string): Promise<void> {
  expect(await accessibilityFaults(page), where).toEqual([]);
}
