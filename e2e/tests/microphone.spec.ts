import { type Browser, chromium, type Page } from '@playwright/test';
import {
  test as base,
  expect,
  expectHeard,
  expectReady,
  expectSilence,
  press,
  release,
  roomPath,
  talkButton,
} from '../fixtures.ts';
import type { Person } from '../harness/api.ts';
import { launchOptions } from '../harness/browser.ts';
import { giveVoiceAndEar, makeUnpluggable, setSounding } from '../harness/page-audio.ts';
import { sayIn } from '../harness/words.ts';

// A trace or a picture looks into the page as if a user did, which is the gesture that one of these tests must do
// without.
base.use({ trace: 'off', screenshot: 'off' });

const say = sayIn('fr');

/** Starts Chromium without some of its flags, closed after the test. */
type Launch = (without: readonly string[]) => Promise<Browser>;

const test = base.extend<{ launch: Launch }>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the fixture's needs from a destructured argument
  launch: async ({}, use) => {
    const browsers: Browser[] = [];
    await use(async (without) => {
      const args = launchOptions.args.filter((arg) => !without.some((part) => arg.includes(part)));
      const browser = await chromium.launch({ ...launchOptions, args });
      browsers.push(browser);
      return browser;
    });
    await Promise.all(browsers.map((browser) => browser.close()));
  },
});

/** The page's own sound, as these tests can see it. */
interface PageSound {
  played: HTMLMediaElement[];
  contexts: AudioContext[];
  /** Contexts that ran until the page put them to sleep, as it does with one that nothing needs for 3 s. */
  asleep: Set<AudioContext>;
}

/**
 * A page with the browser's own microphone, and the tests' ear; errors of the page still fail the test. `isSoundFirst`: the microphone
 * comes after sound was held back, because with a microphone on the browser allows any sound.
 */
async function openPlain(
  browser: Browser,
  origin: string,
  person: Person,
  path: string,
  allowed: string[],
  isSoundFirst = false,
) {
  const context = await browser.newContext({ baseURL: origin, locale: 'fr-FR', bypassCSP: true, permissions: allowed });
  let refusals = 0;
  await context.exposeFunction('heldBack', () => {
    refusals += 1;
  });
  await context.addInitScript((token) => {
    sessionStorage.setItem('TOKEN_KEY', token);
    const { heldBack: tell } = window as unknown as { heldBack: () => void };
    const { promise: silenced, resolve } = Promise.withResolvers<void>();
    const heldBack = () => {
      resolve();
      tell();
    };
    const { play } = HTMLMediaElement.prototype;
    const sound: PageSound = { played: [], contexts: [], asleep: new Set() };
    HTMLMediaElement.prototype.play = function () {
      sound.played.push(this);
      const playing = play.call(this);
      playing.catch(() => heldBack());
      return playing;
    };
    const Original = window.AudioContext;
    window.AudioContext = class extends Original {
      constructor(options?: AudioContextOptions) {
        super(options);
        // A context without an output measures the page's own level: it sleeps until it is read.
        if (options !== undefined && 'sinkId' in options) return;
        sound.contexts.push(this);
        setTimeout(() => {
          if (this.state !== 'running') heldBack();
        }, 1_000);
      }
      override suspend(): Promise<void> {
        if (this.state === 'running') sound.asleep.add(this);
        return super.suspend();
      }
      override resume(): Promise<void> {
        sound.asleep.delete(this);
        return super.resume();
      }
    };
    const { getUserMedia } = navigator.mediaDevices;
    Object.assign(window, { sound, getUserMedia, silenced });
  }, person.token);
  await giveVoiceAndEar(context, 'up');
  await context.addInitScript((waits) => {
    const { getUserMedia, silenced } = window as unknown as MediaDevices & { silenced: Promise<void> };
    navigator.mediaDevices.getUserMedia = async (asked) => {
      if (waits) await silenced;
      return getUserMedia.call(navigator.mediaDevices, asked);
    };
  }, isSoundFirst);
  const page = await context.newPage();
  const errors: string[] = [];
  page.on('pageerror', (error) => errors.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error') errors.push(message.text());
  });
  await page.goto(path);
  return { context, page, errors, refusals: () => refusals };
}

/** Expects that the page hears the other's talk. */
async function expectListens(page: Page, other: Page): Promise<void> {
  await expect(page.locator('[data-tile][data-presence=connected]:not([data-self])')).toHaveCount(1);
  await press(other);
  await expect(page.locator('[data-tile][data-presence=talking]')).toHaveCount(1);
  await expectHeard(page, 'down', 300);
  await release(other);
  await expect(page.locator('[data-tile][data-presence=talking]')).toHaveCount(0);
}

test('no microphone allowed: it is said, one still listens, and a yes is taken up', async ({ world, open, launch }) => {
  const { api, admin, server } = world;
  const people = [await api.person('Refus', admin.token), await api.person('Oriane', admin.token)] as const;
  const { rtcSession } = await api.channel(admin, 'Sans micro', people);
  const other = await open(people[1], roomPath(rtcSession), { voice: 'down' });
  const browser = await launch(['use-fake-ui-for-media-stream']);
  const { context, page, errors } = await openPlain(browser, server.origin, people[0], roomPath(rtcSession), []);
  const notice = page.getByRole('alert').filter({ hasText: say('voice.notice.refused') });
  await expect(notice).toContainText(say('voice.notice.refusedMore'));
  await expect(notice).toContainText(say('voice.notice.listening'));
  await expect(talkButton(page)).toContainText(say('voice.talk.no_microphone'));
  await expect(page.getByText(say('voice.detail.no_microphone'))).toBeVisible();
  await expectListens(page, other);

  await notice.getByRole('button', { name: say('voice.notice.retry') }).click();
  await expect(notice, 'still refused').toBeVisible();
  await context.grantPermissions(['microphone']);
  await expect(notice).toHaveCount(0);
  await expect(talkButton(page)).toContainText(say('voice.talk.idle'));
  await press(page);
  await expect(talkButton(other)).toContainText('Refus');
  await release(page);
  await expect(talkButton(other)).toContainText(say('voice.talk.idle'));
  expect(errors).toEqual([]);
});

test('no device: it is said, one still listens, and trying again says the same', async ({ world, open, launch }) => {
  const { api, admin, server } = world;
  const people = [await api.person('Sansson', admin.token), await api.person('Paula', admin.token)] as const;
  const { rtcSession } = await api.channel(admin, 'Sans appareil', people);
  const other = await open(people[1], roomPath(rtcSession), { voice: 'down' });
  const browser = await launch(['use-fake-device-for-media-stream']);
  const { page, errors } = await openPlain(browser, server.origin, people[0], roomPath(rtcSession), ['microphone']);
  const notice = page.getByRole('alert').filter({ hasText: say('voice.notice.missing') });
  await expect(notice).toContainText(say('voice.notice.missingMore'));
  await expect(talkButton(page)).toContainText(say('voice.talk.no_microphone'));
  await notice.getByRole('button', { name: say('voice.notice.retry') }).click();
  await expect(notice).toBeVisible();
  await expectListens(page, other);
  await press(page);
  await expect(page.getByText(say('voice.denied.microphone'), { exact: true }), 'a press says why not').toBeVisible();
  await expect(talkButton(other)).toContainText(say('voice.talk.idle'));
  await release(page);
  await expect(talkButton(page)).toContainText(say('voice.talk.no_microphone'));
  expect(errors).toEqual([]);
});

test('unplugged in the middle of a talk: the talk ends, it is said, one listens on, and plugging in heals', async ({
  world,
  open,
}) => {
  const { api, admin } = world;
  const people = [await api.person('Debranche', admin.token), await api.person('Tess', admin.token)] as const;
  const { rtcSession, name } = await api.channel(admin, 'Fil coupé', people);
  const other = await open(people[1], roomPath(rtcSession), { voice: 'down' });
  const page = await open(people[0], `/channelsList?q=${encodeURIComponent(name)}`);
  const plug = await makeUnpluggable(page);
  await page.getByRole('row').filter({ hasText: name }).getByRole('link').click();
  await expectReady(page, 2);
  await expectReady(other, 2);
  const notice = page.getByRole('alert').filter({ hasText: say('voice.notice.unplugged') });

  for (const isHealedBy of ['devicechange', 'button'] as const) {
    await press(page);
    await expectHeard(other, 'up', 300);
    await plug(false);
    await expect(notice).toContainText(say('voice.notice.unpluggedMore'));
    await expect(notice).toContainText(say('voice.notice.listening'));
    await expect(talkButton(other), 'the floor is free at once').toHaveAttribute('data-state', 'idle');
    await release(page);
    await expect(talkButton(page)).toContainText(say('voice.talk.no_microphone'));
    await press(other);
    await expectHeard(page, 'down', 300);
    await release(other);
    await expect(talkButton(other)).toHaveAttribute('data-state', 'idle');
    if (isHealedBy === 'devicechange') await plug(true);
    else {
      await page.evaluate(() => Object.assign(navigator.mediaDevices, { dispatchEvent: () => true }));
      await plug(true);
      await notice.getByRole('button', { name: say('voice.notice.retry') }).click();
    }
    await expect(notice).toHaveCount(0);
    await expect(talkButton(page)).toHaveAttribute('data-state', 'idle');
    await press(page);
    await expectHeard(other, 'up', 300);
    await release(page);
    await expect(talkButton(other)).toHaveAttribute('data-state', 'idle');
  }
});

test.describe('without a gesture', () => {
  for (const allowed of [[], ['microphone']]) {
    const which = allowed.length === 0 ? 'without a microphone' : 'with one';
    test(`the page asks for a touch where the browser holds sound back, and one suffices, ${which}`, async ({
      world,
      open,
      launch,
    }) => {
      const { api, admin, server } = world;
      const people = [
        await api.person(`Muet${allowed.length}`, admin.token),
        await api.person(`Yann${allowed.length}`, admin.token),
      ] as const;
      const { rtcSession } = await api.channel(admin, `Au premier geste ${allowed.length}`, people);
      const other = await open(people[1], roomPath(rtcSession), { voice: 'down' });
      const browser = await launch(['autoplay-policy', 'use-fake-ui-for-media-stream']);
      const { page, errors, refusals } = await openPlain(
        browser,
        server.origin,
        people[0],
        roomPath(rtcSession),
        allowed,
        true,
      );
      // A look at this page counts as a gesture, so the page itself tells when the browser has held sound back.
      await expect.poll(refusals).toBeGreaterThan(0);
      await expectReady(other, 2);
      await expect(page.getByText(say('voice.notice.blocked'))).toBeVisible();
      const unlock = page.getByRole('button', { name: say('voice.notice.unlock') });
      await unlock.click();
      await expect(unlock).toHaveCount(0);
      await expectListens(page, other);
      const silent = () =>
        page.evaluate(() => {
          const { played, contexts, asleep } = (window as unknown as { sound: PageSound }).sound;
          return [
            ...played.filter((one) => one.paused && one.srcObject !== null),
            ...contexts.filter((one) => one.state !== 'running' && !asleep.has(one)),
          ].length;
        });
      await expect.poll(silent, 'all that should sound does').toBe(0);
      expect(errors).toEqual([]);
    });
  }
});

/** Recorded in the page: the copies of the microphone's track, and the players of the test. */
interface TestSounds {
  copies: MediaStreamTrack[];
  played: HTMLMediaElement[];
}

test('[TALK132][TALK133][TALK134] the settings show the level and play back what the microphone hears, to nobody else', async ({
  world,
  open,
}) => {
  const { api, admin } = world;
  const people = [await api.person('Essai', admin.token), await api.person('Temoin', admin.token)] as const;
  const { rtcSession } = await api.channel(admin, 'Micro', people);
  const other = await open(people[1], roomPath(rtcSession), { voice: 'down' });
  const page = await open(people[0], roomPath(rtcSession), {
    voice: 'up',
    prepare: async (context) =>
      void (await context.addInitScript(() => {
        const sounds: TestSounds = { copies: [], played: [] };
        const { clone } = MediaStreamTrack.prototype;
        MediaStreamTrack.prototype.clone = function () {
          const copy = clone.call(this);
          sounds.copies.push(copy);
          return copy;
        };
        const { play } = HTMLMediaElement.prototype;
        HTMLMediaElement.prototype.play = function () {
          if (this.src.startsWith('blob:')) sounds.played.push(this);
          return play.call(this);
        };
        Object.assign(window, { sounds });
      })),
  });
  await expectReady(page, 2);
  await expectReady(other, 2);
  const settings = page.getByRole('button', { name: say('voice.room.settings') });
  const level = page.getByRole('meter', { name: say('voice.settings.test.level') });
  const status = page
    .getByRole('dialog', { name: say('voice.settings.title') })
    .getByRole('status')
    .first();
  const begin = page.getByRole('button', { name: say('voice.settings.test.start') });
  const openTracks = () =>
    page.evaluate(
      () =>
        (window as unknown as { sounds: TestSounds }).sounds.copies.filter((one) => one.readyState === 'live').length,
    );
  const value = () => level.evaluate((one: HTMLMeterElement) => one.value);
  await settings.click();
  await expect.poll(value, 'the level').toBeGreaterThan(0.5);
  expect(await openTracks()).toBe(1);

  await begin.click();
  await expect(status).toHaveText(say('voice.settings.test.recording'));
  await expect(status).toHaveText(say('voice.settings.test.playing'));
  // The loudspeaker gets the sweep of the microphone, as loud as a voice.
  const loudest = page.evaluate(async () => {
    const element = (window as unknown as { sounds: TestSounds }).sounds.played.at(-1) as HTMLAudioElement & {
      captureStream(): MediaStream;
    };
    const context = new AudioContext();
    const analyser = new AnalyserNode(context, { fftSize: 4096 });
    const mediaStream = element.captureStream();
    // The page says that it plays before the element has read what it plays.
    if (mediaStream.getAudioTracks().length === 0)
      await new Promise((resolve) => mediaStream.addEventListener('addtrack', resolve, { once: true }));
    new MediaStreamAudioSourceNode(context, { mediaStream }).connect(analyser);
    const samples = new Float32Array(analyser.fftSize);
    let most = 0;
    while (!element.ended && !element.paused && most < 0.05) {
      await new Promise(requestAnimationFrame);
      analyser.getFloatTimeDomainData(samples);
      most = Math.max(most, Math.hypot(...samples) / Math.sqrt(samples.length));
    }
    await context.close();
    return most;
  });
  expect(await loudest, 'rms of what is played').toBeGreaterThan(0.05);
  await page.getByRole('button', { name: say('voice.settings.test.stop') }).click();
  await expect(status).toHaveText(say('voice.settings.test.played'));
  await expect(talkButton(other)).toHaveAttribute('data-state', 'idle');
  await expectSilence(other);

  await setSounding(page, false);
  await expect.poll(value, 'the level of silence').toBe(0);
  await begin.click();
  await page.getByRole('button', { name: say('voice.settings.test.playBack') }).click();
  await expect(status).toHaveText(say('voice.settings.test.silent'));
  await setSounding(page, true);
  await page.keyboard.press('Escape');
  await expect(level).toHaveCount(0);
  expect(await openTracks()).toBe(0);

  // The room goes on as ever.
  await press(page);
  await expectHeard(other, 'up', 300);
  await release(page);
});
