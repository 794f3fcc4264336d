import type { BrowserContext, Page } from '@playwright/test';
import { expect, type Open, type OpenOptions, roomPath, test, type World } from '../fixtures.ts';
import { createApi, type Person } from '../harness/api.ts';
import { drawnMap, LAND, type Rgb, SEA, scaleBar, sharesOf, townsSentTo, WIDE } from '../harness/map.ts';
import { encodePng } from '../harness/png.ts';
import { type PresselProcess, startPressel } from '../harness/server-process.ts';
import { sayIn } from '../harness/words.ts';

/** Nothing listens at the discard port. */
const SERVER_ENV = { MAP_STYLE_URL: 'http://127.0.0.1:9/style.json', MAP_CENTER: '-4.49,48.39' };

/** A server of this file: as a worker's own it would need two more workers, one for this file and one for the next. */
let server: PresselProcess;
let admin: Person;
test.beforeAll(async () => {
  server = await startPressel(SERVER_ENV);
  admin = await createApi(server.origin).person('Camille');
});
test.afterAll(() => server.dispose());

/** Opens a room of the test's own on that server. */
async function openRoom(
  { world, open }: { world: World; open: Open },
  name: string,
  prepare: NonNullable<OpenOptions['prepare']> = async () => undefined,
): Promise<Page> {
  const { rtcSession } = await createApi(server.origin, world.own).channel(admin, name, []);
  const context = { viewport: WIDE, baseURL: server.origin };
  return open(admin, roomPath(rtcSession), { context, expectedErrors: UNREACHABLE, prepare });
}

const say = sayIn('fr');
const FOREST: Rgb = [0x20, 0x80, 0x40];
const UNREACHABLE = /127\.0\.0\.1:9|ERR_UNSAFE_PORT|Failed to (?:fetch|load)/u;

/** A style that comes, as from the browser's cache. Its imagery comes only from the answers given here. */
const styleOf =
  (...imagery: Record<string, unknown>[]) =>
  async (context: BrowserContext) => {
    const headers = { 'access-control-allow-origin': '*' };
    await context.route('http://127.0.0.1:9/style.json', (route) =>
      route.fulfill({
        headers,
        json: {
          version: 8,
          sources: Object.fromEntries(imagery.map((source, index) => [index, { type: 'raster', ...source }])),
          layers: imagery.map(({ type }, index) => ({
            ...(type === 'vector' ? { type: 'line', 'source-layer': 'roads' } : { type: 'raster' }),
            ...{ id: `${index}`, source: `${index}` },
          })),
        },
      }),
    );
    const row = [0, ...FOREST, ...FOREST];
    await context.route('http://127.0.0.1:9/there/**', (route) =>
      route.fulfill({ headers, contentType: 'image/png', body: encodePng(2, 2, Uint8Array.of(...row, ...row)) }),
    );
    for (const status of [404, 204]) {
      await context.route(`http://127.0.0.1:9/${status}/**`, (route) => route.fulfill({ headers, status }));
    }
  };

/** Expects the bundled map at Brest, with nobody on it: its coasts. */
async function expectBundledMap(page: Page): Promise<void> {
  await expect(page.getByText(say('positions.map.fallback'))).toBeVisible();
  await expect(drawnMap(page)).toBeVisible();
  await expect(async () => {
    const [sea = 0, land = 0] = await sharesOf(drawnMap(page), [SEA, LAND]);
    expect(sea).toBeGreaterThan(0.15);
    expect(land).toBeGreaterThan(0.1);
  }).toPass({ timeout: 60_000 });
}

test('[POS28] a style that cannot be reached is replaced by the bundled map, which says so', async ({
  world,
  open,
}) => {
  let towns = new Set<string>();
  const page = await openRoom({ world, open }, 'Nord', async (context) => {
    towns = townsSentTo(context);
  });
  await expectBundledMap(page);
  // The map's towns come with it.
  await expect.poll(() => towns.has('Brest')).toBe(true);
  await page.getByRole('button', { name: say('positions.map.dismiss'), exact: true }).click();
  await expect(page.getByText(say('positions.map.fallback'))).toBeHidden();
});

test('[POS34] a ground that the browser takes away is told of, and drawn again when it is given back', async ({
  world,
  open,
}) => {
  const page = await openRoom({ world, open }, 'Ouest');
  await expectBundledMap(page);
  const losing = await page.evaluateHandle(() => {
    const canvas = document.querySelector<HTMLCanvasElement>('canvas.maplibregl-canvas');
    return canvas?.getContext('webgl2')?.getExtension('WEBGL_lose_context');
  });
  await losing.evaluate((one) => one?.loseContext());
  await expect(page.getByText(say('positions.map.groundLost'))).toBeVisible();
  await losing.evaluate((one) => one?.restoreContext());
  await expect(page.getByText(say('positions.map.groundLost'))).toBeHidden();
  await expectBundledMap(page);
});

for (const [what, source] of [
  ['description of its tiles', { url: 'http://127.0.0.1:9/tiles.json' }],
  // One tile fills the picture, so no second failure comes.
  ['tiles', { tiles: ['http://127.0.0.1:9/{z}/{x}/{y}.png'], maxzoom: 4 }],
  // The address is like a mistyped one, or like one without tiles of this part of the world.
  ['tiles, as they are not found', { tiles: ['http://127.0.0.1:9/404/{z}/{x}/{y}.png'] }],
  ['tiles, as they are empty', { tiles: ['http://127.0.0.1:9/204/{z}/{x}/{y}.png'] }],
  ['roads, as they are empty', { type: 'vector', tiles: ['http://127.0.0.1:9/204/{z}/{x}/{y}.pbf'] }],
] as const) {
  test(`[POS28] a style that comes without its ${what} is replaced too`, async ({ world, open }) => {
    const page = await openRoom({ world, open }, 'Sud', styleOf(source));
    await expectBundledMap(page);
  });
}

test('[POS28] a style of which something comes is kept, with its gaps', async ({ world, open }) => {
  const prepare = styleOf(
    { tiles: ['http://127.0.0.1:9/there/{z}/{x}/{y}.png'] },
    { tiles: ['http://127.0.0.1:9/{z}/{x}/{y}.png'] },
    { url: 'http://127.0.0.1:9/tiles.json' },
  );
  let towns = new Set<string>();
  const page = await openRoom({ world, open }, 'Est', async (context) => {
    towns = townsSentTo(context);
    await prepare(context);
  });
  const expectForest = () =>
    expect(async () => {
      const [forest = 0] = await sharesOf(drawnMap(page, 'configured'), [FOREST]);
      expect(forest).toBeGreaterThan(0.8);
    }).toPass({ timeout: 60_000 });
  await expectForest();
  await page.getByRole('button', { name: say('positions.map.zoomIn') }).click();
  await expectForest();
  await expect(page.getByText(say('positions.map.fallback'))).toHaveCount(0);
  // The map is as it was made: with a scale, and without our towns.
  await expect(scaleBar(page)).toHaveText(/^\d+\s(?:k?m)$/u);
  expect(towns.size).toBe(0);
});
