import {
  channelsPath,
  expect,
  expectReady,
  phonePath,
  press,
  release,
  roomPath,
  talkButton,
  test,
  usersPath,
} from '../fixtures.ts';
import { accessibilityFaults } from '../harness/accessible.ts';
import { textsOutOfPlace } from '../harness/cut-text.ts';
import { foreignWordsIn, namesOn, shownText } from '../harness/shown-text.ts';
import {
  chosenOn,
  type TourGuide,
  tourAsMember,
  tourTheConsole,
  tourTheDoors,
  tourTheRoom,
  turnTo,
  untilContent,
} from '../harness/tour.ts';
import { GUEST_DATA } from '../harness/tour-guests.ts';
import { teamFile, tourTheImport } from '../harness/tour-import.ts';
import { furnishRoom, MESSAGE, tourCallsAndGuests, tourWhatOpensThere } from '../harness/tour-parts.ts';
import { ROOM_DATA } from '../harness/tour-room.ts';
import { tourTheUsers, USERS_DATA } from '../harness/tour-users.ts';
import { sayIn } from '../harness/words.ts';

// This file takes longest: alone at the end it would keep one worker busy and the other waiting.
test.describe.configure({ mode: 'parallel' });

/**
 * Each screen is seen wide and narrow. long-words.spec.ts sees each in English, dark, and at the widths between. `open` fails a test whose
 * page broke the content security policy: a wide screen has everything that the policy could forbid.
 */
const LOOKS = [
  { language: 'fr', scheme: 'light', width: 1600, height: 900, isUnderPolicy: true },
  { language: 'de', scheme: 'light', width: 360, height: 640, isUnderPolicy: false },
] as const;

/** Looks for faults, and tells them in the end. `said`: texts that are data. */
function guideIn({ language, scheme, width }: (typeof LOOKS)[number], said: readonly string[]) {
  const foreign = foreignWordsIn(language, said);
  const faults: string[] = [];
  const look: TourGuide['look'] = async (where, page) => {
    await untilContent(page);
    expect(await chosenOn(page), where).toEqual({ language, scheme });
    for (const fault of await textsOutOfPlace(page)) faults.push(`${where}: ${fault}`);
    for (const fault of await accessibilityFaults(page)) faults.push(`${where}: ${fault}`);
    for (const text of foreign(await shownText(page))) faults.push(`${where}: says «${text}»`);
  };
  return { guide: { say: sayIn(language), look, isWide: width >= 1480 }, faults };
}

for (const device of LOOKS) {
  const { language, scheme, width, height, isUnderPolicy } = device;
  const options = { language, colorScheme: scheme, isUnderPolicy, context: { viewport: { width, height } } };
  const withCamera = { ...options, context: { ...options.context, permissions: ['microphone', 'camera'] } };

  test(`every screen in ${language}, ${scheme}, ${width} px wide: no fault of access, one language, nothing too wide`, async ({
    world,
    open,
  }) => {
    const { api, admin, own } = world;
    const lea = await api.person('Lea', admin.token);
    const nobody = await api.person('Nour', admin.token);
    const { rtcSession, name: channel } = await api.channel(admin, 'Nord', [lea]);
    const { guide, faults } = guideIn(device, await namesOn(api, admin));
    // The page asks for the list of users together with the session, before it knows who asks.
    const asMember = { ...options, expectedErrors: /status of 403/u };

    await tourTheDoors(await open(null, '/signin', options), guide);
    await tourAsMember(await open(nobody, '/channelsList', asMember), guide, roomPath(rtcSession));
    const page = await open(admin, '/dashboard', options);
    const mark = own('').trim();
    await tourTheConsole(page, guide, { channel, outsider: nobody.name, name: admin.name, mark });
    await turnTo(page, roomPath(rtcSession));
    const other = await open(lea, phonePath(rtcSession), options);
    await expectReady(page, 2);
    await expectReady(other, 2);
    await guide.look('phone room', other);
    await tourTheRoom(page, guide);
    await press(other);
    await expect(talkButton(page)).toHaveAttribute('data-state', 'busy');
    await guide.look('room, busy', page);
    await release(other);
    expect(faults).toEqual([]);
  });

  test(`users and their import in ${language}, ${scheme}, ${width} px wide: no fault of access, one language, nothing too wide`, async ({
    world,
    open,
  }) => {
    const { api, admin, own } = world;
    const lea = await api.person('Lea', admin.token);
    const { name: channel } = await api.channel(admin, 'Nord', [lea]);
    const mark = own('').trim();
    const file = teamFile(mark, channel, lea.email);
    const { guide, faults } = guideIn(device, [...(await namesOn(api, admin)), ...USERS_DATA, ...file.said]);
    const page = await open(admin, usersPath(mark), options);
    await tourTheUsers(page, guide, usersPath(mark), lea.id);
    await tourTheImport(page, guide, file);
    expect(faults).toEqual([]);
  });

  test(`what opens in a room in ${language}, ${scheme}, ${width} px wide: no fault of access, one language, nothing too wide`, async ({
    world,
    open,
  }) => {
    const { api, admin } = world;
    const room = await furnishRoom(world);
    const { guide, faults } = guideIn(device, [...(await namesOn(api, admin)), ...ROOM_DATA, MESSAGE]);
    const page = await open(admin, roomPath(room.rtcSession), options);
    await expectReady(page, 1);
    await tourWhatOpensThere(page, guide, room);
    expect(faults).toEqual([]);
  });

  test(`calls and guests in ${language}, ${scheme}, ${width} px wide: no fault of access, one language, nothing too wide`, async ({
    world,
    open,
  }) => {
    const { api, admin, own } = world;
    const lea = await api.person('Lea', admin.token);
    const { rtcSession } = await api.channel(admin, 'Nord', [lea]);
    const { guide, faults } = guideIn(device, [...(await namesOn(api, admin)), ...GUEST_DATA]);
    const desk = await open(admin, roomPath(rtcSession), withCamera);
    await expectReady(desk, 1);
    const radio = await open(lea, channelsPath(own('').trim()), withCamera);
    const [caller, called] = [
      { page: desk, name: admin.name },
      { page: radio, name: lea.name },
    ];
    await tourCallsAndGuests(caller, called, guide, (link) => open(null, link, withCamera));
    expect(faults).toEqual([]);
  });
}
