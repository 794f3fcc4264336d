// @vitest-environment node
import type { ClientMessageId } from '@pressel/contract/chat';
import { forceCloseDatabase } from 'fake-indexeddb';
import { beforeEach, expect, test, vi } from 'vitest';
import { ANSWER_MAX_MS } from '#src/shared/device-database.ts';
import { createStorage, memoryArea } from '#src/shared/storage.ts';
import { CHANNEL, ME, OTHER } from '#test/chat-bench.ts';
import { setUpDatabase } from '#test/fake-database.ts';
import { sampleId } from '#test/samples.ts';
import { type OutboxItem, type OutboxStore, openOutboxStore, RETRY_FIRST_MS } from './outbox-store.ts';

setUpDatabase();
// The database uses other timers.
beforeEach(() => vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));

const idOf = (number: number) => sampleId(number) as ClientMessageId;
const itemOf = (number: number, part: Partial<OutboxItem> = {}): OutboxItem => ({
  ...{ clientId: idOf(number), userId: ME, channelId: CHANNEL, channelName: 'Nord', order: number, text: `${number}` },
  ...{ image: null, createdAt: 1, failure: null },
  ...part,
});
const picture = () => ({ blob: new Blob(['x']), name: 'gate.jpg', width: 4, height: 3 });

/** A tab, whose session storage outlives its pages. */
function openTab() {
  const session = memoryArea();
  return { session, open: () => openOutboxStore({ journal: createStorage({ local: memoryArea(), session }) }) };
}
const textsOf = async (store: OutboxStore, userId: string = ME) =>
  (await store.list(userId)).items.map(({ text }) => text);
/** The texts that another tab finds on the device. */
const onDevice = () => textsOf(openTab().open());
const nextChange = (store: OutboxStore) => new Promise<void>((resolve) => store.onChange(resolve));

/** The connections opened from now on. */
function connections(): IDBDatabase[] {
  const opened: IDBDatabase[] = [];
  const open = indexedDB.open.bind(indexedDB);
  vi.spyOn(indexedDB, 'open').mockImplementation((...args) => {
    const request = open(...args);
    request.addEventListener('success', () => opened.push(request.result));
    return request;
  });
  return opened;
}
function refuseWriting(name: string) {
  return vi.spyOn(IDBObjectStore.prototype, 'put').mockImplementation(() => {
    throw new DOMException('The test allows no writing.', name);
  });
}

test('[CHATS23] the device keeps messages with their images, and gives nobody what another user wrote', async () => {
  const store = openTab().open();
  await store.put(itemOf(1, { image: picture() }));
  await store.put(itemOf(2, { userId: OTHER }));
  const later = openTab().open();
  expect([await textsOf(later), await textsOf(later, OTHER)]).toEqual([['1'], ['2']]);
  const [first] = (await later.list(ME)).items;
  expect(await first?.image?.blob.text()).toBe('x');
  await later.remove(idOf(1));
  expect(await onDevice()).toEqual([]);
});

test('[CHATS23] what is kept in memory alone isn’t given to another user of the page either', async () => {
  vi.stubGlobal('indexedDB', undefined);
  const store = openTab().open();
  await store.put(itemOf(1));
  await store.put(itemOf(2, { userId: OTHER }));
  expect([await textsOf(store), await textsOf(store, OTHER)]).toEqual([['1'], ['2']]);
});

test('[CHATS30] without a database messages are kept in memory, which is told; their texts outlive a reload', async () => {
  const database = indexedDB;
  vi.stubGlobal('indexedDB', undefined);
  const tab = openTab();
  const store = tab.open();
  expect([store.isLasting(), store.hasLacks()]).toEqual([true, false]);
  await store.put(itemOf(1));
  await store.put(itemOf(2, { image: picture() }));
  await store.put(itemOf(3));
  await store.remove(idOf(3));
  expect([store.isLasting(), store.hasLacks(), store.lackOf(idOf(2))]).toEqual([false, true, 'failing']);
  expect(await store.list(ME)).toMatchObject({ items: [{ text: '1' }, { text: '2' }], isWhole: false });
  // After a reload without other changes, and after another one with a database.
  expect(await textsOf(tab.open())).toEqual(['1']);
  vi.stubGlobal('indexedDB', database);
  const later = tab.open();
  await nextChange(later);
  expect([await onDevice(), later.hasLacks(), tab.session.length]).toEqual([['1'], false, 0]);
});

test('[CHATS30] a text that the tab crashes over before it is on the device is there afterwards, once', async () => {
  const tab = openTab();
  const crashed = tab.open();
  void crashed.put(itemOf(1));
  expect(await textsOf(tab.open())).toEqual(['1']);
  await crashed.put(itemOf(1));
  expect([await onDevice(), tab.session.length]).toEqual([['1'], 0]);
});

test('[CHATS30] a connection that the browser closes is opened again', async () => {
  const opened = connections();
  const store = openTab().open();
  await store.put(itemOf(1));
  forceCloseDatabase(opened[0] as never);
  expect(await store.list(ME)).toMatchObject({ items: [{ text: '1' }], isWhole: true });
  expect(opened).toHaveLength(2);
});

test('[CHATS30] so is one that died without a word', async () => {
  const opened = connections();
  const store = openTab().open();
  await store.put(itemOf(1));
  opened[0]?.close();
  await store.put(itemOf(2));
  expect([await onDevice(), store.isLasting()]).toEqual([['1', '2'], true]);
});

test('[CHATS30] one that stands in the way of another version lets it pass', async () => {
  const store = openTab().open();
  await store.put(itemOf(1));
  await new Promise((resolve, reject) => {
    const deleting = indexedDB.deleteDatabase('pressel.outbox');
    deleting.onsuccess = resolve;
    deleting.onblocked = reject;
  });
  await store.put(itemOf(2));
  expect(await onDevice()).toEqual(['2']);
});

test('[CHATS30] a database that can’t be opened is tried again, and then gets what waits in memory', async () => {
  const store = openTab().open();
  await store.put(itemOf(1));
  const lost = vi.spyOn(IDBDatabase.prototype, 'transaction').mockImplementation(() => {
    throw new DOMException('Connection to Indexed Database server lost.', 'UnknownError');
  });
  expect(await store.list(ME)).toEqual({ items: [], isWhole: false });
  await store.put(itemOf(2, { image: picture() }));
  await store.remove(idOf(1));
  expect(await store.list(ME)).toMatchObject({ items: [{ text: '2' }], isWhole: false });
  expect(lost, 'by the old connection and by a new one; after that nothing waits for it').toHaveBeenCalledTimes(2);
  await vi.advanceTimersByTimeAsync(RETRY_FIRST_MS);
  await vi.waitFor(() => expect(lost).toHaveBeenCalledTimes(4));
  expect(store.lackOf(idOf(2))).toBe('failing');

  lost.mockRestore();
  const changes: string[] = [];
  store.onChange(() => changes.push(store.hasLacks() ? 'it answers again' : 'all is written'));
  await vi.advanceTimersByTimeAsync(2 * RETRY_FIRST_MS);
  await vi.waitFor(() => expect(changes).toEqual(['it answers again', 'all is written']));
  expect([await onDevice(), store.isLasting()]).toEqual([['2'], true]);
});

test('[CHATS30] a database that another tab blocks holds up a message for three seconds at most', async () => {
  const blocking = await new Promise<IDBDatabase>((resolve) => {
    const opening = indexedDB.open('pressel.outbox', 1);
    opening.onupgradeneeded = () =>
      opening.result.createObjectStore('items', { keyPath: 'clientId' }).createIndex('userId', 'userId');
    opening.onsuccess = () => resolve(opening.result);
  });
  const gone = new Promise((resolve) => {
    indexedDB.deleteDatabase('pressel.outbox').onsuccess = resolve;
  });
  const store = openTab().open();
  const put = store.put(itemOf(1));
  await vi.advanceTimersByTimeAsync(ANSWER_MAX_MS);
  await put;
  expect(store.lackOf(idOf(1))).toBe('failing');
  blocking.close();
  await gone;
  const written = nextChange(store).then(() => nextChange(store));
  await vi.advanceTimersByTimeAsync(RETRY_FIRST_MS);
  await written;
  expect(await onDevice()).toEqual(['1']);
});

test.each([
  ['has no room', 'QuotaExceededError'],
  ['keeps no images, as in old private windows', 'DataCloneError'],
])(
  '[CHATS30] an image for which the device %s waits in memory alone, and is written once it can be',
  async (_, fault) => {
    const store = openTab().open();
    const full = refuseWriting(fault);
    await store.put(itemOf(1, { image: picture() }));
    expect([store.lackOf(idOf(1)), store.isLasting()]).toEqual(['refused', true]);
    full.mockRestore();
    await store.put(itemOf(2));
    expect([store.lackOf(idOf(2)), await onDevice()]).toEqual([undefined, ['2']]);
    expect(await store.list(ME)).toMatchObject({ items: [{ text: '2' }, { text: '1' }], isWhole: true });
    const written = nextChange(store);
    await vi.advanceTimersByTimeAsync(RETRY_FIRST_MS);
    await written;
    expect([await onDevice(), store.hasLacks()]).toEqual([['1', '2'], false]);
  },
);

test('[CHATS25] what is dropped while the device can’t remove it isn’t there after a reload', async () => {
  const tab = openTab();
  const store = tab.open();
  await store.put(itemOf(1));
  const failing = vi.spyOn(IDBDatabase.prototype, 'transaction').mockImplementation(() => {
    throw new DOMException('Lost', 'UnknownError');
  });
  await store.remove(idOf(1));
  failing.mockRestore();
  const later = tab.open();
  expect(await textsOf(later)).toEqual([]);
  await vi.waitFor(async () => expect(await onDevice()).toEqual([]));
});

test('what another version stored in another shape is left where it is', async () => {
  const store = openTab().open();
  await store.put(itemOf(1));
  await store.put({ ...itemOf(2), order: 'later' } as never);
  expect([await onDevice(), await onDevice()]).toEqual([['1'], ['1']]);
});
