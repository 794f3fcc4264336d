import type { Page } from '@playwright/test';
import { expect, expectReady, roomPath, test } from '../fixtures.ts';
import { expectAccessible } from '../harness/accessible.ts';
import { sayIn } from '../harness/words.ts';

const say = sayIn('de');

/** Keeps back the app's own code: until it comes, the page stands as the server sent it. */
async function holdCode(page: Page): Promise<() => Promise<void>> {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  await page.route('**/assets/app-*.js', async (route) => {
    await released;
    await route.continue();
  });
  return async () => release();
}

test('while the code is on its way the page says where one is, in one’s own language, and gives way to the app', async ({
  world,
  open,
}) => {
  const { api, admin } = world;
  const { rtcSession } = await api.channel(admin, 'Quart');
  const page = await open(admin, '/channelsList', { language: 'de' });
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(say('channels.title'));
  const frame = page.locator('#frame');
  await expect(frame).toHaveCount(0);

  const release = await holdCode(page);
  await page.goto('/usersList', { waitUntil: 'commit' });
  await expect(frame.getByText(say('users.title'), { exact: true }).filter({ visible: true })).toBeVisible();
  await release();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(say('users.title'));
  await expect(frame).toHaveCount(0);

  const releaseRoom = await holdCode(page);
  await page.goto(roomPath(rtcSession), { waitUntil: 'commit' });
  await expect(frame.getByText(say('voice.talk.joining')).filter({ visible: true })).toBeVisible();
  await expect(frame.getByText(say('guests.entry.microphone'))).toBeVisible();
  await releaseRoom();
  await expectReady(page, 1);
  await expect(frame).toHaveCount(0);
});

test('[APP12] old browsers and those without scripts get a plain page that says so, and nothing of the app', async ({
  open,
}) => {
  // The page has the policy that a server sends: the script that tells them stands in the page.
  const policy = { bypassCSP: false };
  const asked: string[] = [];
  const old = await open(null, '/signin', {
    language: 'de',
    colorScheme: 'dark',
    context: policy,
    prepare: async (context) => {
      await context.addInitScript(() => Reflect.deleteProperty(URL, 'canParse'));
      context.on('request', (request) => {
        if (request.resourceType() === 'fetch') asked.push(request.url());
      });
    },
  });
  const title = old.getByRole('heading', { level: 1 });
  await expect(title).toHaveText(say('app.oldBrowser.title'));
  await expect(old.getByText(/Chrome oder Edge 120, Firefox 140, Safari 17\.4/u)).toBeVisible();
  await expect(old.locator('html')).toHaveAttribute('lang', 'de');
  await expectAccessible(old, 'the page for old browsers');
  await old.waitForLoadState('networkidle');
  await expect(title).toHaveText(say('app.oldBrowser.title'));
  expect(asked, 'the app asks the server for nothing').toEqual([]);

  const without = await open(null, '/signin', { context: { ...policy, javaScriptEnabled: false } });
  // Playwright never looks for text there, so this doesn't find them by their text.
  for (const language of ['fr', 'en', 'de'] as const)
    await expect(without.locator(`noscript [lang=${language}]`)).toBeInViewport();
});
