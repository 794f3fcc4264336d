import { expect, test } from 'vitest';
import { readCallLink, storageOfCall } from './call-link.ts';
import { createStorage } from './storage.ts';

const ID = '01890a5d-ac96-774b-bcce-b302099a8057';

test('a call link says channel, user and token; anything else is broken', () => {
  const link = { channelId: ID, userId: ID, token: 'abc' };
  expect(readCallLink(JSON.stringify(link))).toEqual(link);
  for (const text of [
    '',
    '{',
    'null',
    '{}',
    JSON.stringify({ ...link, token: '' }),
    JSON.stringify({ ...link, userId: 7 }),
  ]) {
    expect(readCallLink(text)).toBe('broken');
  }
});

test('[CALL2] who follows a call link neither takes nor ends the session of whoever is signed in here', () => {
  const device = window.localStorage;
  device.clear();
  const own = createStorage({ local: device, session: window.sessionStorage });
  const user = { id: ID, identifier: 'a@b.fr', firstName: 'A', lastName: 'B', display_name: 'A B' } as never;
  own.openSession(user, 'own-token', true);
  own.writePreference('language', 'de');
  const call = createStorage(storageOfCall(device));
  expect(call.readToken()).toBeUndefined();
  call.keepToken('call-token');
  call.keepUser(user);
  expect(call.readToken()).toBe('call-token');
  call.clearSession();
  expect(call.readToken()).toBeUndefined();
  expect(own.readToken()).toBe('own-token');
  expect(JSON.stringify({ ...device, ...window.sessionStorage })).not.toContain('call-token');
  call.writePreference('language', 'en');
  expect(device.getItem('language')).toBe('"en"');
});
