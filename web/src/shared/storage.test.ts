import { z } from '@pressel/contract/zod';
import { expect, test } from 'vitest';
import { sessionUserOf } from '#test/samples.ts';
import { createStorage, memoryArea, type StorageArea } from './storage.ts';

const areas = () => ({ local: window.localStorage, session: window.sessionStorage });

test('a remembered token is found by a new tab, one that is not to be remembered by none', () => {
  const newTab = () => createStorage({ local: window.localStorage, session: memoryArea() });
  const storage = createStorage(areas());
  storage.openSession(sessionUserOf(), 'kept', true);
  expect(newTab().readToken()).toBe('kept');
  storage.openSession(sessionUserOf(), 'passing', false);
  expect(storage.readToken()).toBe('passing');
  expect(newTab().readToken()).toBeUndefined();
});

test('clearing empties both storages but for the preferences of the device', () => {
  const storage = createStorage(areas());
  storage.openSession(sessionUserOf(), 'kept', true);
  storage.keepRoom({ channelId: '1', channelName: 'Nord', roomId: 'Nord' });
  storage.writePreference('language', 'de');
  storage.clearSession();
  expect({ ...window.localStorage }).toEqual({ language: '"de"' });
  expect(window.sessionStorage).toHaveLength(0);
});

test('invalid stored values are ignored', () => {
  window.localStorage.setItem('language', '{nonsense');
  window.localStorage.setItem('colorScheme', '"purple"');
  const storage = createStorage(areas());
  expect(storage.readPreference('language', z.string())).toBeUndefined();
  expect(storage.readPreference('colorScheme', z.enum(['light', 'dark']))).toBeUndefined();
});

test('values are kept in memory when the storage throws', () => {
  const broken: StorageArea = {
    getItem: () => {
      throw new Error('forbidden');
    },
    setItem: () => {
      throw new Error('full');
    },
    removeItem: () => {
      throw new Error('forbidden');
    },
    key: () => {
      throw new Error('forbidden');
    },
    get length(): number {
      throw new Error('forbidden');
    },
  };
  const storage = createStorage({ local: broken, session: broken });
  storage.openSession(sessionUserOf(), 'kept', true);
  expect(storage.readToken()).toBe('kept');
  storage.clearSession();
  expect(storage.readToken()).toBeUndefined();
});

test('[APP16] what a page keeps for its reload says whether it outlives it', () => {
  const storage = createStorage(areas());
  expect(storage.keepForReload('renewedFor', 'c2 b2')).toBe(true);
  expect(createStorage(areas()).readForReload('renewedFor')).toBe('c2 b2');
  const full = { ...window.sessionStorage, getItem: () => null, removeItem: () => undefined, clear: () => undefined };
  const setItem = () => {
    throw new Error('full');
  };
  expect(
    createStorage({ local: window.localStorage, session: { ...full, setItem } }).keepForReload('renewedFor', 'c3 b3'),
  ).toBe(false);
});
