import type { FirstCall } from '#src/shared/api/first-answers.ts';
import type { WordsBundle } from '#src/shared/i18n/words-bundles.ts';

/** Parts of the app that are loaded on their own. */
export type AppChunk =
  | 'account'
  | 'activities'
  | 'channels'
  | 'console'
  | 'dashboard'
  | 'doors'
  | 'room'
  | 'signUp'
  | 'transfer'
  | 'users'
  | 'video';

/** Titles that the static frame can say (vite/frame-words.ts). */
export type FrameTitle =
  | 'activities'
  | 'channels'
  | 'importChannels'
  | 'importUsers'
  | 'profile'
  | 'room'
  | 'signIn'
  | 'signUp'
  | 'users';

/** Everything that the first screen of an address needs, so that it can be requested at once. */
export interface Entrance {
  /** The static frame of index.html to show until the app renders. */
  frame: 'door' | 'console' | 'bare';
  /** The frame's title; undefined where it isn't known yet. */
  title?: FrameTitle;
  parts: readonly AppChunk[];
  words: readonly WordsBundle[];
  calls: readonly FirstCall[];
}

const TITLES: Record<string, FrameTitle> = {
  '/userslist': 'users',
  '/userslist/import': 'importUsers',
  '/channelslist': 'channels',
  '/channelslist/import': 'importChannels',
  '/activities': 'activities',
  '/profile': 'profile',
};
const LISTS: Record<string, 'users' | 'channels'> = {
  '/userslist': 'users',
  '/channelslist': 'channels',
};
const DASHBOARD = /^\/(?:dashboard)?$/u;
const ROOM = /^\/groupcallview\//u;
const BARE_ROOM = /^\/(?:mobilecallview|usercallview)\//u;
const VIDEO_ROOM = /^\/join\//u;
const IMPORT = /^\/(?:users|channels)list\/import$/u;
/** PAGE_SIZES of the contract, which this file doesn't load; its test holds them together. */
const SIZE = /^(?:5|10|25|50|100)$/u;
const DEFAULT_SIZE = '5';
const NEXT_PAGE = /^[1-9]\d{0,5}$/u;
const SIGN_UP = '/signup';
const DOOR = /^\/(?:signin|signup|usercallview)$/u;

export interface EntranceArgs {
  path: string;
  search: string;
  token: string | null;
  /** The token of the guest link that was followed; empty when it is gone; undefined without one. */
  guestToken?: string | undefined;
  /** Reads the last choice made on this device, as it is stored. */
  preference: (name: 'usersPageSize' | 'channelsPageSize' | 'logLayout') => string | null;
  /** Returns the IANA zone of this device. Only the dashboard asks: a browser's first look takes longer than all else here. */
  timeZone: () => string;
}

/** Guesses by the router's rules. Missed parts are loaded when the router asks for them; a wrong guess costs one request. */
export function entranceOf({ path, search, token, guestToken, preference, timeZone }: EntranceArgs): Entrance {
  const place = path.toLowerCase().replace(/(.)\/+$/u, '$1');
  if (guestToken !== undefined) {
    const words: WordsBundle[] = ['door', 'guests', 'voice', 'video'];
    return { frame: 'door', parts: ['video'], words, calls: guestToken === '' ? [] : [invitationCall(guestToken)] };
  }
  if (token === null || DOOR.test(place)) {
    const link = VIDEO_ROOM.test(place) ? 'video' : BARE_ROOM.test(place) ? 'room' : null;
    const calls = link === null ? [...sessionCall(token), SERVER_INFO] : [];
    const door = place === SIGN_UP ? 'signUp' : 'doors';
    const title = door === 'signUp' ? 'signUp' : 'signIn';
    return { frame: 'door', ...(link === null && { title }), parts: [link ?? door], words: ['door'], calls };
  }
  if (BARE_ROOM.test(place)) {
    const words: WordsBundle[] = ['door', 'channels', 'voice'];
    return { frame: 'bare', title: 'room', parts: ['room'], words, calls: sessionCall(token) };
  }
  if (VIDEO_ROOM.test(place)) {
    const words: WordsBundle[] = ['door', 'channels', 'voice', 'video'];
    return { frame: 'bare', title: 'room', parts: ['video'], words, calls: sessionCall(token) };
  }
  if (ROOM.test(place)) {
    const words: WordsBundle[] = ['door', 'channels', 'voice'];
    return { frame: 'console', title: 'room', parts: ['console', 'room'], words, calls: sessionCall(token) };
  }
  if (DASHBOARD.test(place)) {
    const figures: FirstCall = { method: 'POST', path: '/user/api/getDashboard', body: { timeZone: timeZone() } };
    const calls = [...sessionCall(token), figures];
    return { frame: 'console', parts: ['console', 'dashboard'], words: ['door', 'channels'], calls };
  }
  if (place === '/activities') {
    const calls = [...sessionCall(token), ...(search === '' ? [logCall(preference('logLayout'))] : [])];
    const words: WordsBundle[] = ['door', 'channels', 'activities'];
    return { frame: 'console', title: 'activities', parts: ['console', 'activities'], words, calls };
  }
  const list = LISTS[place];
  const title = TITLES[place];
  const isImport = IMPORT.test(place);
  return {
    frame: 'console',
    ...(title && { title }),
    parts: ['console', isImport ? 'transfer' : (list ?? 'account')],
    words: ['door', 'channels', 'users', ...(isImport ? (['transfer'] as const) : [])],
    calls: [
      ...sessionCall(token),
      ...(list === undefined ? [] : listCall(list, search, preference(`${list}PageSize`))),
    ],
  };
}

const SERVER_INFO: FirstCall = { method: 'GET', path: '/user/api/serverInfo' };

/** The log as its page asks for it (LAYOUT_PAGE). */
const logCall = (layout: string | null): FirstCall => ({
  method: 'POST',
  path: '/user/api/getAllActivities/',
  body: { start: 0, limit: layout === 'lines' ? 50 : 21 },
});
const invitationCall = (token: string): FirstCall => ({
  method: 'POST',
  path: '/user/api/getInvitation',
  body: { token },
});

const sessionCall = (token: string | null): FirstCall[] =>
  token === null ? [] : [{ method: 'POST', path: '/user/api/isValidToken', body: { token } }];

/** The list as its page will ask for it (shared/lists/list-view.ts). Filtered and sorted lists wait for the page. */
function listCall(list: 'users' | 'channels', search: string, stored: string | null): FirstCall[] {
  const { size, page, panel: _panel, ...others } = Object.fromEntries(new URLSearchParams(search));
  if (Object.keys(others).length > 0) return [];
  const limit = [size, stored].find((text) => SIZE.test(text ?? '')) ?? DEFAULT_SIZE;
  const start = NEXT_PAGE.test(page ?? '') ? (Number(page) - 1) * Number(limit) : 0;
  const path = list === 'users' ? '/user/api/getAllUsers' : '/user/api/getAllChannels';
  const sort = list === 'users' ? 'lastName' : 'name';
  return [{ method: 'POST', path, body: { start, limit: Number(limit), sort, order: 'asc' } }];
}
