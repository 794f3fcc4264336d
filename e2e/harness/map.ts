import type { BrowserContext, Locator, Page } from '@playwright/test';

export const WIDE = { width: 1600, height: 1000 };

export const mapPanel = (page: Page): Locator => page.locator('[data-map-panel]');
/** The canvas, once something is drawn on it. */
export const drawnMap = (page: Page, source: 'bundled' | 'configured' = 'bundled'): Locator =>
  page.locator(`[data-map=${source}]`);
export const scaleBar = (page: Page): Locator => page.locator('[data-map-scale]');
export const marker = (page: Page, userId: string): Locator => page.locator(`[data-marker="${userId}"]`);

/** The names of towns that a browser received, added as they come. */
export function townsSentTo(context: BrowserContext): Set<string> {
  const names = new Set<string>();
  context.on('response', async (response) => {
    if (!response.url().includes('/world-towns-')) return;
    const file: { names?: string[] } = await response.json().catch(() => ({}));
    for (const name of file.names ?? []) names.add(name);
  });
  return names;
}

/** The middle of a marker on the screen. */
export async function middleOf(one: Locator): Promise<{ x: number; y: number }> {
  const box = await one.boundingBox();
  if (box === null) throw new Error('The marker is not shown');
  return { x: Math.round(box.x + box.width / 2), y: Math.round(box.y + box.height / 2) };
}

export type Rgb = readonly [red: number, green: number, blue: number];

/** Colours of the bundled map in the light appearance. */
export const SEA: Rgb = [0xd3, 0xdd, 0xe6];
export const LAND: Rgb = [0xf5, 0xf6, 0xf4];
export const TOWN: Rgb = [0x62, 0x71, 0x7f];

/** Colours may differ by this much: the driver decides how they are blended. */
const TOLERANCE = 3;

/** The share of an element's picture that has each of these colours. The page itself decodes it. */
export async function sharesOf(element: Locator, colours: readonly Rgb[]): Promise<number[]> {
  const picture = (await element.screenshot()).toString('base64');
  return element.page().evaluate(
    async ({ source, wanted, tolerance }) => {
      const bitmap = await createImageBitmap(new Blob([Uint8Array.from(atob(source), (one) => one.charCodeAt(0))]));
      const context = new OffscreenCanvas(bitmap.width, bitmap.height).getContext('2d');
      if (context === null) throw new Error('No canvas');
      context.drawImage(bitmap, 0, 0);
      const { data } = context.getImageData(0, 0, bitmap.width, bitmap.height);
      const found = wanted.map(() => 0);
      for (let at = 0; at < data.length; at += 4) {
        const index = wanted.findIndex((colour) =>
          colour.every((part, channel) => Math.abs((data[at + channel] ?? 0) - part) <= tolerance),
        );
        if (index !== -1) found[index] = (found[index] ?? 0) + 1;
      }
      return found.map((count) => count / (data.length / 4));
    },
    { source: picture, wanted: colours.map((one) => [...one]), tolerance: TOLERANCE },
  );
}
