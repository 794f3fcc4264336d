import type { Page, Request } from '@playwright/test';
import { expect, expectReady, roomPath, test } from '../fixtures.ts';
import { expectAccessible } from '../harness/accessible.ts';
import { sayIn } from '../harness/words.ts';

const say = sayIn('fr');
/** What the browser and React say of a file that isn't there; React also when it tried once more by itself (its error 520). */
const GONE = /404|dynamically imported|PartGone|part of the app|preload|React error #520/iu;
/** The same of what the start needs; nobody is left to catch it by then. */
const START_GONE = /404|dynamically imported|preload/iu;
const USERS_CODE = '**/assets/users-route-*.js';

/** Counts the pages that were loaded from now on. */
function countLoads(page: Page): () => number {
  let loads = 0;
  page.on('load', () => {
    loads += 1;
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
    // The page itself is asked for again: from here on the server has what it speaks of.
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
      // The second page is that of the server as it is by now.
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
  // With the policy that a server sends: what does it stands in the page.
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
  // The pointer over the link has its code fetched.
  await usersLink(page).hover();
  expect((await failed).status()).toBe(404);
  await expectReady(page, 1);
  // Nor does it on the page that can't be shown: the conversation goes on beside it.
  await usersLink(page).click();
  await expect(page.getByRole('heading', { name: say('app.renewal.title') })).toBeVisible();
  await expect(page.locator('[data-stay-bar]')).toBeVisible();
  expect(loads()).toBe(0);
});
