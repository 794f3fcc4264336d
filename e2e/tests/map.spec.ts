import type { BrowserContext, Locator, Page } from '@playwright/test';
import { updateUserPosition } from '@pressel/contract/positions';
import { changeUsers } from '@pressel/contract/users';
import { expect, expectReady, release, roomPath, talk, test } from '../fixtures.ts';
import { expectAccessible } from '../harness/accessible.ts';
import type { Person } from '../harness/api.ts';
import { drawnMap, LAND, mapPanel, marker, middleOf, SEA, sharesOf, WIDE } from '../harness/map.ts';
import { foreignWordsIn, shownText } from '../harness/shown-text.ts';
import { LANGUAGES, sayIn } from '../harness/words.ts';

const say = sayIn('fr');
const BREST = { latitude: 48.39, longitude: -4.49 };
const PLYMOUTH = { latitude: 50.37, longitude: -4.14 };
const inContext = { context: { viewport: WIDE } };
const at = ({ latitude, longitude }: typeof BREST) => ({ lat: latitude, lng: longitude });

/** Options of a browser that shares where it is, as it is told. */
const sharing = (place: typeof BREST) => ({
  context: { viewport: WIDE, geolocation: place, permissions: ['microphone', 'geolocation'] },
});

const showAll = (page: Page) => page.getByRole('button', { name: say('positions.map.showAll') }).click();
const share = (page: Page) => page.getByRole('switch', { name: say('positions.share.label') });
/** The share of the map that something hides. */
async function coveredBy(page: Page, one: Locator): Promise<number> {
  const [inner, outer] = [await one.boundingBox(), await mapPanel(page).boundingBox()];
  if (inner === null || outer === null) throw new Error('Not shown');
  return (inner.width * inner.height) / (outer.width * outer.height);
}
/** Keeps back a browser's requests to addresses like this, until they are released. */
function holdBack(addresses: string) {
  const { promise, resolve } = Promise.withResolvers<void>();
  const asked = Promise.withResolvers<void>();
  const prepare = (context: BrowserContext) =>
    context.route(addresses, async (route) => {
      asked.resolve();
      await promise;
      await route.continue();
    });
  return { prepare, asked: asked.promise, release: resolve };
}
/** The server's messages about positions to a page. */
function positionsSentTo(page: Page): string[] {
  const sent: string[] = [];
  page.on('websocket', (socket) =>
    socket.on('framereceived', ({ payload }) => {
      if (/onLocationChanged|"lat"/u.test(String(payload))) sent.push(String(payload));
    }),
  );
  page.on('response', async (response) => {
    if (!response.url().includes('/user/api/')) return;
    const text = await response.text().catch(() => '');
    if (/"lat"|userPositions/u.test(text)) sent.push(response.url());
  });
  return sent;
}

test('[POS5] [POS21] [POS29] [POS30] a marker moves when somebody else does, who shares where they are, and shows their talk', async ({
  world,
  open,
}) => {
  const { api, admin } = world;
  const ana = await api.person('Ana', admin.token);
  const { rtcSession } = await api.channel(admin, 'Nord', [ana]);
  const theirs = await open(ana, roomPath(rtcSession), sharing(BREST));
  const mine = await open(admin, roomPath(rtcSession), inContext);
  await expect(mine.getByText(say('positions.map.empty'))).toBeVisible();

  await expectReady(theirs, 2);
  await expect(share(theirs)).not.toBeChecked();
  await share(theirs).click({ force: true });
  await expect(theirs.getByText(say('positions.share.on'))).toBeVisible();
  await expect(mine.getByText(say('positions.map.empty'))).toBeHidden();
  // The other page is at the other end of the country, where the map doesn't open.
  await expect(marker(mine, ana.id)).toBeInViewport();
  await showAll(mine);
  await expect(marker(mine, ana.id)).toBeVisible();
  await expect(marker(mine, ana.id)).toHaveAttribute('data-here', 'true');
  await expect(marker(mine, ana.id)).toHaveAccessibleName(say('positions.marker.here', { name: ana.name }));
  await talk(theirs, () => expect(marker(mine, ana.id)).toHaveAttribute('data-talking', 'true'));
  await release(theirs);
  await expect(marker(mine, ana.id)).toHaveAttribute('data-talking', 'false');
  const before = await middleOf(marker(mine, ana.id));

  await theirs.context().setGeolocation({ latitude: BREST.latitude + 0.0008, longitude: BREST.longitude + 0.0008 });
  await expect
    .poll(async () => {
      const { x, y } = await middleOf(marker(mine, ana.id));
      return { isEast: x > before.x, isNorth: y < before.y };
    })
    .toEqual({ isEast: true, isNorth: true });

  await marker(mine, ana.id).click();
  const card = mine.getByRole('region', { name: say('positions.card.label', { name: ana.name }) });
  await expect(card).toContainText('48,39080°');
  await expect(card).toContainText('-4,48920°');
  await share(theirs).click({ force: true });
  await expect(theirs.getByText(say('positions.share.on'))).toBeHidden();
});

test('[POS23] on a low map the card shows all that it says, and whom it is about beside it', async ({
  world,
  open,
}) => {
  const { api, admin } = world;
  const lea = await api.person('Lea', admin.token);
  const { rtcSession } = await api.channel(admin, 'Bas', [lea]);
  await api.call(updateUserPosition, { lat: 48.85, lng: 2.34, accuracy: 12 }, lea.token);
  const page = await open(admin, roomPath(rtcSession), { context: { viewport: { width: 1000, height: 600 } } });
  await page.getByRole('button', { name: say('voice.panels.toMap') }).click();
  await expect(drawnMap(page)).toBeVisible();
  await marker(page, lea.id).click();
  const card = mapPanel(page).getByRole('region', { name: say('positions.card.label', { name: lea.name }) });
  for (const fact of ['activity', 'longitude', 'latitude', 'recorded', 'accuracy'] as const) {
    await expect(card.getByText(say(`positions.card.${fact}`), { exact: true })).toBeInViewport({ ratio: 1 });
  }
  // The card would stop a click.
  await marker(page, lea.id).click({ trial: true });
  await page.setViewportSize({ width: 1280, height: 800 });
  await expect.poll(() => coveredBy(page, card)).toBeLessThan(0.5);
});

test('[POS27] who is asked for in a row is gone to as near as the map draws, also from behind the place of their card', async ({
  world,
  open,
}) => {
  const { api, admin } = world;
  const lea = await api.person('Lea', admin.token);
  const noa = await api.person('Noa', admin.token);
  const zoe = await api.person('Zoe', admin.token);
  const { rtcSession } = await api.channel(admin, 'Loin', [lea, noa, zoe]);
  await api.call(updateUserPosition, { lat: 44, lng: -4 }, lea.token);
  await api.call(updateUserPosition, { lat: 45, lng: -1 }, noa.token);
  await api.call(updateUserPosition, { lat: 62, lng: 0 }, zoe.token);
  const page = await open(admin, `${roomPath(rtcSession)}?panel=members`, {
    context: { viewport: WIDE, reducedMotion: 'no-preference' },
  });
  await showAll(page);
  for (const one of [lea, noa, zoe]) await expect(marker(page, one.id)).toBeInViewport();
  await page.getByRole('tabpanel').getByRole('button', { name: lea.name }).click();
  // Only she is shown: at the zoom of before, Noa would be near her.
  await expect(marker(page, noa.id)).not.toBeInViewport();
  await marker(page, lea.id).click({ trial: true });
});

test('[POS23] a phone that is turned keeps who was chosen beside their card, which leaves the buttons free', async ({
  world,
  open,
}) => {
  const { api, admin } = world;
  const lea = await api.person('Lea', admin.token);
  const { rtcSession } = await api.channel(admin, 'Tour', [lea]);
  await api.call(updateUserPosition, { lat: 48.85, lng: 2.34, accuracy: 12 }, lea.token);
  const page = await open(admin, `${roomPath(rtcSession)}?panel=map`, {
    context: { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true },
  });
  await marker(page, lea.id).tap();
  const card = mapPanel(page).getByRole('region', { name: say('positions.card.label', { name: lea.name }) });
  await expect(card).toBeVisible();
  expect(await coveredBy(page, card)).toBeLessThan(0.5);
  await page.setViewportSize({ width: 844, height: 390 });
  // The card would stop a click.
  await marker(page, lea.id).click({ trial: true });
  const shown = await card.boundingBox();
  const button = await page.getByRole('button', { name: say('positions.map.showAll') }).boundingBox();
  expect(button?.x).toBeGreaterThanOrEqual((shown?.x ?? 0) + (shown?.width ?? 0));
});

test('[POS29] the map opens on the people, no nearer than it has something to draw; the wheel alone leaves it and says which key is needed', async ({
  world,
  open,
}) => {
  const { api, admin } = world;
  const [lea, max] = [await api.person('Lea', admin.token), await api.person('Max', admin.token)];
  const { rtcSession } = await api.channel(admin, 'Zoom', [lea, max]);
  // They are in one town: a nearer view would have nothing around them.
  const [west, east] = [2.34, 2.36];
  await api.call(updateUserPosition, { lat: 48.85, lng: west }, lea.token);
  await api.call(updateUserPosition, { lat: 48.85, lng: east }, max.token);
  const page = await open(admin, roomPath(rtcSession), inContext);
  await expect(drawnMap(page)).toBeVisible();
  await expect(marker(page, max.id)).toBeVisible();
  /** The world is 512 px wide at zoom 0, and twice as wide at each further one. */
  const zoom = async () => {
    const px = (await middleOf(marker(page, max.id))).x - (await middleOf(marker(page, lea.id))).x;
    return Math.round(Math.log2(((px / (east - west)) * 360) / 512) * 10) / 10;
  };
  await expect.poll(zoom).toBe(11);

  const help = mapPanel(page).getByText(say('positions.map.cooperativeWindows'));
  await expect(help).toBeAttached();
  // The help is shown for a moment only.
  await help.evaluate((element) =>
    new MutationObserver(() => element.parentElement?.setAttribute('data-was-shown', '')).observe(
      element.parentElement ?? element,
      { attributeFilter: ['class'] },
    ),
  );
  await drawnMap(page).hover();
  await page.mouse.wheel(0, -300);
  await expect(mapPanel(page).locator('[data-was-shown]')).toContainText(say('positions.map.cooperativeWindows'));
  expect(await zoom()).toBe(11);
  await page.keyboard.down('Control');
  await page.mouse.wheel(0, -300);
  await expect.poll(zoom).toBeGreaterThan(11);
  await page.keyboard.up('Control');
});

test('the map is drawn without any other server: coasts are seen', async ({ world, open }) => {
  const { api, admin } = world;
  const lea = await api.person('Lea', admin.token);
  const max = await api.person('Max', admin.token);
  const { rtcSession } = await api.channel(admin, 'Sud', [lea, max]);
  await api.call(updateUserPosition, at(BREST), lea.token);
  await api.call(updateUserPosition, at(PLYMOUTH), max.token);
  const elsewhere: string[] = [];
  const land = holdBack('**/world-ground-*.tiles');
  const labels = Promise.withResolvers<void>();
  const page = await open(admin, roomPath(rtcSession), {
    ...inContext,
    prepare: async (context) => {
      context.on('request', (request) => {
        if (!/^(?:data|blob):/u.test(request.url()) && !request.url().startsWith(world.server.origin))
          elsewhere.push(request.url());
      });
      context.on('requestfinished', (request) => {
        if (request.url().includes('/world-labels-')) labels.resolve();
      });
      await land.prepare(context);
    },
  });
  await labels.promise;
  await land.asked;
  // Without its land all of the world would be sea.
  await expect(mapPanel(page).getByText(say('positions.map.loading'))).toBeVisible();
  await expect(drawnMap(page)).toHaveCount(0);
  land.release();
  await expect(drawnMap(page)).toBeVisible();
  await showAll(page);
  await expect(async () => {
    const [sea = 0, land = 0] = await sharesOf(drawnMap(page), [SEA, LAND]);
    expect(sea).toBeGreaterThan(0.15);
    expect(land).toBeGreaterThan(0.1);
  }).toPass({ timeout: 60_000 });
  for (const person of [lea, max]) await expect(marker(page, person.id)).toBeVisible();
  expect(elsewhere).toEqual([]);
});

test('[POS1] [POS8] without the right there is no map, and no position on the wire', async ({ world, open }) => {
  const { api, admin } = world;
  const bo = await api.person('Bo', admin.token);
  const lea = await api.person('Lea', admin.token);
  const { rtcSession } = await api.channel(admin, 'Est', [bo, lea]);
  await api.call(updateUserPosition, at(BREST), lea.token);
  const page = await open(bo, roomPath(rtcSession), inContext);
  const sent = positionsSentTo(page);
  await page.reload();
  await expect(page.locator('[data-tile]')).toHaveCount(1);
  await api.call(updateUserPosition, at(PLYMOUTH), lea.token);
  await expect(mapPanel(page)).toHaveCount(0);
  expect(sent).toEqual([]);

  const setRight = (mapRight: boolean) =>
    api.call(changeUsers, { userIds: [bo.id], change: { type: 'setMapRight', mapRight } }, admin.token);
  await setRight(true);
  await page.reload();
  await expect(drawnMap(page)).toBeVisible();
  await showAll(page);
  await expect(marker(page, lea.id)).toBeVisible();
  await setRight(false);
  await expect(marker(page, lea.id)).toHaveCount(0);
  sent.length = 0;
  await api.call(updateUserPosition, at(BREST), lea.token);
  await expect(drawnMap(page)).toHaveCount(0);
  expect(sent).toEqual([]);
});

test('the map does nothing that the content security policy forbids', async ({ world, open }) => {
  const { api, admin } = world;
  const { rtcSession } = await api.channel(admin, 'Ouest', []);
  const page = await open(admin, roomPath(rtcSession), {
    context: { viewport: WIDE, bypassCSP: false },
    expectedErrors: /Trusted|Content Security|policy/u,
    prepare: async (context) => {
      await context.addInitScript(() => {
        const violations: string[] = [];
        Object.assign(window, { violations });
        document.addEventListener('securitypolicyviolation', ({ effectiveDirective, blockedURI, sourceFile }) =>
          violations.push(`${effectiveDirective} ${blockedURI} ${sourceFile}`),
        );
      });
    },
  });
  await expect(drawnMap(page)).toBeVisible();
  const violations: string[] = await page.evaluate(() => Object(window).violations);
  expect(violations.filter((one) => /maplibre|open-map|world-|font|\.json/u.test(one))).toEqual([]);
});

test('card, sharing and map are accessible, and speak one language at a time', async ({ world, open }) => {
  const { api, admin } = world;
  const people: Person[] = [];
  for (const name of ['Ana', 'Bo', 'Lea']) people.push(await api.person(name, admin.token));
  const [ana, bo, lea] = people;
  if (ana === undefined || bo === undefined || lea === undefined) throw new Error('Three people are needed');
  const { rtcSession, name: channel } = await api.channel(admin, 'Centre', people);
  await api.call(updateUserPosition, { ...at(BREST), accuracy: 12 }, ana.token);
  await api.call(updateUserPosition, { lat: 59.9, lng: 10.7, ageMs: 3 * 3_600_000 }, bo.token);
  await api.call(updateUserPosition, { lat: 40.4, lng: -3.7 }, lea.token);
  const labels = new Set<string>();
  for (const language of LANGUAGES) {
    const words = sayIn(language);
    for (const colorScheme of language === 'fr' ? (['light', 'dark'] as const) : (['light'] as const)) {
      const preparePage = async (page: Page) => {
        page.on('request', (request) => {
          const file = /world-labels-(\w+)-/u.exec(request.url())?.[1];
          if (file !== undefined) labels.add(file);
        });
      };
      const page = await open(admin, roomPath(rtcSession), { ...inContext, language, colorScheme, preparePage });
      await expect(drawnMap(page)).toBeVisible();
      await page.getByRole('button', { name: words('positions.map.showAll') }).click();
      await marker(page, bo.id).click();
      const card = page.getByRole('region', { name: words('positions.card.label', { name: bo.name }) });
      await expect(card).toContainText(words('positions.card.old'));
      await expectAccessible(page, `map in ${language}, ${colorScheme}`);
      const names = [admin, ...people].map(({ name }) => name);
      const texts = await shownText(page);
      expect(foreignWordsIn(language, [...names, channel])(texts)).toEqual([]);
      // A map goes on being drawn even if nobody looks at it.
      await page.close();
    }
  }
  expect([...labels].sort()).toEqual(['de', 'en', 'fr']);
});
