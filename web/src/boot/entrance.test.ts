import { getAllActivities } from '@pressel/contract/activities';
import { isValidToken } from '@pressel/contract/auth';
import { CHANNEL_COLUMNS, getAllChannels } from '@pressel/contract/channels';
import { getDashboard } from '@pressel/contract/dashboard';
import { getInvitation } from '@pressel/contract/guests';
import { ACTIVITIES_PAGE, PAGE_SIZES } from '@pressel/contract/limits';
import { getAllUsers } from '@pressel/contract/users';
import { expect, test, vi } from 'vitest';
import { viewOf } from '#src/app/list-address.ts';
import { listSearch } from '#src/app/search-params.ts';
import { LAYOUT_PAGE } from '#src/features/activities/activities-view.ts';
import { pageQuery } from '#src/shared/lists/list-view.ts';
import { entranceOf } from './entrance.ts';

const open = (path: string, over: Partial<Parameters<typeof entranceOf>[0]> = {}) =>
  entranceOf({ path, search: '', token: 'abc', preference: () => null, timeZone: () => 'Europe/Paris', ...over });

test.each([
  ['/signin', 'door', ['doors']],
  ['/Signup', 'door', ['signUp']],
  ['/userCallView', 'door', ['doors']],
  ['/userCallView/%7B%7D', 'bare', ['room']],
  ['/dashboard', 'console', ['console', 'dashboard']],
  ['/', 'console', ['console', 'dashboard']],
  ['/usersList', 'console', ['console', 'users']],
  ['/usersList/', 'console', ['console', 'users']],
  ['/profile', 'console', ['console', 'account']],
  ['/activities', 'console', ['console', 'activities']],
  ['/channelsList/import', 'console', ['console', 'transfer']],
  ['/groupCallView/Nord', 'console', ['console', 'room']],
  ['/join/Nord', 'bare', ['video']],
  ['/mobileCallView/Nord', 'bare', ['room']],
])('%s begins with the frame %s and the parts %s', (path, frame, parts) => {
  expect(open(path)).toMatchObject({ frame, parts });
});

test.each([
  ['/signin', 'signIn'],
  ['/Signup/', 'signUp'],
  ['/usersList', 'users'],
  ['/channelsList/import', 'importChannels'],
  ['/activities', 'activities'],
  ['/profile', 'profile'],
  ['/groupCallView/Nord', 'room'],
  ['/mobileCallView/Nord', 'room'],
  ['/join/Nord', 'room'],
  // The dashboard's title names the user.
  ['/dashboard', undefined],
  ['/nowhere', undefined],
])('the frame of %s says %s', (path, title) => {
  expect(open(path).title).toBe(title);
});

test('[GUEST3] a guest link begins with what it opens, whoever is signed in', () => {
  const { frame, parts, words, calls } = open('/join/Nord', { token: null, guestToken: 'abc' });
  expect({ frame, parts }).toEqual({ frame: 'door', parts: ['video'] });
  expect(words).toContain('guests');
  expect(calls).toEqual([{ method: 'POST', path: getInvitation.path, body: { token: 'abc' } }]);
  expect(open('/join/Nord', { token: null, guestToken: '' }).calls).toEqual([]);
});

test.each(['/usersList', '/groupCallView/Nord', '/', '/nowhere'])('%s without a session begins as a door', (path) => {
  const { frame, parts, calls } = open(path, { token: null });
  expect({ frame, parts }).toEqual({ frame: 'door', parts: ['doors'] });
  expect(calls.map((call) => call.path)).toEqual(['/user/api/serverInfo']);
});

test('a session is checked as the app checks it', () => {
  expect(open('/profile').calls).toEqual([{ method: 'POST', path: isValidToken.path, body: { token: 'abc' } }]);
});

test('the dashboard is one question, for the days of this device’s zone', () => {
  expect(open('/dashboard').calls.slice(1)).toEqual([
    { method: 'POST', path: getDashboard.path, body: { timeZone: 'Europe/Paris' } },
  ]);
});

test('only the dashboard looks for the zone of this device, which takes long', () => {
  const timeZone = vi.fn(() => 'Europe/Paris');
  for (const path of ['/signin', '/usersList', '/groupCallView/Nord', '/activities']) open(path, { timeZone });
  expect(timeZone).not.toHaveBeenCalled();
  open('/dashboard', { timeZone });
  expect(timeZone).toHaveBeenCalledTimes(1);
});

/** The request that the page of this address makes. */
const askedBy = (list: 'users' | 'channels', search: Record<string, unknown>, remembered: number) =>
  pageQuery(viewOf(listSearch().parse(search), list === 'users' ? ['lastName'] : CHANNEL_COLUMNS, remembered), 'fr');

test.each([...PAGE_SIZES.map((size) => ({ size })), {}, { page: 3 }, { page: 2, size: 25 }, { panel: 'create' }])(
  'a list is asked for as its page asks for it: %o',
  (filter) => {
    const text = new URLSearchParams(Object.entries(filter).map(([name, value]) => [name, String(value)])).toString();
    for (const stored of [null, ...PAGE_SIZES]) {
      const search = text === '' ? '' : `?${text}`;
      /** The page size chosen for the other list doesn't count. */
      const at = (list: string) => ({
        search,
        preference: (name: string) => (stored !== null && name === `${list}PageSize` ? String(stored) : null),
      });
      const remembered = stored ?? PAGE_SIZES[0];
      expect(JSON.stringify(open('/usersList', at('users')).calls[1])).toBe(
        JSON.stringify({ method: 'POST', path: getAllUsers.path, body: askedBy('users', filter, remembered) }),
      );
      expect(JSON.stringify(open('/channelsList', at('channels')).calls[1])).toBe(
        JSON.stringify({ method: 'POST', path: getAllChannels.path, body: askedBy('channels', filter, remembered) }),
      );
    }
  },
);

test.each(['?q=nord', '?sort=pseudo', '?desc=true'])('a list with %s waits for its page', (search) => {
  expect(open('/usersList', { search }).calls).toHaveLength(1);
});

test('the log is asked for as its page asks for it; a filtered one waits for its page', () => {
  expect(open('/activities').calls[1]).toEqual({
    method: 'POST',
    path: getAllActivities.path,
    body: { start: 0, limit: ACTIVITIES_PAGE },
  });
  const lines = open('/activities', { preference: (name) => (name === 'logLayout' ? 'lines' : null) });
  expect(lines.calls[1]?.body).toEqual({ start: 0, limit: LAYOUT_PAGE.lines });
  expect(open('/activities', { search: '?scope=all' }).calls).toHaveLength(1);
});
