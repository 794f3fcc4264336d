import { randomUUID } from 'node:crypto';
import type { BrowserContext, Page } from '@playwright/test';
import { getMissedCalls } from '@pressel/contract/calls';
import { MISSED_CALLS_LISTED } from '@pressel/contract/limits';
import { updateUserPosition } from '@pressel/contract/positions';
import {
  channelsPath,
  expect,
  expectHeard,
  expectReady,
  expectSilence,
  release,
  roomPath,
  talk,
  talkButton,
  test,
} from '../fixtures.ts';
import { expectAccessible } from '../harness/accessible.ts';
import { marker } from '../harness/map.ts';
import { askedDevices, videoTraffic } from '../harness/page-video.ts';
import { foreignWordsIn, shownText } from '../harness/shown-text.ts';
import { sayIn } from '../harness/words.ts';

const say = sayIn('fr');
const PHONE = { width: 390, height: 844 };
const LONG_NAME = 'Anne-Marie-Christiane-Bernadette de la Tour-Montmorency-Luxembourg';

const panelOf = (page: Page, name: string) => page.getByRole('dialog', { name: say('calls.title', { name }) });
const press = (page: Page, name: string, act: string) =>
  panelOf(page, name)
    .getByRole('button', { name: say(`calls.${act}`), exact: true })
    .click();

/** Calls somebody from the list of members beside the room. */
const callMember = (page: Page, name: string) =>
  page
    .getByRole('tabpanel')
    .getByRole('button', { name: say('calls.start', { name }) })
    .click();

test('[RING6] [RING7] [RING9] a call is rejected with a reason, taken and heard both ways, muted, hung up; another is missed', async ({
  world,
  open,
}) => {
  const { api, admin } = world;
  const lea = await api.person('Léa', admin.token);
  const { rtcSession, name: channel } = await api.channel(admin, 'Appels', [lea]);
  const radio = await open(lea, channelsPath(channel), { voice: 'down', context: { viewport: PHONE } });
  const desk = await open(admin, `${roomPath(rtcSession)}?panel=members`, {
    context: { viewport: { width: 1600, height: 900 } },
  });
  await expectReady(desk, 1);
  const foreign = foreignWordsIn('fr', [lea.name, admin.name, LONG_NAME, channel, 'fake_device_0']);
  const look = async (page: Page, where: string) => {
    await expectAccessible(page, where);
    expect(foreign(await shownText(page)), where).toEqual([]);
  };

  await callMember(desk, lea.name);
  await expect(panelOf(desk, lea.name)).toContainText(say('calls.outgoing'));
  const ringing = say('calls.incoming', { name: admin.name });
  await expect(panelOf(radio, admin.name)).toContainText(ringing);
  await expect(radio).toHaveTitle(`${ringing} · Pressel`);
  const width = await radio.evaluate(() => document.documentElement.scrollWidth);
  expect(width, 'nothing is wider than the page').toBeLessThanOrEqual(PHONE.width);
  await look(radio, 'it rings');
  await press(radio, admin.name, 'reason.call_back');
  await expect(panelOf(radio, admin.name)).toHaveCount(0);
  await expect(panelOf(desk, lea.name)).toContainText(say('calls.rejected.call_back'));
  await look(desk, 'rejected');

  await press(desk, lea.name, 'again');
  await press(radio, admin.name, 'accept');
  await expect(panelOf(desk, lea.name)).toContainText(say('calls.inCall'));
  await Promise.all([expectHeard(desk, 'down', 400), expectHeard(radio, 'up', 400)]);
  await press(desk, lea.name, 'mute');
  await expectSilence(radio);
  await look(desk, 'a call, muted');
  await expectHeard(desk, 'down', 400);
  // The focus is in the panel: there Space presses its button, and elsewhere it talks to the room [TALK123].
  await desk.keyboard.press('Space');
  await expectHeard(radio, 'up', 400);
  await desk.keyboard.press('Space');
  await expectSilence(radio);
  await panelOf(desk, lea.name).focus();
  await desk.keyboard.down('Space');
  await expect(talkButton(desk)).toHaveAttribute('data-state', 'talking');
  await desk.keyboard.up('Space');
  await expect(talkButton(desk)).toHaveAttribute('data-state', 'idle');
  // The room goes on beside it.
  await talk(desk);
  await release(desk);
  await press(radio, admin.name, 'hangUp');
  await expect(panelOf(radio, admin.name)).toHaveCount(0);
  await expect(panelOf(desk, lea.name)).toContainText(say('calls.end.hung_up'));
  await expectSilence(desk);

  // There are more of them than the screen has room for, from somebody with a long name.
  await radio.route(`**${getMissedCalls.path}`, async (route) => {
    const reply = getMissedCalls.reply.parse(await (await route.fetch()).json());
    const more = Array.from({ length: MISSED_CALLS_LISTED - 1 }, () => ({
      ...{ id: randomUUID(), caller: { id: null, display_name: LONG_NAME } },
      createdAt: new Date().toISOString(),
    }));
    await route.fulfill({ json: { ...reply, res: [...reply.res, ...more] } });
  });
  // This time the call starts from the callee's place on the map.
  await press(desk, lea.name, 'dismiss');
  await api.call(updateUserPosition, { lat: 48.85, lng: 2.35 }, lea.token);
  await marker(desk, lea.id).click();
  await desk
    .getByRole('region', { name: say('positions.card.label', { name: lea.name }) })
    .getByRole('button', { name: say('calls.start', { name: lea.name }) })
    .click();
  await expect(panelOf(radio, admin.name)).toBeVisible();
  await press(desk, lea.name, 'giveUp');
  await expect(panelOf(radio, admin.name)).toHaveCount(0);
  const badge = radio.locator('[data-missed-calls]');
  await expect(badge).toHaveText('1');
  await radio.getByRole('button', { name: say('calls.missed.label_one', { count: 1 }) }).click();
  await expect(radio.getByRole('menuitem', { name: admin.name }).first()).toBeVisible();
  await look(radio, 'missed calls');
  const last = radio.getByRole('menuitem', { name: LONG_NAME }).last();
  await last.scrollIntoViewIfNeeded();
  await expect(last.locator('bdi')).toBeInViewport();
  const [menu, item] = [await radio.getByRole('menu').boundingBox(), await last.boundingBox()];
  const bottom = (box: typeof menu) => (box?.y ?? Number.NaN) + (box?.height ?? 0);
  expect(bottom(menu), 'the menu ends on the screen').toBeLessThanOrEqual(PHONE.height);
  expect(bottom(item), 'and what is in it can be scrolled to').toBeLessThanOrEqual(bottom(menu));
  const name = last.locator('span:has(> bdi)');
  expect((await name.boundingBox())?.width, 'no name is wider').toBeLessThan(menu?.width ?? 0);
  await radio.keyboard.press('Escape');
  await expect(badge).toHaveCount(0);
  // Waits for the handlers of the routes, because the list is read once more.
  await radio.unrouteAll({ behavior: 'wait' });
});

/**
 * Counts how often the app asked for the microphone, and how many audio contexts it made: those of the tests' ear have a rate of their own.
 */
async function countDevices(context: BrowserContext): Promise<void> {
  await context.addInitScript(() => {
    const made: AudioContextOptions[] = [];
    const Original = window.AudioContext;
    window.AudioContext = class extends Original {
      constructor(options: AudioContextOptions = {}) {
        super(options);
        if (options.sampleRate === undefined || 'sinkId' in options) made.push(options);
      }
    };
    Object.assign(window, { contextsMade: () => made.length });
  });
}
const devicesOf = (page: Page) =>
  page.evaluate(() => {
    const { pageAudio, contextsMade } = window as unknown as PageCounts;
    return { asked: pageAudio.asked, contexts: contextsMade() };
  });
interface PageCounts {
  pageAudio: { asked: readonly string[] };
  contextsMade(): number;
}

/** Counts how often the server said that a page may go on with its call. */
function countResumes(page: Page): () => number {
  let count = 0;
  page.on('websocket', (socket) => {
    let asked: string | undefined;
    socket.on('framesent', ({ payload }) => {
      asked = /^42(\d+)\["call_resume"/u.exec(String(payload))?.[1] ?? asked;
    });
    socket.on('framereceived', ({ payload }) => {
      if (asked !== undefined && String(payload).startsWith(`43${asked}[{"ok":true`)) count += 1;
    });
  });
  return () => count;
}

test('[RING8] a call goes on while a link is lost and while the server is started again: heard all the time, and hung up after it', async ({
  world,
  open,
}) => {
  const { api, admin, server } = world;
  const lea = await api.person('Léa', admin.token);
  const { rtcSession, name: channel } = await api.channel(admin, 'Relève', [lea]);
  // Pages may ask for something at the very moment in which the server stops.
  const cut = { expectedErrors: /503 / } as const;
  const radio = await open(lea, channelsPath(channel), { ...cut, voice: 'down', context: { viewport: PHONE } });
  const desk = await open(admin, `${roomPath(rtcSession)}?panel=members`, {
    ...cut,
    context: { viewport: { width: 1600, height: 900 } },
  });
  const resumes = [countResumes(radio), countResumes(desk)];
  const expectResumed = (times: number[]) => expect.poll(() => resumes.map((count) => count())).toEqual(times);
  const bothHeard = () => Promise.all([expectHeard(desk, 'down', 400), expectHeard(radio, 'up', 400)]);
  await expectReady(desk, 1);
  await callMember(desk, lea.name);
  await press(radio, admin.name, 'accept');
  await bothHeard();

  await radio.context().setOffline(true);
  await expect(radio.locator('[data-link-lost]')).toBeVisible();
  await bothHeard();
  await radio.context().setOffline(false);
  await expectResumed([1, 0]);

  await server.stop('SIGKILL');
  // The pages wait for 20 s, and recognising voices takes time: the server starts meanwhile.
  await Promise.all([bothHeard(), server.start()]);
  await expectResumed([2, 1]);
  await bothHeard();
  await expect(panelOf(desk, lea.name)).toContainText(say('calls.inCall'));
  await press(radio, admin.name, 'hangUp');
  await expect(panelOf(desk, lea.name)).toContainText(say('calls.end.hung_up'));
  await expectSilence(desk);
});

test('[RING15] [TALK142] a call and a room that is entered during it share one microphone and one set of audio contexts', async ({
  world,
  open,
}) => {
  const { api, admin } = world;
  const lea = await api.person('Léa', admin.token);
  const { rtcSession, name: channel } = await api.channel(admin, 'Ensemble', [lea]);
  const wide = { viewport: { width: 1600, height: 900 } };
  const radio = await open(lea, channelsPath(channel), { voice: 'down', context: wide, prepare: countDevices });
  const desk = await open(admin, `${roomPath(rtcSession)}?panel=members`, { context: wide });
  await expectReady(desk, 1);
  await callMember(desk, lea.name);
  await press(radio, admin.name, 'accept');
  await Promise.all([expectHeard(desk, 'down', 400), expectHeard(radio, 'up', 400)]);

  await radio.getByRole('link', { name: say('channels.enter', { name: channel }) }).click();
  await expectReady(radio, 2);
  await Promise.all([expectHeard(desk, 'down', 400), expectHeard(radio, 'up', 400)]);
  // Somebody who is muted in the call still talks to the room, and to nobody else.
  await press(radio, admin.name, 'mute');
  await expectSilence(desk);
  await talk(radio, () => expectHeard(desk, 'down', 400));
  await release(radio);
  await expectSilence(desk);
  await press(desk, lea.name, 'hangUp');
  await expect(panelOf(radio, admin.name)).toContainText(say('calls.end.hung_up'));
  await talk(desk, () => expectHeard(radio, 'up', 400));
  await release(desk);
  expect(await devicesOf(radio)).toEqual({ asked: ['audio'], contexts: 2 });
});

test('[RING16] in a call one turns the camera on, then shares a screen: the other one sees it move, and it ends with the call', async ({
  world,
  open,
}) => {
  const { api, admin } = world;
  const lea = await api.person('Léa', admin.token);
  const { rtcSession, name: channel } = await api.channel(admin, 'Images', [lea]);
  const permissions = ['microphone', 'camera'];
  const radio = await open(lea, channelsPath(channel), { voice: 'down', context: { viewport: PHONE, permissions } });
  const desk = await open(admin, `${roomPath(rtcSession)}?panel=members`, {
    context: { viewport: { width: 1600, height: 900 }, permissions },
  });
  await expectReady(desk, 1);
  await callMember(desk, lea.name);
  await press(radio, admin.name, 'accept');
  await expect(panelOf(desk, lea.name)).toContainText(say('calls.inCall'));
  expect(await askedDevices(radio), 'nobody’s camera opens because somebody rang').toEqual(['audio']);
  await expect(panelOf(radio, admin.name).locator('video')).toHaveCount(0);

  const theirs = (shows: 'camera' | 'screen') =>
    panelOf(radio, admin.name).getByLabel(say(`calls.theirs.${shows}`, { name: admin.name }));
  const expectMoving = async () => {
    const { framesDecoded } = await videoTraffic(radio);
    await expect.poll(async () => (await videoTraffic(radio)).framesDecoded).toBeGreaterThan(framesDecoded + 5);
  };
  await press(desk, lea.name, 'camera');
  await expect(theirs('camera')).toBeVisible();
  await expectMoving();
  await expect(panelOf(desk, lea.name).getByLabel(say('calls.own.camera'))).toBeVisible();
  await Promise.all([expectHeard(desk, 'down', 400), expectHeard(radio, 'up', 400)]);
  await press(radio, admin.name, 'camera');
  await expect(panelOf(desk, lea.name).locator('video')).toHaveCount(2);
  await expectAccessible(radio, 'both cameras, on a phone');

  await press(desk, lea.name, 'screen');
  await expect(theirs('screen')).toBeVisible();
  await expectMoving();
  await expect(panelOf(desk, lea.name)).toContainText(say('callParts.sharing'));
  await expectAccessible(desk, 'a shared screen');
  const own = await panelOf(desk, lea.name)
    .getByLabel(say('calls.own.screen'))
    .evaluateHandle((video: HTMLVideoElement) => video.srcObject);
  await press(radio, admin.name, 'hangUp');
  await expect(panelOf(desk, lea.name)).toContainText(say('calls.end.hung_up'));
  await expect(desk.locator('video')).toHaveCount(0);
  expect(
    await own.evaluate((stream) => (stream as MediaStream).getTracks().map(({ readyState }) => readyState)),
    'what was shown is let go',
  ).toEqual(['ended']);
});
