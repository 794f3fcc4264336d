import type { BrowserContext, Page, Request, WebSocketRoute } from '@playwright/test';
import { expect, expectHeard, expectReady, roomPath, talkButton, test } from '../fixtures.ts';
import { expectAccessible } from '../harness/accessible.ts';
import { sayIn } from '../harness/words.ts';

const say = sayIn('fr');
/** Errors that the browser and React report for a missing file; React also if it tried once more by itself (its error 520). */
const GONE = /404|dynamically imported|ChunkGoneError|part of the app|preload|React error #520/iu;
/** The same errors for files that the start needs; nothing catches them that early. */
const START_GONE = /404|dynamically imported|preload/iu;
const USERS_CODE = '**/assets/users-route-*.js';

/** Counts the pages that are asked for from now on: one that reloads at once never tells that it is loaded. */
function countLoads(page: Page): () => number {
  let loads = 0;
  page.on('request', (request) => {
    if (request.isNavigationRequest()) loads += 1;
  });
  return () => loads;
}

const gone = (page: Page) => page.route(USERS_CODE, (route) => route.fulfill({ status: 404, body: '{}' }));
const usersLink = (page: Page) => page.getByRole('link', { name: say('app.nav.users'), exact: true });
const WIDE = { context: { viewport: { width: 1600, height: 900 } }, expectedErrors: GONE };

test('code that is gone after an upgrade is fetched anew by one reload', async ({ world, open }) => {
  const page = await open(world.admin, '/channelsList', WIDE);
  await expect(usersLink(page)).toBeVisible();
  await gone(page);
  const loads = countLoads(page);
  page.on('request', (request) => {
    // The page itself is requested again: from here on the server has the files that it names.
    if (request.isNavigationRequest()) void page.unroute(USERS_CODE);
  });
  await usersLink(page).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(say('users.title'));
  await expect(page.getByRole('row').nth(1)).toBeVisible();
  expect(loads()).toBe(1);
});

test('code that stays gone ends in a page that says so, not in a loop', async ({ world, open }) => {
  const page = await open(world.admin, '/channelsList', WIDE);
  await expect(usersLink(page)).toBeVisible();
  await gone(page);
  const loads = countLoads(page);
  await usersLink(page).click();
  await expect(page.getByRole('heading', { name: say('app.renewal.title') })).toBeVisible();
  expect(loads()).toBe(1);
  await page.getByRole('button', { name: say('app.crash.reload') }).click();
  await expect.poll(loads).toBe(2);
  await expect(page.getByRole('heading', { name: say('app.renewal.title') })).toBeVisible();
  expect(loads()).toBe(2);
});

test('[APP6] a start that lacks its words or its code reloads once; what stays gone is said in the frame', async ({
  world,
  open,
}) => {
  const page = await open(world.admin, '/channelsList', { ...WIDE, expectedErrors: START_GONE });
  await expect(usersLink(page)).toBeVisible();
  for (const file of ['words-fr-door', 'app']) {
    await page.evaluate(() => sessionStorage.removeItem('renewedAt'));
    const files = `**/assets/${file}-*.js`;
    await page.route(files, (route) => route.fulfill({ status: 404, body: '{}' }));
    let asked = 0;
    const onRequest = (request: Request) => {
      if (!request.isNavigationRequest()) return;
      asked += 1;
      // The second page is that of the server as it is by then.
      if (asked === 2) void page.unroute(files);
    };
    page.on('request', onRequest);
    await page.goto('/usersList');
    await expect(page.getByRole('heading', { level: 1 })).toHaveText(say('users.title'));
    expect(asked).toBe(2);
    page.off('request', onRequest);
  }

  await page.route('**/assets/app-*.js', (route) => route.fulfill({ status: 404, body: '{}' }));
  await page.goto('/usersList');
  const said = page.getByRole('alert');
  await expect(said).toContainText(say('app.renewal.title'));
  await expectAccessible(page, 'a page that could not be started');
  await page.unroute('**/assets/app-*.js');
  await said.getByRole('button', { name: say('app.crash.reload') }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(say('users.title'));
});

test('[APP6] a page whose very first script is gone asks the server for itself once, then says what to do', async ({
  open,
}) => {
  // The page has the policy that a server sends: the script for it stands in the page.
  const context = { ...WIDE.context, bypassCSP: false };
  const page = await open(null, '/signin', { context, expectedErrors: START_GONE });
  const title = page.getByRole('heading', { level: 1, name: say('auth.signIn.title') });
  await expect(title).toBeVisible();
  for (const file of ['index', 'preload']) {
    await page.evaluate(() => sessionStorage.removeItem('renewedAt'));
    const files = `**/assets/${file}-*.js`;
    await page.route(files, (route) => route.fulfill({ status: 404, body: '{}' }));
    const loads = countLoads(page);
    await page.goto('/signin');
    const said = page.getByRole('alert');
    await expect(said).toContainText(say('app.renewal.text'));
    expect(loads()).toBe(2);
    await page.unroute(files);
    await said.getByRole('button', { name: say('app.crash.reload') }).click();
    await expect(title).toBeVisible();
  }
});

test('in a room nothing reloads, whatever is gone', async ({ world, open }) => {
  const { rtcSession } = await world.api.channel(world.admin, 'Quart');
  const page = await open(world.admin, roomPath(rtcSession), WIDE);
  await expectReady(page, 1);
  await gone(page);
  const loads = countLoads(page);
  const failed = page.waitForResponse(USERS_CODE);
  // The pointer over the link makes the page fetch its code.
  await usersLink(page).hover();
  expect((await failed).status()).toBe(404);
  await expectReady(page, 1);
  // A page that can't be shown doesn't reload either: the conversation goes on beside it.
  await usersLink(page).click();
  await expect(page.getByRole('heading', { name: say('app.renewal.title') })).toBeVisible();
  await expect(page.locator('[data-stay-bar]')).toBeVisible();
  expect(loads()).toBe(0);
});

/** Makes a page hear, from its next connection on, that its server has another version. */
async function upgradeServer(
  context: BrowserContext,
): Promise<{ setContract: (contract: string | undefined) => void }> {
  let told: string | undefined;
  const sockets = new Set<WebSocketRoute>();
  await context.routeWebSocket(/socket\.io/u, (socket) => {
    const server = socket.connectToServer();
    sockets.add(socket);
    socket.onMessage((message) => server.send(message));
    server.onMessage((message) => {
      const isVersion = told !== undefined && typeof message === 'string' && message.includes('"server_version"');
      socket.send(isVersion ? message.replace(/"contract":"[^"]*"/u, `"contract":"${told}"`) : message);
    });
  });
  return {
    setContract(contract) {
      told = contract;
      for (const socket of sockets) void socket.close();
      sockets.clear();
    },
  };
}

test('[APP14] [APP15] [APP16] [APP17] a page older than its server says so, reloads once nobody talks, and is in its room again', async ({
  world,
  open,
  enter,
}) => {
  const { api, admin } = world;
  const ida = await api.person('Ida', admin.token);
  const { rtcSession, name } = await api.channel(admin, 'Relève', [ida]);
  let server: Awaited<ReturnType<typeof upgradeServer>> | undefined;
  const desk = await open(admin, roomPath(rtcSession), {
    ...WIDE,
    async prepare(context) {
      server = await upgradeServer(context);
      // Otherwise each page waits for a different time.
      await context.addInitScript(() => {
        Math.random = () => 0.01;
      });
    },
  });
  const field = await enter(ida, rtcSession);
  await expectReady(desk, 2);
  // The room goes on beside another page.
  await desk.getByRole('button', { name: say('voice.room.back') }).click();
  const bar = desk.locator('[data-stay-bar]');
  const said = desk.getByRole('alert').filter({ hasText: say('shared.apart.title') });
  const loads = countLoads(desk);

  await field.press();
  await expect(talkButton(desk)).toHaveAttribute('data-state', 'busy');
  server?.setContract('newer');
  await expect(said).toContainText(say('shared.apart.reloads'));
  await expectAccessible(desk, 'a page that is apart from its server');
  await expectHeard(desk, 'down', 400);
  expect(loads(), 'while somebody talks').toBe(0);
  await field.release();
  await expect.poll(loads).toBe(1);

  // A cache, for instance, gave it the same page again.
  await expect(said).toContainText(say('shared.apart.asks'));
  await expect(bar).toContainText(name);
  await field.press();
  await expectHeard(desk, 'down', 400);
  await field.release();
  expect(loads()).toBe(1);

  server?.setContract(undefined);
  await said.getByRole('button', { name: say('shared.apart.reload') }).click();
  await expect.poll(loads).toBe(2);
  await expect(bar).toContainText(name);
  await expect(talkButton(desk)).toHaveAttribute('data-state', 'idle');
  await expect(said).toBeHidden();
});
