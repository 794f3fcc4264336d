import type { Page } from '@playwright/test';
import { updateUserPosition } from '@pressel/contract/positions';
import { expect, roomPath, test } from '../fixtures.ts';
import { drawnMap, mapPanel, marker, scaleBar, sharesOf, TOWN, townsSentTo, WIDE } from '../harness/map.ts';
import { openPanel } from '../harness/tour.ts';
import { sayIn } from '../harness/words.ts';

const say = sayIn('fr');
/** A place in Blois, some streets from its middle. */
const BLOIS = { lat: 47.585, lng: 1.335 };
/** The share of the map's picture that has the colour of towns. */
const townsIn = async (page: Page): Promise<number> => (await sharesOf(drawnMap(page), [TOWN]))[0] ?? 0;

test('[POS27] [POS35] [POS36] towns around somebody have names, also when their files come late, and a bar says how far it is', async ({
  world,
  open,
}) => {
  const { api, admin } = world;
  const lea = await api.person('Lea', admin.token);
  const { rtcSession } = await api.channel(admin, 'Loire', [lea]);
  await api.call(updateUserPosition, BLOIS, lea.token);
  let isOutOfReach = true;
  let refused = 0;
  let names = new Set<string>();
  const page = await open(admin, roomPath(rtcSession), {
    context: { viewport: WIDE },
    expectedErrors: /ERR_FAILED|Failed to fetch/u,
    prepare: async (context) => {
      names = townsSentTo(context);
      await context.route('**/world-towns-*.json', (route) => {
        if (isOutOfReach) refused += 1;
        return isOutOfReach ? route.abort() : route.continue();
      });
    },
  });
  await expect(drawnMap(page)).toBeVisible();
  await expect(marker(page, lea.id)).toBeVisible();
  await expect.poll(() => refused).toBeGreaterThan(0);
  await expect(scaleBar(page)).toHaveText('2 km');
  const without = await townsIn(page);
  expect(names.size).toBe(0);

  isOutOfReach = false;
  const zoomOut = mapPanel(page).getByRole('button', { name: say('positions.map.zoomOut') });
  await zoomOut.click();
  await expect(scaleBar(page)).toHaveText('5 km');
  await expect.poll(() => names.has('Blois') && names.has('Vineuil')).toBe(true);
  // Counts dots and the middle of strokes: no other colour is like theirs.
  await expect.poll(() => townsIn(page)).toBeGreaterThan(without + 0.0001);
  expect(names.has('Brest')).toBe(false);

  // The map goes so near to somebody who is asked for elsewhere that towns are around them.
  await zoomOut.click();
  await expect(scaleBar(page)).toHaveText('10 km');
  await openPanel(page, say, 'members');
  await page
    .getByRole('tabpanel')
    .getByRole('button', { name: new RegExp(`^${lea.name}`, 'u') })
    .click();
  await expect(scaleBar(page)).toHaveText('2 km');
  await expect.poll(() => townsIn(page)).toBeGreaterThan(without + 0.0001);

  // Another appearance is another style with the same towns: this goes there and back.
  await page.emulateMedia({ colorScheme: 'dark' });
  await expect.poll(() => townsIn(page)).toBeLessThan(without + 0.0001);
  await page.emulateMedia({ colorScheme: 'light' });
  await expect.poll(() => townsIn(page)).toBeGreaterThan(without + 0.0001);
});
