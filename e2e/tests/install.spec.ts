import type { Page } from '@playwright/test';
import { expect, roomPath, talkButton, test } from '../fixtures.ts';
import { accountButton, logOut, signIn } from '../harness/acts.ts';
import { PASSWORD, type Person } from '../harness/api.ts';
import { chooseImage, messageField, messagesPanel, write } from '../harness/chat.ts';
import { type Front, openFront } from '../harness/front.ts';
import { jpegWithPosition } from '../harness/images.ts';
import { drawnMap, WIDE } from '../harness/map.ts';
import { sayIn } from '../harness/words.ts';

const say = sayIn('fr');
/** Errors of a server that is away, and of one that no longer has a file. */
const EXPECTED = /ERR_|status of 401|404|503|50\d|ServiceWorker|service worker|script/iu;

const title = (page: Page) => page.getByRole('heading', { level: 1 });
const buildOf = (page: Page) => page.locator('meta[name=build]').getAttribute('content');
const update = (page: Page) => page.getByRole('button', { name: say('shared.newVersion.update') });

/** Names of the caches, with the paths and the addresses of their answers, and all their text. */
const keptIn = (page: Page) =>
  page.evaluate(async () => {
    const kept: { name: string; paths: string[]; text: string }[] = [];
    for (const name of await caches.keys()) {
      const cache = await caches.open(name);
      const paths: string[] = [];
      let text = '';
      for (const request of await cache.keys()) {
        const answer = await cache.match(request);
        paths.push(request.url, answer?.url ?? '');
        text += request.url + JSON.stringify([...(answer?.headers ?? [])]) + (await answer?.text());
      }
      kept.push({ name, paths: paths.map((path) => path.replace(location.origin, '')), text });
    }
    return kept;
  });
const cacheNames = (page: Page) => page.evaluate(() => caches.keys());

/** Waits until the worker has the page, and all of its files. */
async function workerTakes(page: Page): Promise<void> {
  await expect.poll(() => page.evaluate(() => navigator.serviceWorker.controller?.state)).toBe('activated');
}

/**
 * Serves another build of the same app, without the screen of users: open pages of the earlier build can't get that screen from the server.
 */
function upgrade(front: Front, build: string): void {
  front.replace = (path, text) => {
    if (path.startsWith('/assets/users-route-')) return null;
    const isNamed = path === '/sw.js' || !path.startsWith('/assets/');
    return isNamed ? text.replaceAll(build, 'another-build').replace(/\/assets\/users-route-[\w-]+\.js,/u, '') : text;
  };
}

test('[APP1] [APP2] [APP3] [APP4] [APP5] [APP7] [APP10] the console opens without a network, and a newer version loses nothing', async ({
  world,
  open,
}) => {
  const { api, admin, server } = world;
  const front = await openFront(server.origin);
  try {
    const page = await open(null, '/signin', {
      context: {
        baseURL: front.origin,
        serviceWorkers: 'allow',
        bypassCSP: false,
        permissions: ['microphone', 'geolocation'],
        viewport: WIDE,
      },
      expectedErrors: EXPECTED,
    });
    await signIn(page, say, admin.email, PASSWORD);
    await expect(title(page)).toHaveText(say('channels.title'));
    await workerTakes(page);
    await expectInstallable(page);

    const { rtcSession, id } = await api.channel(admin, 'Quart', []);
    await lookAround(page, admin, rtcSession);
    // The requested page's address has the token of a call link.
    const link = { channelId: id, userId: admin.id, token: admin.token };
    await page.goto(`/userCallView/${encodeURIComponent(JSON.stringify(link))}`);
    await expect(talkButton(page)).toBeVisible();
    await expectNothingPersonal(page, admin);

    await page.goto('/channelsList');
    await logOut(page, say, admin.name);
    await expectNothingPersonal(page, admin);
    await server.stop();
    await page.reload();
    await expect(title(page)).toHaveText(say('auth.signIn.title'));
    await expect(page.getByText(say('auth.away.title'))).toBeVisible();
    await server.start();
    await expect(page.getByText(say('auth.away.title'))).toBeHidden();

    await signIn(page, say, admin.email, PASSWORD);
    await expect(title(page)).toHaveText(say('channels.title'));
    await server.stop();
    await page.goto('/channelsList?q=Quart');
    await expect(title(page)).toHaveText(say('app.offline.title'));
    await server.start();
    await expect(title(page)).toHaveText(say('channels.title'));
    await expect(page.getByRole('link', { name: /Quart/u }).first()).toBeVisible();

    await upgradeBeside(page, front, admin);
    await leaveWithTheServer(page, front);
  } finally {
    await front.close();
  }
});

async function expectInstallable(page: Page): Promise<void> {
  const browser = await page.context().newCDPSession(page);
  const { errors, data } = await browser.send('Page.getAppManifest');
  expect(errors).toEqual([]);
  expect(JSON.parse(data ?? '{}')).toMatchObject({ name: 'Pressel', display: 'standalone', scope: '/' });
  const { installabilityErrors } = await browser.send('Page.getInstallabilityErrors');
  // Tests run in windows that count as private ones.
  const others = installabilityErrors.filter(({ errorId }) => errorId !== 'in-incognito');
  expect(others).toEqual([]);
  await browser.detach();
}

/** Looks at a room with messages, an image and the map: the data of others that a session reads. */
async function lookAround(page: Page, admin: Person, rtcSession: string): Promise<void> {
  await page.goto(roomPath(rtcSession));
  // The policy, which is in force here, forbids the voices that tests give to pages.
  await expect(talkButton(page)).toHaveAttribute('data-state', /idle|no_microphone/u);
  await expect(drawnMap(page)).toBeVisible();
  await expect(messageField(page, say)).toBeVisible();
  await write(page, say, 'Portail ouvert');
  const photo = { name: 'photo.jpg', mimeType: 'image/jpeg', buffer: await jpegWithPosition(page) };
  const dialog = await chooseImage(page, say, photo);
  await dialog.getByRole('button', { name: say('chat.upload.send') }).click();
  await expect(messagesPanel(page).locator('img').first()).toBeVisible();
  await expect(accountButton(page, say, admin.name)).toBeVisible();
}

async function expectNothingPersonal(page: Page, { token, email }: Person): Promise<void> {
  const kept = await keptIn(page);
  expect(kept).toHaveLength(1);
  for (const { paths, text } of kept) {
    for (const path of paths) expect(path).toMatch(/^\/(?:assets\/[\w.-]+)?$/u);
    expect(
      paths.filter((path) => path.includes('open-map')),
      'what is used is kept too',
    ).not.toEqual([]);
    for (const secret of [token, email, 'Portail ouvert', 'Quart']) expect(text.includes(secret), secret).toBe(false);
  }
}

async function upgradeBeside(page: Page, front: Front, admin: Person): Promise<void> {
  const first = await buildOf(page);
  if (first === null) throw new Error('The page names no build');
  await page
    .getByRole('main')
    .getByRole('button', { name: say('channels.create.act') })
    .first()
    .click();
  const name = page.getByRole('dialog').getByLabel(say('channels.form.name'));
  await name.fill('Canal en cours de saisie');
  let loads = 0;
  page.on('load', () => {
    loads += 1;
  });

  upgrade(front, first);
  // The next page that opens the console makes the browser learn of it, for all pages.
  const tab = await page.context().newPage();
  await tab.goto('/signin');
  expect(await buildOf(tab), 'what this device has is shown at once').toBe(first);
  await expect(update(tab)).toBeVisible();
  await expect(page.locator('[data-new-version]')).toBeVisible();
  await expect(name).toHaveValue('Canal en cours de saisie');
  expect(loads, 'nothing reloads by itself').toBe(0);
  await update(tab).click();
  await expect.poll(() => buildOf(tab).catch(() => undefined)).toBe('another-build');
  await expect(update(tab)).toHaveCount(0);

  // The page of the earlier build still has all of its screens, even the one that the server no longer has.
  expect(await cacheNames(page)).toEqual([`pressel-${first}`, 'pressel-another-build']);
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: say('shared.unsaved.discard') }).click();
  await page.getByRole('link', { name: say('app.nav.users'), exact: true }).click();
  await expect(title(page)).toHaveText(say('users.title'));
  // The filter finds the user, because people of other tests come before.
  await page.getByRole('searchbox', { name: say('users.filter') }).fill(admin.email);
  await expect(page.getByRole('row').filter({ hasText: admin.email })).toBeVisible();
  expect(loads).toBe(0);

  await page.goto('/channelsList');
  await expect(title(page)).toHaveText(say('channels.title'));
  expect(await buildOf(page)).toBe('another-build');
  await tab.close();
  await expect
    .poll(() => cacheNames(page), 'nobody needs the build before any more')
    .toEqual(['pressel-another-build']);
}

/** The server no longer has a worker, as after a return to an older version: the device removes what it keeps. */
async function leaveWithTheServer(page: Page, front: Front): Promise<void> {
  front.replace = (path, text) => (path === '/sw.js' ? null : text.replace(/<meta name="build"[^>]*>/u, ''));
  await page.goto('/channelsList');
  await expect.poll(() => cacheNames(page)).toEqual([]);
  await expect.poll(() => page.evaluate(async () => (await navigator.serviceWorker.getRegistrations()).length)).toBe(0);
  await page.goto('/channelsList');
  await expect(page.locator('meta[name=build]')).toHaveCount(0);
  await expect(title(page)).toHaveText(say('channels.title'));
}
