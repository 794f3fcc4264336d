import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createStorage } from '#src/shared/storage.ts';
import { createFakeRoomSession, roomSnapshot } from '#test/fake-room-session.ts';
import { createRealtimeDouble } from '#test/realtime-double.ts';
import { createEnteredRoom } from './create-entered-room.ts';
import { createEnteredRooms } from './entered-rooms.ts';

const watches = new Set<number>();
beforeEach(() => {
  watches.clear();
  vi.stubGlobal('isSecureContext', true);
  Object.defineProperty(navigator, 'geolocation', {
    configurable: true,
    value: {
      watchPosition: () => {
        watches.add(1);
        return 1;
      },
      clearWatch: (watch: number) => watches.delete(watch),
      getCurrentPosition: () => undefined,
    },
  });
});
afterEach(() => {
  Reflect.deleteProperty(navigator, 'geolocation');
  vi.unstubAllGlobals();
});

/** Enters a room and shares the position there. */
function share() {
  const fake = createFakeRoomSession();
  const enteredRooms = createEnteredRooms();
  const storage = createStorage({ local: window.localStorage, session: window.sessionStorage });
  const open = (room: string) =>
    createEnteredRoom({
      room,
      realtime: createRealtimeDouble(),
      storage,
      openRoom: () => createFakeRoomSession().room,
    });
  const enteredRoom = enteredRooms.enter('MaraudeNord', (room) =>
    createEnteredRoom({ room, realtime: createRealtimeDouble(), storage, openRoom: () => fake.room }),
  );
  expect(enteredRoom.sharing.getSnapshot()).toEqual({ state: 'off' });
  enteredRoom.sharing.start();
  expect(watches.size).toBe(1);
  return { ...fake, enteredRoom, enteredRooms, open };
}

test('[POS30] sharing goes on while the stay does, on whatever page, and whatever the link', () => {
  const { enteredRoom, enteredRooms, show } = share();
  enteredRoom.room.pageTalk.setKey({ isOnItsPage: false });
  show(roomSnapshot({ status: { state: 'lost' } }));
  show(roomSnapshot());
  expect(enteredRoom.sharing.getSnapshot()).toEqual({ state: 'searching' });
  expect(watches.size).toBe(1);
  enteredRooms.leave();
});

const ENDS: [string, (bench: ReturnType<typeof share>) => void][] = [
  ['the room is left', ({ enteredRooms }) => enteredRooms.leave()],
  ['another room is entered', ({ enteredRooms, open }) => void enteredRooms.enter('Quart', open)],
  ['one is removed', ({ show }) => show(roomSnapshot({ status: { state: 'closed', reason: 'removed' } }))],
  ['the channel is deleted', ({ show }) => show(roomSnapshot({ status: { state: 'closed', reason: 'deleted' } }))],
  ['the session is over', ({ show }) => show(roomSnapshot({ status: { state: 'closed', reason: 'signed_out' } }))],
  ['the way back is refused', ({ show }) => show(roomSnapshot({ status: { state: 'refused', code: 'not_a_member' } }))],
];
test.each(ENDS)('[POS30] sharing ends when %s', (_when, end) => {
  const bench = share();
  end(bench);
  expect(bench.enteredRoom.sharing.getSnapshot()).toEqual({ state: 'off' });
  expect(watches.size).toBe(0);
  expect(bench.enteredRooms.getSnapshot()?.sharing.getSnapshot() ?? { state: 'off' }).toEqual({ state: 'off' });
  bench.enteredRooms.leave();
});
