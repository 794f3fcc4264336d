import { expect, test, vi } from 'vitest';
import type { RoomSession } from '#src/features/voice/engine/room-types.ts';
import { createStays, type Stay, type Stays } from '#src/features/voice/stays.ts';
import type { PositionSharing } from '#src/shared/position-sharing.ts';
import { createStorage } from '#src/shared/storage.ts';
import { createFakeRoomSession, fakeStay, roomSnapshot } from '#test/fake-room-session.ts';
import { createRealtimeDouble } from '#test/realtime-double.ts';
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
  const stayIn = (change: Parameters<typeof roomSnapshot>[0] = {}, isSharing = false): Stay => {
    const { room } = createFakeRoomSession(roomSnapshot(change));
    return fakeStay({ ...room, pageTalk: { ...room.pageTalk, setKey } }, sharingOf(isSharing));
  };
  const openStay = vi.fn<(deps: { room: string }) => Stay>(() =>
    stayIn({ channel: null, status: { state: 'joining' } }),
  );
  const comeBack = async (stays: Stays = createStays(), userId = USER) => {
    const loadStays = async () => ({ openStay, openRoomSession: () => createFakeRoomSession().room });
    await returnToRoom({ stays, storage, realtime: createRealtimeDouble(), userId, loadStays });
    return stays;
  };
  const leaveFrom = (stay: Stay | undefined) => {
    const stays = createStays();
    if (stay !== undefined) stays.enter('MaraudeNord', () => stay);
    keepReturn(stays, storage, USER);
  };
  return { stayIn, openStay, comeBack, leaveFrom, start, setKey };
}

test('[APP17] the room is entered again after the reload, once, whatever page is shown', async () => {
  const { leaveFrom, stayIn, comeBack, openStay, setKey, start } = openTab();
  leaveFrom(stayIn());
  const stays = await comeBack();
  expect(stays.getSnapshot()).toBeDefined();
  expect(openStay).toHaveBeenCalledWith(expect.objectContaining({ room: 'MaraudeNord' }));
  expect(setKey).toHaveBeenCalledWith({ isOnItsPage: false });
  expect(start).not.toHaveBeenCalled();
  await comeBack();
  expect(openStay, 'a later load enters nothing').toHaveBeenCalledTimes(1);
});

test('[APP17] who shared their position goes on with it, also where the room’s own page was quicker', async () => {
  const { leaveFrom, stayIn, comeBack, openStay, setKey, start } = openTab();
  leaveFrom(stayIn({}, true));
  const stays = createStays();
  stays.enter('MaraudeNord', () => stayIn());
  await comeBack(stays);
  expect(openStay).not.toHaveBeenCalled();
  expect(setKey).not.toHaveBeenCalled();
  expect(start).toHaveBeenCalledTimes(1);
});

test('[APP17] in another room, which was entered meanwhile, nothing is shared', async () => {
  const { leaveFrom, stayIn, comeBack, start } = openTab();
  leaveFrom(stayIn({}, true));
  const stays = createStays();
  const channel = { ...roomSnapshot().channel, rtcSession: 'Sud' } as ReturnType<typeof roomSnapshot>['channel'];
  stays.enter('Sud', () => stayIn({ channel }));
  await comeBack(stays);
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
  expect((await comeBack(createStays(), 'user-2')).getSnapshot()).toBeUndefined();
  leaveFrom(stayIn());
  vi.spyOn(Date, 'now').mockReturnValue(Date.now() + 61_000);
  expect((await comeBack()).getSnapshot()).toBeUndefined();
});
