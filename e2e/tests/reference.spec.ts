import { expect, test } from '../fixtures.ts';
import { expectAccessible } from '../harness/accessible.ts';

test('the reference is there for anybody, readable on a phone, light and dark, under its own policy', async ({
  open,
}) => {
  for (const colorScheme of ['light', 'dark'] as const) {
    const page = await open(null, '/docs', {
      context: { bypassCSP: false, colorScheme, viewport: { width: 390, height: 844 } },
    });
    await expect(page.getByRole('heading', { name: 'POST /user/api/login' })).toBeAttached();
    const [width, ground] = await page.evaluate(() => [
      document.documentElement.scrollWidth,
      getComputedStyle(document.body).backgroundColor,
    ]);
    expect(width).toBe(390);
    // The policy lets its style sheet through.
    expect(ground).toBe(colorScheme === 'light' ? 'rgb(255, 255, 255)' : 'rgb(20, 23, 27)');
    await page.getByRole('link', { name: 'Entering a room' }).click();
    await expect(page.getByRole('heading', { name: 'Entering a room' })).toBeInViewport();
    // Checks the page only once, because there is much of it.
    if (colorScheme === 'dark') await expectAccessible(page, 'the reference');
  }
});
