import { isValidToken } from '@pressel/contract/auth';
import type { UserId } from '@pressel/contract/ids';
import { z } from '@pressel/contract/zod';
import { expect, test, vi } from 'vitest';
import { keepPreferences, readPreferences } from '#src/features/voice/settings/voice-preferences.ts';
import { ApiError } from '#src/shared/api/api-error.ts';
import { bindDrafts, draftDatabase } from '#src/shared/draft-database.ts';
import { createSession } from '#src/shared/session.ts';
import { createStorage, memoryArea } from '#src/shared/storage.ts';
import { createApiDouble } from '#test/api-double.ts';
import { setUpDatabase } from '#test/fake-database.ts';
import { sampleId, sessionUserOf } from '#test/samples.ts';

setUpDatabase();

const NIGHT = sessionUserOf({ id: sampleId(1) as UserId, display_name: 'Nuit' });
const DAY = sessionUserOf({ id: sampleId(2) as UserId, display_name: 'Jour' });
const BOB = sampleId(7);
const LOCAL = window.localStorage;

/** Opens a tab of the browser. A reload keeps the session storage of the page before. */
function openTab(session = memoryArea()) {
  const storage = createStorage({ local: LOCAL, session });
  const api = createApiDouble();
  const opened = createSession({ api, storage });
  return { api, storage, session: opened, reload: () => openTab(session) };
}

test('[AUTH17] the next user of a browser hears whom the one before had silenced, who finds it so on coming back', () => {
  const { storage, session } = openTab();
  session.open(NIGHT, 'night', false);
  keepPreferences(storage, {
    ...readPreferences(storage),
    ...{ volumes: { [BOB]: 0 }, hearsOwnDevices: true, isCameraOn: false },
    ...{ tones: false, microphoneId: 'headset' },
  });
  session.end('chosen');
  session.open(DAY, 'day', false);
  expect(readPreferences(storage)).toMatchObject({ volumes: {}, hearsOwnDevices: false, isCameraOn: true });
  expect(readPreferences(storage), 'the headset is the desk’s').toMatchObject({
    tones: false,
    microphoneId: 'headset',
  });
  session.end('chosen');
  session.open(NIGHT, 'night again', false);
  expect(readPreferences(storage)).toMatchObject({ volumes: { [BOB]: 0 }, isCameraOn: false });
});

test('[AUTH17] what older versions kept for nobody in particular is dropped: nobody is silenced for the wrong user', () => {
  LOCAL.setItem(
    'voice',
    JSON.stringify({ tones: false, volumes: { [BOB]: 0 }, hearsOwnDevices: true, isCameraOn: false }),
  );
  const { storage, session } = openTab();
  session.open(DAY, 'day', false);
  expect(readPreferences(storage)).toMatchObject({ tones: false, volumes: {}, hearsOwnDevices: false });
  expect(LOCAL.getItem('voice')).toBe('{"tones":false}');
});

test('[AUTH17] somebody without an account, such as a guest, changes nobody’s choices, and has them for the page', () => {
  const { storage } = openTab();
  keepPreferences(storage, { ...readPreferences(storage), volumes: { [BOB]: 0.5 } });
  expect(readPreferences(storage).volumes).toEqual({ [BOB]: 0.5 });
  expect(JSON.stringify({ ...LOCAL })).not.toContain(BOB);
  storage.keepUser(NIGHT);
  expect(readPreferences(storage).volumes).toEqual({});
});

test('[AUTH18] two tabs, two users: the end of one’s session leaves the other remembered', () => {
  const [day, night] = [openTab(), openTab()];
  day.session.open(DAY, 'day', true);
  night.session.open(NIGHT, 'night', false);
  expect(LOCAL.getItem('TOKEN_KEY'), 'signing in beside somebody').toBe('day');
  night.session.end('chosen');
  expect([LOCAL.getItem('TOKEN_KEY'), openTab().storage.readToken()]).toEqual(['day', 'day']);
  day.session.end('chosen');
  expect({ ...LOCAL }).toEqual({});
});

test('[AUTH18] of two who asked to be remembered the last one is; nobody’s tab changes hands', async () => {
  const [day, night] = [openTab(), openTab()];
  day.session.open(DAY, 'day', true);
  const dayAgain = openTab();
  night.session.open(NIGHT, 'night', true);
  expect([day, dayAgain, night].map(({ storage }) => storage.readToken())).toEqual(['day', 'day', 'night']);
  expect(dayAgain.reload().storage.readToken(), 'after a reload').toBe('day');
  expect(dayAgain.storage.readUserId()).toBe(DAY.id);
  day.session.end('expired');
  expect(openTab().storage.readToken()).toBe('night');
  expect(LOCAL.getItem('id')).toBe(NIGHT.id);
});

test('[AUTH18] signing out forgets every session of that user that this browser remembers', () => {
  const [first, second] = [openTab(), openTab()];
  first.session.open(DAY, 'first', true);
  second.session.open(DAY, 'second', false);
  expect(openTab().storage.readToken(), 'not to be remembered any more').toBeUndefined();
  first.session.open(DAY, 'third', true);
  second.session.end('chosen');
  expect({ ...LOCAL }).toEqual({});
});

test('[AUTH18] a token that is not valid empties both storages, but for another user’s', async () => {
  for (const key of ['id', 'email', 'roomId', 'data']) LOCAL.setItem(key, 'x');
  LOCAL.setItem('TOKEN_KEY', 'old');
  const alone = openTab();
  alone.api.on(isValidToken, () => ({ success: false }));
  expect(await alone.session.ready()).toEqual({ state: 'signedOut', reason: 'expired' });
  expect({ ...LOCAL }).toEqual({});

  const night = memoryArea();
  openTab(night).session.open(NIGHT, 'night', false);
  openTab().session.open(DAY, 'day', true);
  const later = openTab(night);
  later.api.on(isValidToken, () => ({ success: false }));
  expect(await later.session.ready()).toEqual({ state: 'signedOut', reason: 'expired', userId: NIGHT.id });
  expect(openTab().storage.readToken()).toBe('day');
});

test('[AUTH19] the name of the room entered last is told to whom it belongs', () => {
  const [day, night] = [openTab(), openTab()];
  day.session.open(DAY, 'day', false);
  day.storage.keepRoom({ channelId: 'c', channelName: 'Équipe de jour', roomId: 'Équipedejour' });
  expect(day.storage.readRoomName('Équipedejour')).toBe('Équipe de jour');
  night.session.open(NIGHT, 'night', false);
  expect(night.storage.readRoomName('Équipedejour')).toBeUndefined();
  expect(LOCAL.getItem('roomId')).toBeNull();
  day.storage.keepRoom({ channelId: 'c', channelName: 'Équipe de jour', roomId: 'Équipedejour' });
  expect(night.storage.readRoomName('Équipedejour')).toBeUndefined();
  expect([LOCAL.getItem('id'), LOCAL.getItem('selectedChannel')]).toEqual([DAY.id, 'c']);
});

test('[AUTH19][IMP28] the end of a session deletes what that user prepared, and nobody else’s', async () => {
  const [day, night] = [openTab(), openTab()];
  day.session.open(DAY, 'day', false);
  night.session.open(NIGHT, 'night', false);
  for (const tab of [day, night]) bindDrafts(tab.session);
  await draftDatabase.put('import.users', DAY.id, 'of the day');
  await draftDatabase.put('import.users', NIGHT.id, 'of the night');
  const kept = () => Promise.all([DAY, NIGHT].map(({ id }) => draftDatabase.get('import.users', id)));
  night.session.end('chosen');
  await vi.waitFor(async () => expect(await kept()).toEqual(['of the day', undefined]));
  day.session.end('expired');
  await vi.waitFor(async () => expect(await kept()).toEqual([undefined, undefined]));
});

test('[IMP28] a session that ended before the page could bind it, or before it was loaded, leaves no draft either', async () => {
  const area = memoryArea();
  openTab(area).session.open(NIGHT, 'night', false);
  await draftDatabase.put('import.users', NIGHT.id, 'of the night');
  const later = openTab(area);
  later.api.on(isValidToken, () => ({ success: false }));
  await later.session.ready();
  bindDrafts(later.session);
  await vi.waitFor(async () => expect(await draftDatabase.get('import.users', NIGHT.id)).toBeUndefined());
});

test('what is stored in another shape is not read', () => {
  const { storage, session } = openTab();
  session.open(DAY, 'day', false);
  LOCAL.setItem(`ownVoice.${DAY.id}`, '{"volumes":');
  expect(storage.readPreference('ownVoice', z.object({}))).toBeUndefined();
  expect(readPreferences(storage).volumes).toEqual({});
});

test('[IMP28] what was prepared goes after a day, at the next start, whoever is signed in', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  await draftDatabase.put('import.users', NIGHT.id, 'of yesterday');
  vi.setSystemTime(Date.now() + 86_400_001);
  await draftDatabase.put('import.users', DAY.id, 'of today');
  bindDrafts(openTab().session);
  await vi.waitFor(async () => expect(await draftDatabase.get('import.users', NIGHT.id)).toBeUndefined());
  expect(await draftDatabase.get('import.users', DAY.id)).toBe('of today');
  const sameOne = await draftDatabase.remove('import.users', DAY.id, (value) => value === 'of tomorrow');
  expect([sameOne, await draftDatabase.get('import.users', DAY.id)]).toEqual([undefined, 'of today']);
});

test('a draft for which there is no room is refused, and the one before it stays', async () => {
  await draftDatabase.put('import.users', DAY.id, 'small');
  const full = vi.spyOn(IDBObjectStore.prototype, 'put').mockImplementation(() => {
    throw new DOMException('No room', 'QuotaExceededError');
  });
  await expect(draftDatabase.put('import.users', DAY.id, 'large')).rejects.toThrow('No room');
  full.mockRestore();
  expect(await draftDatabase.get('import.users', DAY.id)).toBe('small');
});

test('[AUTH23] a check of the session that a slow server answers too late does not undo the sign-out', async () => {
  const { api, session } = openTab();
  session.open(DAY, 'day', false);
  const { promise, reject } = Promise.withResolvers<never>();
  api.on(isValidToken, () => promise);
  const checked = session.check();
  session.end('chosen');
  reject(new ApiError('timeout'));
  await checked;
  expect(session.getSnapshot()).toMatchObject({ state: 'signedOut', reason: 'chosen' });
});
