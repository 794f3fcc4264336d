import { expect, roomPath, test } from '../fixtures.ts';
import { drawnMap, WIDE } from '../harness/map-acts.ts';
import { LAND, SEA, sharesOf } from '../harness/map-pixels.ts';
import { sayIn } from '../harness/words.ts';

/** Nothing listens at the discard port. */
test.use({ serverEnv: { MAP_STYLE_URL: 'http://127.0.0.1:9/style.json', MAP_CENTER: '-4.49,48.39' } });

const say = sayIn('fr');

test('[POS28] a style that cannot be reached is replaced by the bundled map, which says so', async ({
  world,
  open,
}) => {
  const { api, admin } = world;
  const { rtcSession } = await api.channel(admin, 'Nord', []);
  const page = await open(admin, roomPath(rtcSession), {
    context: { viewport: WIDE },
    expectedErrors: /127\.0\.0\.1:9|ERR_UNSAFE_PORT|Failed to (?:fetch|load)/u,
  });
  await expect(page.getByText(say('positions.map.fallback'))).toBeVisible();
  await expect(drawnMap(page)).toBeVisible();
  // Brest, with nobody to see: its coasts.
  await expect(async () => {
    const [sea = 0, land = 0] = await sharesOf(drawnMap(page), [SEA, LAND]);
    expect(sea).toBeGreaterThan(0.15);
    expect(land).toBeGreaterThan(0.1);
  }).toPass({ timeout: 60_000 });
  await page.getByRole('button', { name: say('positions.map.dismiss'), exact: true }).click();
  await expect(page.getByText(say('positions.map.fallback'))).toBeHidden();
});
