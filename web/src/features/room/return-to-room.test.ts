import { expect, test, vi } from 'vitest';
import type { PositionSharing } from '#src/features/positions/position-sharing.ts';
import type { RoomSession } from '#src/features/voice/engine/room-types.ts';
import { createStorage } from '#src/shared/storage.ts';
import { nextTask } from '#src/shared/when-idle.ts';
import { createFakeRoomSession, fakeEnteredRoom, roomSnapshot } from '#test/fake-room-session.ts';
import { createRealtimeDouble } from '#test/realtime-double.ts';
import { createEnteredRooms, type EnteredRoom, type EnteredRooms } from './entered-rooms.ts';
import { keepReturn, returnToRoom } from './return-to-room.ts';

const USER = 'user-1';

/** Opens a tab that can reload: of the page before, only session storage survives. */
function openTab() {
  const storage = createStorage({ local: window.localStorage, session: window.sessionStorage });
  const start = vi.fn<() => void>();
  const setKey = vi.fn<RoomSession['pageTalk']['setKey']>();
  const sharingOf = (isOn: boolean): PositionSharing => ({
    getSnapshot: () => (isOn ? { state: 'on', isPending: false } : { state: 'off' }),
    subscribe: () => () => undefined,
    start,
    stop: () => undefined,
  });
  const stayIn = (change: Parameters<typeof roomSnapshot>[0] = {}, isSharing = false): EnteredRoom => {
    const { room } = createFakeRoomSession(roomSnapshot(change));
    return fakeEnteredRoom({ ...room, pageTalk: { ...room.pageTalk, setKey } }, sharingOf(isSharing));
  };
  const openStay = vi.fn<(deps: { room: string }) => EnteredRoom>(() =>
    stayIn({ channel: null, status: { state: 'joining' } }),
  );
  const comeBack = async (enteredRooms: EnteredRooms = createEnteredRooms(), userId = USER) => {
    const loadStays = async () => ({
      createEnteredRoom: openStay,
      openRoomSession: () => createFakeRoomSession().room,
    });
    await returnToRoom({ enteredRooms, storage, realtime: createRealtimeDouble(), userId, loadRoomCode: loadStays });
    return enteredRooms;
  };
  const leaveFrom = (enteredRoom: EnteredRoom | undefined) => {
    const enteredRooms = createEnteredRooms();
    if (enteredRoom !== undefined) enteredRooms.enter('MaraudeNord', () => enteredRoom);
    keepReturn(enteredRooms, storage, USER);
  };
  return { stayIn, openStay, comeBack, leaveFrom, start, setKey };
}

test('[APP17] the room is entered again after the reload, once, whatever page is shown', async () => {
  const { leaveFrom, stayIn, comeBack, openStay, setKey, start } = openTab();
  leaveFrom(stayIn());
  const enteredRooms = await comeBack();
  expect(enteredRooms.getSnapshot()).toBeDefined();
  expect(openStay).toHaveBeenCalledWith(expect.objectContaining({ room: 'MaraudeNord' }));
  expect(setKey).toHaveBeenCalledWith({ isOnItsPage: false });
  expect(start).not.toHaveBeenCalled();
  await comeBack();
  expect(openStay, 'a later load enters nothing').toHaveBeenCalledTimes(1);
});

test('[APP17] who shared their position goes on with it, also where the room’s own page was quicker', async () => {
  const { leaveFrom, stayIn, comeBack, openStay, setKey, start } = openTab();
  leaveFrom(stayIn({}, true));
  const enteredRooms = createEnteredRooms();
  enteredRooms.enter('MaraudeNord', () => stayIn());
  await comeBack(enteredRooms);
  expect(openStay).not.toHaveBeenCalled();
  expect(setKey).not.toHaveBeenCalled();
  expect(start).toHaveBeenCalledTimes(1);
});

test('[TALK156] the room’s own page, which enters it in the next task, comes first', async () => {
  const { leaveFrom, stayIn, comeBack, openStay } = openTab();
  leaveFrom(stayIn());
  const enteredRooms = createEnteredRooms();
  const ahead = nextTask().then(() => enteredRooms.enterAhead('MaraudeNord', () => stayIn()));
  await Promise.all([comeBack(enteredRooms), ahead]);
  expect(openStay).not.toHaveBeenCalled();
});

test('[APP17] in another room, which was entered meanwhile, nothing is shared', async () => {
  const { leaveFrom, stayIn, comeBack, start } = openTab();
  leaveFrom(stayIn({}, true));
  const enteredRooms = createEnteredRooms();
  const channel = { ...roomSnapshot().channel, rtcSession: 'Sud' } as ReturnType<typeof roomSnapshot>['channel'];
  enteredRooms.enter('Sud', () => stayIn({ channel }));
  await comeBack(enteredRooms);
  expect(start).not.toHaveBeenCalled();
});

test('[APP17] nobody comes back to a room that they were not in, or that was over', async () => {
  const { leaveFrom, stayIn, comeBack } = openTab();
  leaveFrom(undefined);
  leaveFrom(stayIn({ status: { state: 'closed', reason: 'removed' } }));
  expect((await comeBack()).getSnapshot()).toBeUndefined();
});

test('[APP17] nor somebody else, nor minutes later', async () => {
  const { leaveFrom, stayIn, comeBack } = openTab();
  leaveFrom(stayIn());
  expect((await comeBack(createEnteredRooms(), 'user-2')).getSnapshot()).toBeUndefined();
  leaveFrom(stayIn());
  vi.spyOn(Date, 'now').mockReturnValue(Date.now() + 61_000);
  expect((await comeBack()).getSnapshot()).toBeUndefined();
});
