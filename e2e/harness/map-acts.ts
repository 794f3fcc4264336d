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
