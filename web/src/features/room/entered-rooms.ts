import type { ChannelId } from '@pressel/contract/ids';
import type { PositionSharing } from '#src/features/positions/position-sharing.ts';
import type { RoomSession } from '#src/features/voice/engine/room-types.ts';
import { isFinal } from '#src/features/voice/engine/types.ts';
import type { VoiceActions } from '#src/features/voice/use-room-selector.ts';
import type { JoinedChannel } from '#src/shared/joined-channel.tsx';
import { createListeners } from '#src/shared/listeners.ts';
import type { SnapshotSource } from '#src/shared/use-snapshot.ts';

/** A room that the user is in, until they leave it, whatever page is shown meanwhile. */
export interface EnteredRoom {
  room: RoomSession;
  actions: VoiceActions;
  /** Shares this device's position. It ends when the room is left, not with its page [POS30]. */
  sharing: PositionSharing;
  /** Leaves the room and unbinds everything. */
  close(): void;
}

/**
 * The rooms that the user is in. They live outside React, so that they outlive their pages. Several may be entered at
 * once, and one has the focus: pages, bar and lists mean it by "the room". The snapshot is the room with the focus.
 */
export interface EnteredRooms extends SnapshotSource<EnteredRoom | undefined> {
  /** All entered rooms, in the order of entering. */
  all(): readonly EnteredRoom[];
  /**
   * Returns this room, with or without video: the existing one, or a new one. Leaves all others, and gives
   * this one the focus.
   */
  enter(roomKey: string, open: (roomKey: string) => EnteredRoom, hasVideo?: boolean): EnteredRoom;
  /**
   * The same for a page that isn't there yet. `enter` finds this room later, even if it was refused or ended meanwhile
   * [TALK156].
   */
  enterAhead(roomKey: string, open: (roomKey: string) => EnteredRoom): EnteredRoom;
  /**
   * Returns the rooms of these channels, in their order: existing ones, and new ones. Leaves all others; the first has
   * the focus.
   */
  enterTogether(channelIds: readonly ChannelId[], open: (channelId: ChannelId) => EnteredRoom): readonly EnteredRoom[];
  /** Leaves all rooms. */
  leave(): void;
  /** Leaves only this room. The next room gets its focus. */
  leaveOne(enteredRoom: EnteredRoom): void;
}

/** `place`: the address by which the room was entered. `isAhead`: the page isn't there yet. */
interface Entry {
  enteredRoom: EnteredRoom;
  address: string;
  isAhead: boolean;
}

export function createEnteredRooms(): EnteredRooms {
  const listeners = createListeners();
  /** The first entry has the focus. */
  let entries: readonly Entry[] = [];

  /** `address`: the room's rtcSession, or its channel's id. */
  const isIn = ({ enteredRoom, address: entered, isAhead }: Entry, address: string, hasVideo: boolean): boolean => {
    if ((enteredRoom.room.video !== null) !== hasVideo) return false;
    const { status, channel } = enteredRoom.room.getSnapshot();
    if (isFinal(status) && !isAhead) return false;
    // A renamed room has another address, and its old address may belong to another room.
    return channel === null ? entered === address : channel.rtcSession === address || channel.id === address;
  };
  const close = (leaving: readonly Entry[]) => {
    entries = entries.filter((entry) => !leaving.includes(entry));
    for (const { enteredRoom } of leaving) enteredRoom.close();
  };

  const leave = (leaving: readonly Entry[]) => {
    if (leaving.length === 0) return;
    close(leaving);
    listeners.notify();
  };

  /** Keeps these rooms where they are entered, opens the others, and leaves all rooms that are not requested. */
  const enter = <P extends string>(
    places: readonly P[],
    open: (place: P) => EnteredRoom,
    hasVideo: boolean,
    isAhead = false,
  ): readonly EnteredRoom[] => {
    const before = entries;
    const known = places.map((place) => before.find((entry) => isIn(entry, place, hasVideo)));
    const others = before.filter((entry) => !known.includes(entry));
    // The microphone stays open from one room to the next, so that the browser doesn't ask for it again.
    const release = others[0]?.enteredRoom.room.keepEngineOpen();
    close(others);
    entries = places.map((place, index) => {
      const entry = known[index] ?? { enteredRoom: open(place), address: place, isAhead };
      entry.isAhead &&= isAhead;
      return entry;
    });
    release?.();
    const isSame = entries.length === before.length && entries.every((entry, index) => entry === before[index]);
    if (!isSame) listeners.notify();
    return entries.map(({ enteredRoom }) => enteredRoom);
  };

  return {
    getSnapshot: () => entries[0]?.enteredRoom,
    all: () => entries.map(({ enteredRoom }) => enteredRoom),
    subscribe: listeners.add,
    enter: (roomKey, open, hasVideo = false) => enter([roomKey], open, hasVideo)[0] as EnteredRoom,
    enterAhead: (roomKey, open) => enter([roomKey], open, false, true)[0] as EnteredRoom,
    enterTogether: (channelIds, open) => enter(channelIds, open, false),
    leave: () => leave(entries),
    leaveOne: (enteredRoom) => leave(entries.filter((entry) => entry.enteredRoom === enteredRoom)),
  };
}

/** The channel of the room with the focus, and its talkers. Returns the same object while neither changes. */
export function joinedChannelOf(
  enteredRooms: Pick<EnteredRooms, 'getSnapshot' | 'subscribe'>,
): SnapshotSource<JoinedChannel | undefined> {
  let known: { joined: JoinedChannel | undefined; as: string } = { joined: undefined, as: '' };
  const read = (): JoinedChannel | undefined => {
    const room = enteredRooms.getSnapshot()?.room.getSnapshot();
    if (room === undefined || room.channel === null || isFinal(room.status)) return undefined;
    const talkers = room.participants
      .filter(({ isTalking }) => isTalking)
      .map(({ userId, name }) => ({ userId, name }));
    return { channelId: room.channel.id, talkers };
  };
  return {
    getSnapshot() {
      const joined = read();
      const as = JSON.stringify(joined ?? null);
      if (as !== known.as) known = { joined, as };
      return known.joined;
    },
    subscribe(listener) {
      let leaveRoom: (() => void) | undefined;
      const follow = () => {
        leaveRoom?.();
        leaveRoom = enteredRooms.getSnapshot()?.room.subscribe(listener);
      };
      const leaveEnteredRooms = enteredRooms.subscribe(() => {
        follow();
        listener();
      });
      follow();
      return () => {
        leaveEnteredRooms();
        leaveRoom?.();
      };
    },
  };
}
