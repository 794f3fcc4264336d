import { createChannel } from '@pressel/contract/channels';
import { sendMessage } from '@pressel/contract/chat';
import { updateUserPosition } from '@pressel/contract/positions';
import { channelsPath, expect, expectReady, roomPath, test } from '../fixtures.ts';
import { createApi } from '../harness/api.ts';
import { createKeyboard } from '../harness/keyboard.ts';
import {
  expectDialog,
  expectFocused,
  keepChannelsByKeys,
  logOutByKeys,
  readChannelsByKeys,
  signInByKeys,
  signUpByKeys,
  skipByKeys,
  type Typist,
} from '../harness/keyboard-console.ts';
import {
  changeOneselfByKeys,
  changeSeveralByKeys,
  exportByKeys,
  importUsersByKeys,
  keepUsersByKeys,
  readTheLogByKeys,
} from '../harness/keyboard-people.ts';
import {
  arrangeByKeys,
  chatByKeys,
  meetMembersByKeys,
  setVoiceByKeys,
  switchByKeys,
  talkByKeys,
} from '../harness/keyboard-room.ts';
import { encodePng, ROW_FILTER_BYTES } from '../harness/png.ts';
import { expectSpoken, listenToRegions, takeSpoken } from '../harness/spoken.ts';
import { sayIn } from '../harness/words.ts';

const say = sayIn('fr');
const CAMILLE = { firstName: 'Camille', lastName: 'Durand', email: 'camille@example.org', password: 'passe 7!' };
const ZOE = { firstName: 'Zoe', lastName: 'Petit', email: 'zoe@example.org', password: 'secret 1' };
const CHANNELS = 12;
/** So many messages that the list reads the first of them later. */
const OLDER = 54;
/** Messages of the two others. */
const UNREAD = (OLDER * 2) / 3;
const SIZE = 32;
const PHOTO = encodePng(SIZE, SIZE, new Uint8Array(SIZE * (ROW_FILTER_BYTES + 3 * SIZE)));

test('the whole console by the keyboard alone, and what a reader hears of it', async ({ open, serve }) => {
  const server = await serve();
  const page = await open(null, '/signin', {
    context: { baseURL: server.origin, viewport: { width: 1280, height: 800 } },
    // A wrong password is refused on purpose.
    expectedErrors: /status of 40[14]/u,
    prepare: listenToRegions,
  });
  const typist: Typist = { keys: await createKeyboard(page), page, say };
  const { keys } = typist;
  await test.step('an account, a session', async () => {
    await signUpByKeys(typist, CAMILLE);
    await logOutByKeys(typist, CAMILLE);
    await signInByKeys(typist, CAMILLE);
    await skipByKeys(typist);
  });
  const api = createApi(server.origin);
  const token = await page.evaluate(() => sessionStorage.getItem('TOKEN_KEY') ?? '');
  const lea = await api.person('Lea', token);
  for (let n = 1; n <= CHANNELS; n += 1)
    await api.call(createChannel, { channelName: `Relais ${String(n).padStart(2, '0')}`, userList: [] }, token);
  await test.step('channels', async () => {
    await keepChannelsByKeys(typist, lea.name);
    await readChannelsByKeys(typist, 'Relais', CHANNELS);
  });
  await test.step('the way around a page, and to another one', async () => {
    await keys.round('channels');
    await keys.enter('button', say('app.nav.unfold'));
    await keys.expectAt('button', say('app.nav.unfold'), 'the sidebar is unfolded');
    await keys.press('Enter');
    await keys.enter('link', say('app.nav.users'));
    await expectSpoken(page, say('users.title'));
    await expect(page).toHaveTitle(new RegExp(`^${say('users.title')}`, 'u'));
    await expectFocused(typist, 'another page');
  });
  await test.step('users', async () => {
    await keepUsersByKeys(typist, CAMILLE, ZOE);
    await importUsersByKeys(typist, lea.email);
    await changeSeveralByKeys(typist, ['Ada Petit', 'Bob Roux']);
    await exportByKeys(typist);
  });
  await test.step('the log', async () => {
    await keys.press('Control+K');
    await expectDialog(typist, say('shell.palette.title'));
    await keys.type(say('activities.title'));
    await keys.press('Enter');
    await readTheLogByKeys(typist);
  });
  await test.step('oneself', () => changeOneselfByKeys(typist, CAMILLE, PHOTO));
});

test('the whole room by the keyboard alone, and what a reader hears of it', async ({ world, open, enter }) => {
  const { api, admin, server } = world;
  const [lea, max] = [await api.person('Lea', admin.token), await api.person('Max', admin.token)];
  const { id, rtcSession, name } = await api.channel(admin, 'Salon', [lea, max]);
  const { name: annex } = await api.channel(admin, 'Annexe', [lea]);
  await api.call(updateUserPosition, { lat: 48.85, lng: 2.35 }, lea.token);
  // People take turns, because nobody may write so many at once.
  const writers = [lea, max, admin] as const;
  for (let n = 1; n <= OLDER; n += 1)
    await api.call(sendMessage, { channelId: id, message: `Ancien ${n}` }, writers[n % 3]?.token);
  const wide = { viewport: { width: 1600, height: 900 } };
  const page = await open(admin, channelsPath(name), {
    context: {
      ...wide,
      geolocation: { latitude: 48.39, longitude: -4.49 },
      permissions: ['microphone', 'geolocation', 'camera'],
    },
    prepare: listenToRegions,
  });
  const theirs = await open(lea, roomPath(rtcSession), { voice: 'down', context: wide, prepare: listenToRegions });
  const typist: Typist = { keys: await createKeyboard(page), page, say };
  const reader: Typist = { keys: await createKeyboard(theirs), page: theirs, say };
  const { keys } = typist;
  const peer = await enter(max, rtcSession);
  await test.step('into the room', async () => {
    await keys.enter('link', say('channels.enter', { name }));
    await expectReady(page, 3);
    await expectSpoken(page, name);
    await expectFocused(typist, 'another page');
    // It is said once the messages are read: later it would come between the announcements of the talk.
    await expectSpoken(theirs, say('chat.backlog.since_other', { shown: UNREAD, since: '' }).trim());
  });
  await test.step('the voice', () => talkByKeys(reader, peer, max.name));
  await test.step('messages', () => chatByKeys(typist, reader, admin.name, PHOTO));
  await test.step('members', () => meetMembersByKeys(typist, reader, { lea: lea.name, max: max.name }));
  await test.step('the room', () => arrangeByKeys(typist, lea.name));
  await test.step('the voice’s settings', () => setVoiceByKeys(typist));
  await test.step('the way around', () => keys.round('room'));
  await test.step('another room, and back', async () => {
    await switchByKeys(typist, annex, name);
    await expectReady(page, 3);
  });
  await test.step('the link is lost, and comes back', async () => {
    await takeSpoken(page);
    await server.stop();
    await expectSpoken(page, say('app.link.lost'));
    await server.start();
    await expectReady(page, 2);
    await expectSpoken(page, say('voice.announce.back'));
  });
  await test.step('the way out', async () => {
    await keys.enter('button', say('voice.room.leave'));
    await expect(page).toHaveURL(/\/channelsList/u);
    await expectFocused(typist, 'another page');
  });
});
