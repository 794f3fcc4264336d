import type { Page } from '@playwright/test';
import {
  channelsPath,
  expect,
  expectHeard,
  expectReady,
  expectSilence,
  heard,
  press,
  release,
  roomPath,
  talkButton,
  test,
  tiles,
} from '../fixtures.ts';
import { expectAccessible } from '../harness/accessible.ts';
import { makeUnpluggable } from '../harness/page-audio.ts';
import { sayIn } from '../harness/words.ts';

const say = sayIn('fr');

const row = (page: Page, name: string) => page.locator('[data-room]').filter({ hasText: name });
const talkIn = (page: Page, name: string) => row(page, name).locator('[data-talk-button]');
const talkToAll = (page: Page) => page.getByRole('region', { name: say('voice.board.group') }).getByRole('button');
const hold = async (page: Page, button = talkToAll(page)) => {
  await button.hover();
  await page.mouse.down();
};

/** Goes to an address as a link does, without loading the page anew. */
const goTo = (page: Page, path: string) =>
  page.evaluate((to) => {
    history.pushState({}, '', to);
    dispatchEvent(new PopStateEvent('popstate', { state: {} }));
  }, path);

/** Audio packets that came to a page so far, played or not. */
const packetsTo = (page: Page): Promise<number> =>
  page.evaluate(async () => {
    const { connections } = (window as unknown as { pageAudio: { connections: RTCPeerConnection[] } }).pageAudio;
    let packets = 0;
    for (const connection of connections.filter(({ connectionState }) => connectionState === 'connected')) {
      for (const stat of (await connection.getStats()).values()) {
        if (stat.type === 'inbound-rtp' && stat.kind === 'audio') packets += stat.packetsReceived;
      }
    }
    return packets;
  });

/** Makes the page list these microphones, each with the voice of the page. Call it before the page asks for one. */
const giveMicrophones = (page: Page, labels: readonly string[]): Promise<void> =>
  page.evaluate((names) => {
    const { mediaDevices } = navigator;
    const open = mediaDevices.getUserMedia.bind(mediaDevices);
    const opened: { label: string; track: MediaStreamTrack }[] = [];
    mediaDevices.enumerateDevices = async () =>
      names.map((label) => ({ kind: 'audioinput', deviceId: label, label, groupId: '' }) as MediaDeviceInfo);
    mediaDevices.getUserMedia = async (constraints) => {
      const wanted = (constraints?.audio as MediaTrackConstraints | undefined)?.deviceId as
        | { exact: string }
        | undefined;
      const label = wanted?.exact ?? (names[0] as string);
      const stream = await open(constraints);
      for (const track of stream.getTracks()) {
        opened.push({ label, track });
        track.getSettings = () => ({ deviceId: label });
      }
      return stream;
    };
    Object.assign(window, { opened });
  }, labels);

/** The microphones that are open, and the one that each connection sends. */
const microphonesOf = (page: Page): Promise<{ open: string[]; sent: (string | undefined)[] }> =>
  page.evaluate(() => {
    const { opened, pageAudio } = window as unknown as {
      opened: { label: string; track: MediaStreamTrack }[];
      pageAudio: { connections: RTCPeerConnection[] };
    };
    const live = pageAudio.connections.filter(({ connectionState }) => connectionState === 'connected');
    const senders = live.flatMap((connection) => connection.getSenders()).filter(({ track }) => track !== null);
    return {
      open: opened.filter(({ track }) => track.readyState === 'live').map(({ label }) => label),
      sent: senders.map((sender) => opened.find(({ track }) => track === sender.track)?.label),
    };
  });

test('[ROOM50] [ROOM51] [TALK144] [TALK145] [TALK146] two rooms at once: both are heard, and one press talks to either or to both', async ({
  world,
  open,
}) => {
  const { api, admin } = world;
  const [lea, tom] = [await api.person('Léa', admin.token), await api.person('Tom', admin.token)];
  const north = await api.channel(admin, 'Tableau nord', [lea]);
  const south = await api.channel(admin, 'Tableau sud', [tom]);
  const inNorth = await open(lea, roomPath(north.rtcSession), { voice: 'up' });
  const inSouth = await open(tom, roomPath(south.rtcSession), { voice: 'down' });
  const desk = await open(admin, roomPath(north.rtcSession), { voice: 'up' });
  await expectReady(inNorth, 2);
  await test.step('one is in no room that isn’t shown, and the rooms share one microphone', async () => {
    await goTo(desk, `/board?rooms=${south.id}`);
    await expectReady(inSouth, 2);
    await expect(tiles(inNorth), 'whoever came from a room’s page has left it').toHaveCount(1);
    await expect(desk.locator('[data-room]')).toHaveCount(1);
    await goTo(desk, `/board?rooms=${north.id},${south.id}`);
    const asked = await desk.evaluate(() => (window as unknown as { pageAudio: { asked: string[] } }).pageAudio.asked);
    expect(asked).toHaveLength(1);
  });
  await expectReady(inNorth, 2);
  await expectReady(inSouth, 2);
  for (const { name } of [north, south]) await expect(talkIn(desk, name)).toHaveAttribute('data-state', 'idle');
  await expectAccessible(desk, 'board');

  await test.step('both are heard, and both floors show', async () => {
    await press(inNorth);
    await press(inSouth);
    await expect(talkIn(desk, north.name)).toHaveAttribute('data-state', 'busy');
    await expect(talkIn(desk, south.name)).toHaveAttribute('data-state', 'busy');
    await expect(row(desk, north.name)).toContainText('Léa');
    await expect(row(desk, south.name)).toContainText('Tom');
    await heard(inNorth);
    const both = { up: 0, down: 0 };
    await expect
      .poll(async () => {
        const now = await heard(desk);
        both.up += now.up;
        both.down += now.down;
        return Math.min(both.up, both.down);
      })
      .toBeGreaterThan(100);
    expect((await heard(inNorth)).down, 'the rooms don’t hear each other').toBe(0);
    await release(inNorth);
    await release(inSouth);
    for (const { name } of [north, south]) await expect(talkIn(desk, name)).toHaveAttribute('data-state', 'idle');
  });

  await test.step('one talks to either, and nothing of it gets to the other room', async () => {
    await expectSilence(inSouth);
    const before = await packetsTo(inSouth);
    await hold(desk, talkIn(desk, north.name));
    await expect(talkIn(desk, north.name)).toHaveAttribute('data-state', 'talking');
    await expectHeard(inNorth, 'up', 500);
    await expect(talkIn(desk, south.name)).toHaveAttribute('data-state', 'idle');
    await release(desk);
    expect(await heard(inSouth)).toEqual({ up: 0, down: 0 });
    expect(await packetsTo(inSouth), 'not even what would not be played').toBe(before);
  });

  await test.step('and to both, by the button and by the key', async () => {
    await hold(desk);
    await expect(talkToAll(desk)).toContainText(say('voice.board.onAir_other', { count: 2 }));
    await Promise.all([expectHeard(inNorth, 'up', 300), expectHeard(inSouth, 'up', 300)]);
    await release(desk);
    await expect(talkToAll(desk)).toHaveAttribute('data-state', 'idle');
    await desk.getByRole('heading', { level: 1 }).click();
    await desk.keyboard.down('Space');
    await Promise.all([expectHeard(inNorth, 'up', 300), expectHeard(inSouth, 'up', 300)]);
    await desk.keyboard.up('Space');
    await expect(talkToAll(desk)).toHaveAttribute('data-state', 'idle');
  });

  await test.step('what is not ticked is left out', async () => {
    await desk.getByRole('checkbox', { name: say('voice.board.select', { name: north.name }) }).uncheck();
    await expect(talkToAll(desk)).toContainText(say('voice.board.all_one', { count: 1 }));
    await desk.getByRole('heading', { level: 1 }).click();
    await expectSilence(inNorth);
    await desk.keyboard.down('Space');
    await expectHeard(inSouth, 'up', 300);
    await desk.keyboard.up('Space');
    expect(await heard(inNorth)).toEqual({ up: 0, down: 0 });
  });

  await test.step('the rooms are left with the page', async () => {
    await desk.getByRole('link', { name: say('app.nav.users'), exact: true }).click();
    await expect(tiles(inNorth)).toHaveCount(1);
    await expect(tiles(inSouth)).toHaveCount(1);
    await expect(desk.locator('[data-stay-bar]')).toHaveCount(0);
  });
});

test('[PRES42] [TALK142] [TALK143] who switches fast between busy rooms meets only those of the room, and may press at once', async ({
  world,
  open,
}) => {
  const { api, admin } = world;
  const lea = await api.person('Lise', admin.token);
  const tom = await api.person('Théo', admin.token);
  const max = await api.person('Max', admin.token);
  const north = await api.channel(admin, 'Va-et-vient nord', [lea, max]);
  const south = await api.channel(admin, 'Va-et-vient sud', [tom, max]);
  const inNorth = await open(lea, roomPath(north.rtcSession), { voice: 'down' });
  const inSouth = await open(tom, roomPath(south.rtcSession), { voice: 'down' });
  const page = await open(max, roomPath(north.rtcSession), { voice: 'up' });
  await expectReady(page, 2);
  await page.getByRole('button', { name: say('voice.switcher.label') }).click();
  await page.getByRole('option', { name: south.name }).click();
  await expectReady(page, 2);
  for (let round = 0; round < 3; round += 1) {
    // Somebody in the other room leaves and comes back at the moment of the change.
    await Promise.all([page.evaluate(() => history.back()), inNorth.reload()]);
    await expect(talkButton(page)).toHaveAttribute('data-state', /idle|busy|joining|starting/u);
    await Promise.all([page.evaluate(() => history.forward()), inNorth.reload()]);
  }
  await expectReady(page, 2);
  await expect(tiles(page).filter({ hasText: tom.name })).toHaveCount(1);
  await expect(tiles(page).filter({ hasText: lea.name })).toHaveCount(0);
  await expectReady(inSouth, 2);
  await expectReady(inNorth, 1);
  const asked = await page.evaluate(() => (window as unknown as { pageAudio: { asked: string[] } }).pageAudio.asked);
  expect(asked, 'one microphone for all of them').toHaveLength(1);

  // Presses and holds the button in the very task in which the next room shows it.
  await page.evaluate(() => {
    const talk = () => document.querySelector('[data-talk-button]:not([data-stay-bar] *)');
    const before = talk();
    const watch = new MutationObserver(() => {
      const button = talk();
      if (button === null || button === before) return;
      watch.disconnect();
      button.dispatchEvent(new PointerEvent('pointerdown', { pointerId: 7, button: 0, buttons: 1, bubbles: true }));
    });
    watch.observe(document.body, { childList: true, subtree: true });
    history.back();
  });
  await expect(talkButton(page)).toHaveAttribute('data-state', 'talking');
  await expectHeard(inNorth, 'up', 500);
});

test('[ROOM50] [ROOM60] [ROOM61] [TALK142] [TALK153] the board outlives a lost link in all rooms, changes its microphone, says that it is gone, and a call goes on beside it', async ({
  world,
  open,
  path,
}) => {
  const { api, admin } = world;
  const [lea, tom] = [await api.person('Léa', admin.token), await api.person('Tom', admin.token)];
  const uma = await api.person('Uma', admin.token);
  const north = await api.channel(admin, 'Écoute nord', [lea, uma]);
  const south = await api.channel(admin, 'Écoute sud', [tom, uma]);
  const wide = { viewport: { width: 1600, height: 900 } };
  const inNorth = await open(lea, `${roomPath(north.rtcSession)}?panel=members`, { voice: 'up', context: wide });
  const inSouth = await open(tom, roomPath(south.rtcSession), { voice: 'up' });
  const desk = await open(uma, channelsPath(north.name), { voice: 'down', context: { baseURL: path.origin } });
  const plug = await makeUnpluggable(desk);
  await giveMicrophones(desk, ['Table', 'Casque']);
  await expect(desk.getByRole('row').filter({ hasText: north.name })).toBeVisible();
  await goTo(desk, `/board?rooms=${north.id},${south.id}`);
  await expectReady(inNorth, 2);
  await expectReady(inSouth, 2);
  const expectHeardInBoth = async () => {
    await hold(desk);
    await Promise.all([expectHeard(inNorth, 'down', 300), expectHeard(inSouth, 'down', 300)]);
    await release(desk);
    for (const { name } of [north, south]) await expect(talkIn(desk, name)).toHaveAttribute('data-state', 'idle');
  };

  await test.step('a link that is lost for longer than a lease', async () => {
    await press(inNorth);
    await expectHeard(desk, 'up', 300);
    await path.cut();
    for (const { name } of [north, south]) {
      await expect(row(desk, name)).toContainText(say('voice.notice.lostMore'));
    }
    await heard(desk);
    await expectHeard(desk, 'up', 3_000);
    await path.resume();
    await expect(talkIn(desk, north.name)).toHaveAttribute('data-state', 'busy', { timeout: 30_000 });
    await expect(talkIn(desk, south.name)).toHaveAttribute('data-state', 'idle');
    await release(inNorth);
    await expectReady(inNorth, 2);
    await expectReady(inSouth, 2);
    await expectHeardInBoth();
  });

  await test.step('another microphone, for both rooms', async () => {
    expect(await microphonesOf(desk)).toEqual({ open: ['Table'], sent: ['Table', 'Table'] });
    await desk.getByRole('button', { name: say('voice.room.settings') }).click();
    await desk.getByRole('combobox', { name: say('voice.settings.microphone') }).click();
    await desk.getByRole('option', { name: 'Casque' }).click();
    await expect.poll(() => microphonesOf(desk)).toEqual({ open: ['Casque'], sent: ['Casque', 'Casque'] });
    await expectAccessible(desk, 'settings of the board');
    await desk.keyboard.press('Escape');
    await expectHeardInBoth();
  });

  await test.step('a microphone that is unplugged', async () => {
    await plug(false);
    const notice = desk.getByRole('alert').filter({ hasText: say('voice.notice.unplugged') });
    await expect(notice).toHaveCount(1);
    await expect(talkIn(desk, south.name)).toHaveAttribute('data-state', 'no_microphone');
    await expectAccessible(desk, 'board without a microphone');
    await plug(true);
    await expect(notice).toHaveCount(0);
    await expectHeardInBoth();
  });

  await test.step('a call beside both rooms', async () => {
    const callTo = (page: Page, name: string) => page.getByRole('dialog', { name: say('calls.title', { name }) });
    await inNorth
      .getByRole('tabpanel')
      .getByRole('button', { name: say('calls.start', { name: uma.name }) })
      .click();
    await callTo(desk, lea.name)
      .getByRole('button', { name: say('calls.accept'), exact: true })
      .click();
    await Promise.all([expectHeard(desk, 'up', 400), expectHeard(inNorth, 'down', 400)]);
    await hold(desk, talkIn(desk, south.name));
    await expectHeard(inSouth, 'down', 400);
    await expectHeard(inNorth, 'down', 400);
    await release(desk);
    await expect(talkIn(desk, south.name)).toHaveAttribute('data-state', 'idle');
    await callTo(inNorth, uma.name)
      .getByRole('button', { name: say('calls.hangUp'), exact: true })
      .click();
    await expect(callTo(desk, lea.name)).toContainText(say('calls.end.hung_up'));
    await callTo(desk, lea.name)
      .getByRole('button', { name: say('calls.dismiss'), exact: true })
      .click();
    await expectHeardInBoth();
  });
});
