import { AxeBuilder } from '@axe-core/playwright';
import { expect, type Page } from '@playwright/test';

const WCAG = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];
/** Still experimental: it takes the initials of the avatar, which no reader hears, for a label. */
const LEFT_OUT = ['label-content-name-mismatch'];

/** What axe finds on a page as it is now, as short as it can be said. */
export async function accessibilityFaults(page: Page): Promise<string[]> {
  // Without frames there is nothing to join, so that no other page need be opened beside this one.
  const { violations } = await new AxeBuilder({ page })
    .setLegacyMode(true)
    .withTags(WCAG)
    .disableRules(LEFT_OUT)
    .analyze();
  return violations.flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.target.join(' ')} ${node.html}`));
}

/** A state of a screen needs this once, in whatever language: that no words are wrong or too wide is looked at elsewhere. */
export async function expectAccessible(page: Page, where: string): Promise<void> {
  expect(await accessibilityFaults(page), where).toEqual([]);
}
