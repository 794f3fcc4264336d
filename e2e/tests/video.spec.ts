import type { BrowserContext, Page } from '@playwright/test';
import {
  expect,
  expectHeard,
  expectReady,
  expectSilence,
  type OpenOptions,
  roomPath,
  talkButton,
  test,
} from '../fixtures.ts';
import { expectAccessible } from '../harness/accessible.ts';
import { askedDevices, videoTraffic } from '../harness/page-video.ts';
import { foreignWordsIn, shownText } from '../harness/shown-text.ts';
import { LANGUAGES, type Language, sayIn } from '../harness/words.ts';

const say = sayIn('fr');
const joinPath = (rtcSession: string) => `/join/${encodeURIComponent(rtcSession)}`;
const withCamera = (width = 1280, height = 800): OpenOptions => ({
  context: { permissions: ['microphone', 'camera'], viewport: { width, height } },
});
/** The tiles of the others. */
const peers = (page: Page) => page.locator('li [data-tile]');
const preview = (page: Page) => page.locator('[data-tile][data-self]');
const control = (page: Page, which: 'microphone' | 'camera' | 'screen', language: Language = 'fr') =>
  page.getByRole('button', { name: sayIn(language)(`video.controls.${which}`), exact: true });

/** Waits until the only picture of somebody else is drawn, and goes on being decoded. */
async function expectMoving(page: Page): Promise<void> {
  const picture = peers(page).locator('video');
  await expect(picture).toHaveCount(1);
  await expect.poll(() => picture.evaluate((video: HTMLVideoElement) => video.videoWidth)).toBeGreaterThan(0);
  const { framesDecoded } = await videoTraffic(page);
  await expect.poll(async () => (await videoTraffic(page)).framesDecoded).toBeGreaterThan(framesDecoded + 5);
}

test('[VID5] [VID6] two see each other; a camera that is off is stopped, and an avatar stands for it', async ({
  world,
  open,
}) => {
  const { api, admin } = world;
  const ida = await api.person('Ida', admin.token);
  const { rtcSession } = await api.channel(admin, 'Images', [ida]);
  const one = await open(admin, joinPath(rtcSession), withCamera());
  const two = await open(ida, joinPath(rtcSession), withCamera());
  await expectReady(one, 2);
  await expectReady(two, 2);
  await expectMoving(one);
  await expectMoving(two);
  await expect(preview(one).locator('video')).toHaveCount(1);

  const own = await preview(one)
    .locator('video')
    .evaluateHandle((video: HTMLVideoElement) => video.srcObject);
  await control(one, 'camera').click();
  await expect(peers(two)).toHaveAttribute('data-video', 'off');
  await expect(peers(two).locator('video')).toHaveCount(0);
  await expect(preview(one)).toContainText(say('video.preview.off'));
  expect(
    await own.evaluate((stream) => (stream as MediaStream).getTracks().map(({ readyState }) => readyState)),
  ).toEqual(['ended']);
  // The other one's picture goes on, and the choice is remembered.
  await expectMoving(one);
  await one.reload();
  await expectReady(one, 2);
  await expect(preview(one)).toContainText(say('video.preview.off'));
  expect(await askedDevices(one)).toEqual(['audio']);
  await control(one, 'camera').click();
  await expect(peers(two)).toHaveAttribute('data-video', 'camera');
  await expectMoving(two);
});

test('[VID2] [VID10] the radio hears by the floor who joined by video, and has nothing of their pictures', async ({
  world,
  open,
}) => {
  const { api, admin } = world;
  const [ida, uli] = [await api.person('Ida', admin.token), await api.person('Uli', admin.token)];
  const { rtcSession } = await api.channel(admin, 'Mixte', [ida, uli]);
  // This one comes before those with pictures: a newcomer makes the offers.
  const radio = await open(ida, roomPath(rtcSession), { context: { permissions: ['microphone', 'camera'] } });
  const one = await open(admin, joinPath(rtcSession), withCamera());
  const two = await open(uli, joinPath(rtcSession), { voice: 'down', ...withCamera() });
  for (const page of [radio, one, two]) await expectReady(page, 3);
  await expectMoving(two);

  await expectSilence(radio);
  await control(one, 'microphone').click();
  await expect(control(one, 'microphone')).toHaveAttribute('aria-pressed', 'true');
  await expectHeard(radio, 'up', 500);
  await expectHeard(two, 'up', 300);
  await expect(talkButton(radio)).toContainText('Camille');
  await control(one, 'microphone').click();
  await expect(control(one, 'microphone')).toHaveAttribute('aria-pressed', 'false');
  await expect(talkButton(radio)).toHaveAttribute('data-state', 'idle');
  await expectSilence(radio);

  await expect(peers(one).filter({ hasText: 'Ida' })).toContainText(say('video.tile.radio'));
  expect(await videoTraffic(radio)).toEqual({ framesDecoded: 0, packetsReceived: 0, packetsSent: 0, lines: 0 });
  expect((await videoTraffic(one)).lines, 'of its two links').toBe(1);
  expect(await askedDevices(radio)).toEqual(['audio']);
  await expect(radio.locator('video')).toHaveCount(0);
});

test('[VID8] a shared screen is shown whole to the others, and gives way to the camera again', async ({
  world,
  open,
}) => {
  const { api, admin } = world;
  const ida = await api.person('Ida', admin.token);
  const { rtcSession } = await api.channel(admin, 'Écran', [ida]);
  const one = await open(admin, joinPath(rtcSession), withCamera());
  const two = await open(ida, joinPath(rtcSession), withCamera());
  await expectReady(one, 2);
  await expectReady(two, 2);
  await expectMoving(two);
  await control(one, 'screen').click();
  await expect(one.getByRole('alert')).toContainText(say('video.sharing.title'));
  await expect(peers(two)).toHaveAttribute('data-video', 'screen');
  await expect(peers(two).locator('video')).toHaveCSS('object-fit', 'contain');
  await expectMoving(two);
  await one.getByRole('button', { name: say('video.sharing.stop') }).click();
  await expect(peers(two)).toHaveAttribute('data-video', 'camera');
  await expectMoving(two);

  // The sharing ends by the browser's own bar: the track ends, and nobody pressed anything here.
  await control(one, 'screen').click();
  await expect(peers(two)).toHaveAttribute('data-video', 'screen');
  await preview(one)
    .locator('video')
    .evaluate((video: HTMLVideoElement) => {
      const [track] = (video.srcObject as MediaStream).getTracks();
      track?.stop();
      track?.dispatchEvent(new Event('ended'));
    });
  await expect(peers(two)).toHaveAttribute('data-video', 'camera');
  await expectMoving(two);
});

test('[VID7] without a camera one sees, hears and talks, and is told why', async ({ world, open }) => {
  const { api, admin } = world;
  const ida = await api.person('Ida', admin.token);
  const { rtcSession } = await api.channel(admin, 'Sans image', [ida]);
  const refuseCamera = async (context: BrowserContext) => {
    await context.addInitScript(() => {
      const { mediaDevices } = navigator;
      const allowed = mediaDevices.getUserMedia;
      const refused: typeof allowed = async (constraints) => {
        if (constraints?.video !== undefined) throw new DOMException('by the test', 'NotAllowedError');
        return allowed.call(mediaDevices, constraints);
      };
      mediaDevices.getUserMedia = refused;
      Object.assign(window, {
        allowCamera() {
          mediaDevices.getUserMedia = allowed;
        },
      });
    });
  };
  const one = await open(admin, joinPath(rtcSession), { ...withCamera(), prepare: refuseCamera });
  const two = await open(ida, joinPath(rtcSession), withCamera());
  await expectReady(one, 2);
  await expectReady(two, 2);
  await expect(one.getByRole('alert')).toContainText(say('video.notice.refused'));
  await expectMoving(one);
  await control(one, 'microphone').click();
  await expectHeard(two, 'up', 300);
  await control(one, 'microphone').click();
  await one.getByRole('button', { name: say('video.notice.goOn') }).click();
  await expect(one.getByRole('alert')).toHaveCount(0);
  await expect(preview(one)).toContainText(say('video.preview.off'));

  await control(one, 'camera').click();
  await expect(one.getByRole('alert')).toContainText(say('video.notice.refused'));
  await one.evaluate(() => (window as unknown as { allowCamera(): void }).allowCamera());
  await one.getByRole('button', { name: say('voice.notice.retry') }).click();
  await expect(one.getByRole('alert')).toHaveCount(0);
  await expectMoving(two);
});

test('[VID11] the own picture covers nobody, however many are there; up to three stand side by side where there is width', async ({
  world,
  open,
  enter,
}) => {
  const { api, admin } = world;
  const people = [];
  for (const name of ['Ida', 'Uli', 'Ola', 'Pia', 'Rio']) people.push(await api.person(name, admin.token));
  const { rtcSession } = await api.channel(admin, 'Mosaïque', people);
  const phone = await open(admin, joinPath(rtcSession), withCamera(390, 844));
  await expect(preview(phone).locator('video')).toHaveCount(1);
  const covered = () =>
    phone.evaluate(() => {
      const own = document.querySelector('[data-tile][data-self]')?.getBoundingClientRect();
      return [...document.querySelectorAll('li [data-tile]')].flatMap((tile) => {
        const { left, right, top, bottom } = tile.getBoundingClientRect();
        const isApart = !own || right <= own.left || left >= own.right || bottom <= own.top || top >= own.bottom;
        // Nothing covers tiles that are scrolled out of the list's own place.
        const list = tile.closest('ul')?.getBoundingClientRect();
        return isApart || (own && list && list.right <= own.left) ? [] : [tile.textContent];
      });
    });
  for (const [index, one] of people.entries()) {
    await enter(one, rtcSession);
    await expect(peers(phone)).toHaveCount(index + 1);
    for (const [width, height] of [
      [844, 390],
      [390, 844],
      [1280, 800],
    ] as const) {
      await phone.setViewportSize({ width, height });
      await expect.poll(covered, `${index + 1} at ${width} px`).toEqual([]);
    }
    const lines = () =>
      peers(phone).evaluateAll((all) => new Set(all.map((one) => one.getBoundingClientRect().top)).size);
    await expect.poll(lines, `${index + 1} at 1280 px`).toBe(index < 3 ? 1 : 4);
    // In a low window the talk button leaves them the height.
    await phone.setViewportSize({ width: 860, height: 500 });
    const lowest = () =>
      peers(phone).evaluateAll((all) => Math.min(...all.map((one) => one.getBoundingClientRect().height)));
    await expect.poll(lowest, `${index + 1} at 860 px`).toBeGreaterThan(80);
    await expect.poll(covered, `${index + 1} at 860 px`).toEqual([]);
  }
});

test('[VID11] the own picture is small, in the lower right corner of the others’ place', async ({ world, open }) => {
  const { api, admin } = world;
  const { rtcSession } = await api.channel(admin, 'Coin');
  const page = await open(admin, joinPath(rtcSession), withCamera());
  await expect(preview(page).locator('video')).toHaveCount(1);
  for (const [width, height] of [
    [1600, 900],
    [360, 740],
  ] as const) {
    await page.setViewportSize({ width, height });
    const corner = () =>
      page.evaluate(() => {
        const tile = document.querySelector('[data-tile][data-self]');
        const [own, stage] = [tile, tile?.parentElement].map((one) => one?.getBoundingClientRect());
        if (!own || !stage) return null;
        return {
          right: innerWidth - own.right,
          below: stage.bottom - own.bottom,
          size: Math.max(own.width, own.height),
        };
      });
    await expect.poll(async () => (await corner())?.right, `${width} px`).toBeLessThanOrEqual(24);
    const { below, size } = (await corner()) ?? {};
    expect(below).toBeLessThanOrEqual(24);
    expect(size).toBeLessThanOrEqual(160);
  }
});

test('the view is in one language, and axe finds nothing in any state of it', async ({ world, open }) => {
  const { api, admin } = world;
  const ida = await api.person('Ida', admin.token);
  const { rtcSession, name } = await api.channel(admin, 'Revue', [ida]);
  const other = await open(ida, joinPath(rtcSession), withCamera());
  const looks = [
    {
      language: 'fr',
      colorScheme: 'light',
      sizes: [
        [1600, 900],
        [390, 844],
      ],
    },
    { language: 'en', colorScheme: 'dark', sizes: [[1280, 800]] },
    { language: 'de', colorScheme: 'dark', sizes: [[360, 740]] },
  ] as const;
  expect(new Set(looks.map(({ language }) => language)).size).toBe(LANGUAGES.length);
  for (const { language, colorScheme, sizes } of looks) {
    const words = sayIn(language);
    const [first] = sizes;
    const page = await open(admin, joinPath(rtcSession), { language, colorScheme, ...withCamera(...first) });
    await expectReady(page, 2);
    await expectMoving(page);
    const foreign = foreignWordsIn(language, [name, admin.name, ida.name, ida.firstName, 'fake_device_0']);
    const look = async (where: string, shown = peers(page)) => {
      for (const [width, height] of sizes) {
        if (sizes.length > 1) await page.setViewportSize({ width, height });
        await expect(shown).toBeVisible();
        await expectAccessible(page, `${where}, ${language}, ${width} px`);
        expect(foreign(await shownText(page)), `${where}, ${width} px`).toEqual([]);
        const scrolled = await page.evaluate(() => document.documentElement.scrollWidth);
        expect(scrolled, `${where}: nothing is wider than the page`).toBeLessThanOrEqual(width);
      }
    };
    await look('both with camera');
    await control(page, 'microphone', language).click();
    await expect(talkButton(page)).toHaveAttribute('data-state', 'talking');
    await look('talking');
    await control(page, 'microphone', language).click();
    await control(page, 'camera', language).click();
    await look('camera off');
    await control(other, 'screen').click();
    await expect(peers(page)).toHaveAttribute('data-video', 'screen');
    await look('a screen');
    await control(other, 'screen').click();
    await page.getByRole('button', { name: words('video.settings.title') }).click();
    await look('settings', page.getByRole('dialog', { name: words('video.settings.title') }));
    await page.close();
    await expectReady(other, 1);
  }
});
