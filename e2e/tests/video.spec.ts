import type { Page } from '@playwright/test';
import { expect, expectReady, test } from '../fixtures.ts';
import { videoTraffic } from '../harness/page-video.ts';

const joinPath = (rtcSession: string) => `/join/${encodeURIComponent(rtcSession)}`;
const withCamera = { context: { permissions: ['microphone', 'camera'], viewport: { width: 1280, height: 800 } } };
const pictures = (page: Page) => page.locator('li [data-tile] video');

/** Waits until a picture of somebody else is decoded and drawn, and goes on being so. */
async function expectMoving(page: Page): Promise<void> {
  await expect(pictures(page)).toHaveCount(1);
  await expect.poll(() => pictures(page).evaluate((video: HTMLVideoElement) => video.videoWidth)).toBeGreaterThan(0);
  const { framesDecoded } = await videoTraffic(page);
  await expect.poll(async () => (await videoTraffic(page)).framesDecoded).toBeGreaterThan(framesDecoded + 5);
}

test('who joins by video is seen by who did before, and sees them', async ({ world, open }) => {
  const { api, admin } = world;
  const ida = await api.person('Ida', admin.token);
  const { rtcSession } = await api.channel(admin, 'Images', [ida]);
  const one = await open(admin, joinPath(rtcSession), withCamera);
  const two = await open(ida, joinPath(rtcSession), withCamera);
  await expectReady(one, 2);
  await expectReady(two, 2);
  await expectMoving(one);
  await expectMoving(two);
});
