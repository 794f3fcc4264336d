import type { Page } from '@playwright/test';
import { expect, expectReady, roomPath, test } from '../fixtures.ts';
import { sayIn } from '../harness/words.ts';

const say = sayIn('de');

/** Keeps back the app's own code: what stands until then is the page as it was sent. */
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
