import type { Page } from '@playwright/test';
import { updateUserPosition } from '@pressel/contract/positions';
import { channelsPath, expect, expectReady, phonePath, roomPath, test, usersPath } from '../fixtures.ts';
import { accessibilityFaults } from '../harness/accessible.ts';
import { textsOutOfPlace } from '../harness/cut-text.ts';
import { isLengthened, lengthened, lengthenWords } from '../harness/long-words.ts';
import { namesOn, shownText, strangersTo } from '../harness/shown-text.ts';
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

/** The language that is lengthened: the shortest of ours, as usual. */
const LANGUAGE = 'en';
const WIDTHS = [
  { width: 390, height: 844 },
  { width: 768, height: 1024 },
  { width: 900, height: 700 },
  { width: 1280, height: 800 },
] as const;

/** Frames after which a page has taken up its new size, and looks within which it has, however busy the machine. */
const FRAMES = 3;
const PATIENCE_LOOKS = 30;

/** Faults of texts that are too wide or out of place, once the page has taken up its size. */
async function faultsThatStay(page: Page): Promise<string[]> {
  let faults: string[] = [];
  for (let look = 0; look < PATIENCE_LOOKS; look += 1) {
    faults = await textsOutOfPlace(page, FRAMES);
    if (faults.length === 0) break;
  }
  return faults;
}

/**
 * Looks at all widths for texts that don't fit, and at the last one for foreign words and faults of access. Tells them in the end. The first
 * look at a screen is by all rules of access; later ones are by those of colours, because screens.spec.ts has all states in light colours.
 * @param said texts that are data
 */
function guideOf(said: readonly string[], widths: readonly (typeof WIDTHS)[number][] = WIDTHS) {
  const strangers = strangersTo(LANGUAGE, isLengthened, said);
  /** Paths of the screens that were seen. */
  const screens = new Set<string>();
  /** Faults, each with the first place where it was seen. */
  const faults = new Map<string, string>();
  const tell = (fault: string, at: string) => faults.set(fault, faults.get(fault) ?? at);
  const look: TourGuide['look'] = async (where, page) => {
    await untilContent(page);
    expect(await chosenOn(page), where).toEqual({ language: LANGUAGE, scheme: 'dark' });
    for (const viewport of widths) {
      await page.setViewportSize(viewport);
      for (const fault of await faultsThatStay(page)) tell(fault, `${where}, ${viewport.width} px`);
    }
    const { pathname } = new URL(page.url());
    for (const fault of await accessibilityFaults(page, screens.has(pathname) ? 'colours' : 'all')) tell(fault, where);
    screens.add(pathname);
    for (const text of strangers(await shownText(page))) tell(`«${text}» is none of the words`, where);
  };
  return {
    guide: { say: sayIn(LANGUAGE, lengthened), look, isWide: false },
    faults: () => [...faults].map(([fault, at]) => `${at}: ${fault}`),
  };
}

const options = {
  language: LANGUAGE,
  colorScheme: 'dark',
  context: { viewport: WIDTHS[3] },
  preparePage: (page: Page) => lengthenWords(page, LANGUAGE),
} as const;

test('words that are half as long again fit every screen, wide and narrow, and all of them come from the words’ files', async ({
  world,
  open,
}) => {
  const { api, admin, own } = world;
  const lea = await api.person('Lea', admin.token);
  const nobody = await api.person('Nour', admin.token);
  const { rtcSession, name: channel } = await api.channel(admin, 'Nord', [lea]);
  await api.call(updateUserPosition, { lat: 48.85, lng: 2.35 }, lea.token);
  const { guide, faults } = guideOf(await namesOn(api, admin));
  await tourTheDoors(await open(null, '/signin', options), guide);
  const asMember = { ...options, expectedErrors: /status of 403/u };
  await tourAsMember(await open(nobody, '/channelsList', asMember), guide, roomPath(rtcSession));
  const page = await open(admin, '/dashboard', options);
  await tourTheConsole(page, guide, { channel, outsider: nobody.name, name: admin.name, mark: own('').trim() });
  await turnTo(page, roomPath(rtcSession));
  await expectReady(page, 1);
  await tourTheRoom(page, guide);
  await turnTo(page, phonePath(rtcSession));
  // The console's room is ready too, until the page is left.
  await expect(page.locator('#content')).toHaveCount(0);
  await expectReady(page, 1);
  await guide.look('phone room', page);
  expect(faults()).toEqual([]);
});

test('words that are half as long again fit what is done to users, and every step of their import', async ({
  world,
  open,
}) => {
  const { api, admin, own } = world;
  const lea = await api.person('Lea', admin.token);
  const { name: channel } = await api.channel(admin, 'Nord', [lea]);
  const mark = own('').trim();
  const file = teamFile(mark, channel, lea.email);
  const { guide, faults } = guideOf([...(await namesOn(api, admin)), ...USERS_DATA, ...file.said]);
  const page = await open(admin, usersPath(mark), options);
  await tourTheUsers(page, guide, usersPath(mark), lea.id);
  await tourTheImport(page, guide, file);
  expect(faults()).toEqual([]);
});

// A page that becomes narrower makes its panels anew, and what is open in them closes.
for (const widths of [
  [WIDTHS[0], WIDTHS[1]],
  [WIDTHS[2], WIDTHS[3]],
] as const) {
  test(`words that are half as long again fit what opens in a room of ${widths.map(({ width }) => width).join(' and ')} px`, async ({
    world,
    open,
  }) => {
    const { api, admin } = world;
    const room = await furnishRoom(world);
    const { guide, faults } = guideOf([...(await namesOn(api, admin)), ...ROOM_DATA, MESSAGE], widths);
    const page = await open(admin, roomPath(room.rtcSession), { ...options, context: { viewport: widths[0] } });
    await expectReady(page, 1);
    await tourWhatOpensThere(page, guide, room);
    expect(faults()).toEqual([]);
  });
}

test('words that are half as long again fit calls, the links of guests, and what guests see', async ({
  world,
  open,
}) => {
  const withCamera = { ...options, context: { ...options.context, permissions: ['microphone', 'camera'] } };
  const { api, admin, own } = world;
  const lea = await api.person('Lea', admin.token);
  const { rtcSession } = await api.channel(admin, 'Nord', [lea]);
  const { guide, faults } = guideOf([...(await namesOn(api, admin)), ...GUEST_DATA]);
  const desk = await open(admin, roomPath(rtcSession), withCamera);
  await expectReady(desk, 1);
  const radio = await open(lea, channelsPath(own('').trim()), withCamera);
  const [caller, called] = [
    { page: desk, name: admin.name },
    { page: radio, name: lea.name },
  ];
  await tourCallsAndGuests(caller, called, guide, (link) => open(null, link, withCamera));
  expect(faults()).toEqual([]);
});
