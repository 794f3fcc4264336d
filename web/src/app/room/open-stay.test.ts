import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createStays } from '#src/features/voice/stays.ts';
import { createStorage } from '#src/shared/storage.ts';
import { createFakeRoomSession, roomSnapshot } from '#test/fake-room-session.ts';
import { createRealtimeDouble } from '#test/realtime-double.ts';
import { openStay } from './open-stay.ts';

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

/** Starts a stay that shares its position. */
function share() {
  const fake = createFakeRoomSession();
  const stays = createStays();
  const storage = createStorage({ local: window.localStorage, session: window.sessionStorage });
  const open = (room: string) =>
    openStay({ room, realtime: createRealtimeDouble(), storage, openRoom: () => createFakeRoomSession().room });
  const stay = stays.enter('MaraudeNord', (room) =>
    openStay({ room, realtime: createRealtimeDouble(), storage, openRoom: () => fake.room }),
  );
  expect(stay.sharing.getSnapshot()).toEqual({ state: 'off' });
  stay.sharing.start();
  expect(watches.size).toBe(1);
  return { ...fake, stay, stays, open };
}

test('[POS30] sharing goes on while the stay does, on whatever page, and whatever the link', () => {
  const { stay, stays, show } = share();
  stay.room.pageTalk.setKey({ isOnItsPage: false });
  show(roomSnapshot({ status: { state: 'lost' } }));
  show(roomSnapshot());
  expect(stay.sharing.getSnapshot()).toEqual({ state: 'searching' });
  expect(watches.size).toBe(1);
  stays.leave();
});

const ENDS: [string, (bench: ReturnType<typeof share>) => void][] = [
  ['the room is left', ({ stays }) => stays.leave()],
  ['another room is entered', ({ stays, open }) => void stays.enter('Quart', open)],
  ['one is removed', ({ show }) => show(roomSnapshot({ status: { state: 'closed', reason: 'removed' } }))],
  ['the channel is deleted', ({ show }) => show(roomSnapshot({ status: { state: 'closed', reason: 'deleted' } }))],
  ['the session is over', ({ show }) => show(roomSnapshot({ status: { state: 'closed', reason: 'signed_out' } }))],
  ['the way back is refused', ({ show }) => show(roomSnapshot({ status: { state: 'refused', code: 'not_a_member' } }))],
];
test.each(ENDS)('[POS30] sharing ends when %s', (_when, end) => {
  const bench = share();
  end(bench);
  expect(bench.stay.sharing.getSnapshot()).toEqual({ state: 'off' });
  expect(watches.size).toBe(0);
  expect(bench.stays.getSnapshot()?.sharing.getSnapshot() ?? { state: 'off' }).toEqual({ state: 'off' });
  bench.stays.leave();
});
