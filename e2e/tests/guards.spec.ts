import type { Page } from '@playwright/test';
import { deleteUserTokens } from '@pressel/contract/auth';
import { expect, roomPath, test } from '../fixtures.ts';
import { signIn } from '../harness/acts.ts';
import { PASSWORD } from '../harness/api.ts';
import { sayIn } from '../harness/words.ts';

const say = sayIn('fr');
const heading = (page: Page) => page.getByRole('heading', { level: 1 });
const callLink = (secret: string) =>
  `/userCallView/${encodeURIComponent(JSON.stringify({ channelId: 'c', userId: 'u', token: secret }))}`;

/** Both storages, as the page has them. */
const storages = (page: Page) =>
  page.evaluate(() => ({ local: { ...localStorage }, session: { ...sessionStorage } }) as Record<string, object>);

test('the addresses of rooms are for whoever is signed in', async ({ world, open }) => {
  const page = await open(await world.api.person('Garde', world.admin.token), '/');
  for (const path of ['/groupCallView/x', '/mobileCallView/x', '/join/x']) {
    await page.goto(path);
    await expect(heading(page), path).toHaveText(say('voice.closed.not_found'));
    await expect(page).toHaveURL(new RegExp(`${path}$`, 'u'));
  }
});

test('a call link leaves its token neither in the address, nor in the history, nor in storage', async ({ open }) => {
  const secret = 'a-secret-token';
  const page = await open(null, '/notFound');
  const seen: string[] = [];
  page.on('framenavigated', (frame) => seen.push(frame.url()));
  const response = await page.goto(callLink(secret));
  expect(response?.headers()['referrer-policy']).toBe('no-referrer');
  await expect(heading(page)).toHaveText(say('app.callLink.broken'));
  await expect(page).toHaveURL(/\/userCallView\/?$/u);
  await page.goBack();
  await expect(heading(page)).toHaveText(say('app.notFound.title'));
  await page.goForward();
  await expect(heading(page)).toHaveText(say('app.callLink.used'));
  expect(page.url()).not.toContain(secret);
  await page.reload();
  await expect(heading(page)).toHaveText(say('app.callLink.used'));
  expect(page.url()).not.toContain(secret);
  expect(JSON.stringify(await storages(page))).not.toContain(secret);
  // The only one is the request itself.
  expect(seen.filter((url) => url.includes(secret))).toHaveLength(1);
});

test("'Remember me' opens in a new tab and after the browser was closed; without it both ask to sign in", async ({
  world,
  open,
}) => {
  const who = await world.api.person('Souvenir', world.admin.token);
  for (const remember of [true, false]) {
    const page = await open(null, '/signin');
    await signIn(page, say, who.email, PASSWORD, remember);
    await expect(heading(page)).toHaveText(say('channels.title'));
    await page.reload();
    await expect(heading(page), 'a reload never asks').toHaveText(say('channels.title'));
    const expected = say(remember ? 'channels.title' : 'auth.signIn.title');
    const storageState = await page.context().storageState();
    const tab = await page.context().newPage();
    await tab.goto('/channelsList');
    await expect(heading(tab), 'another tab').toHaveText(expected);
    const later = await open(null, '/channelsList', { context: { storageState } });
    await expect(heading(later), 'another day').toHaveText(expected);
  }
});

test('a token that is not valid empties both storages and leads to sign in; choices of the device stay', async ({
  open,
}) => {
  // The page asks for the list together with the check of the session.
  const page = await open(null, '/signin', { expectedErrors: /401 \(Unauthorized\)/u });
  await page.getByRole('button', { name: 'Français' }).click();
  for (const kept of ['session', 'local'] as const) {
    await page.evaluate((where) => {
      (where === 'session' ? sessionStorage : localStorage).setItem('TOKEN_KEY', 'not-a-token');
      for (const key of ['id', 'email', 'firstName', 'channelId', 'data']) localStorage.setItem(key, 'x');
      sessionStorage.setItem('data', 'x');
    }, kept);
    await page.goto('/channelsList');
    await expect(heading(page)).toHaveText(say('auth.signIn.title'));
    await expect(page.getByText(say('auth.signIn.expired'))).toBeVisible();
    expect(await storages(page)).toEqual({ local: { language: '"fr"' }, session: {} });
  }
});

test('sessions ended by an administrator lead to sign in at once, and back to where one was', async ({
  world,
  open,
}) => {
  const { api, admin } = world;
  const who = await api.person('Fin', admin.token);
  const { rtcSession, name } = await api.channel(admin, 'Fin de service', [who]);
  for (const [path, title] of [
    ['/channelsList?q=fin', say('channels.title')],
    [roomPath(rtcSession), name],
  ] as const) {
    const page = await open(null, '/signin', { expectedErrors: /status of 401/u });
    await signIn(page, say, who.email, PASSWORD, true);
    await expect(heading(page)).toHaveText(say('channels.title'));
    await page.goto(path);
    await expect(heading(page)).toHaveText(title);
    if (path.startsWith('/groupCallView')) await expect(page.locator('[data-talk-button]')).toBeVisible();
    // The page's socket must be up: it brings the news.
    await expect(page.locator('[data-link-lost]')).toHaveCount(0);
    await api.call(deleteUserTokens, { userId: who.id }, admin.token);
    await expect(page).toHaveURL(/\/signin\?next=/u);
    await expect(page.getByText(say('auth.signIn.expired'))).toBeVisible();
    expect((await storages(page)).session).toEqual({});
    await signIn(page, say, who.email, PASSWORD);
    await expect(heading(page)).toHaveText(title);
    expect(page.url()).toContain(path);
  }
});

test('after sign-in one comes to the page asked for, and never to another site', async ({ world, open }) => {
  const { admin } = world;
  const page = await open(null, '/notFound');
  for (const [next, address] of [
    ['/usersList?q=zz', /\/usersList\?q=zz$/u],
    ['//evil.example', /\/channelsList$/u],
    ['/\\evil.example/x', /\/channelsList$/u],
    ['https://evil.example/', /\/channelsList$/u],
    ['/%2F/evil.example', /^http:\/\/127\.0\.0\.1/u],
    ['/signin', /\/channelsList$/u],
  ] as const) {
    await page.evaluate(() => {
      sessionStorage.clear();
      localStorage.clear();
    });
    await page.goto(`/signin?next=${encodeURIComponent(next)}`);
    await signIn(page, say, admin.email, PASSWORD);
    await expect(page, next).toHaveURL(address);
    await expect(heading(page)).toBeVisible();
    expect(new URL(page.url()).origin, next).toBe(world.server.origin);
    await page.goBack();
    await expect(page.getByRole('button', { name: say('auth.signIn.submit') }), 'back is no form').toHaveCount(0);
    // This page asks the server for nothing, so the next round can take its token away.
    await page.goto('/notFound');
  }
});
