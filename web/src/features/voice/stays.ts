import type { ChannelId } from '@pressel/contract/ids';
import type { Here } from '#src/shared/here.tsx';
import { createListeners } from '#src/shared/listeners.ts';
import type { PositionSharing } from '#src/shared/position-sharing.ts';
import type { SnapshotSource } from '#src/shared/use-snapshot.ts';
import type { RoomSession } from './engine/room-types.ts';
import { isFinal } from './final-status.ts';
import type { VoiceActions } from './voice-actions.ts';

/** A participant's stay in a room. It lasts until the user leaves, whatever page is shown meanwhile. */
export interface Stay {
  room: RoomSession;
  actions: VoiceActions;
  /** Shares this device's position. It ends with the stay, not with its page [POS30]. */
  sharing: PositionSharing;
  /** Leaves the room and unbinds everything. */
  close(): void;
}

/**
 * The rooms that the user is in. They live outside React, so that a stay outlives its page. Several stays may exist at
 * once, and one has the focus: pages, bar and lists mean it by "the room". The snapshot is the stay with the focus.
 */
export interface Stays extends SnapshotSource<Stay | undefined> {
  /** All stays, in the order of entering. */
  all(): readonly Stay[];
  /**
   * Returns the stay in this room, with or without video: the existing one, or a new one. Leaves all others, and gives
   * this stay the focus.
   */
  enter(roomKey: string, open: (roomKey: string) => Stay, hasVideo?: boolean): Stay;
  /**
   * The same for a page that isn't there yet. `enter` finds this stay later, even if it was refused or ended meanwhile
   * [TALK156].
   */
  enterAhead(roomKey: string, open: (roomKey: string) => Stay): Stay;
  /**
   * Returns the stays in these channels, in their order: existing ones, and new ones. Leaves all others; the first has
   * the focus.
   */
  enterTogether(channelIds: readonly ChannelId[], open: (channelId: ChannelId) => Stay): readonly Stay[];
  /** Leaves all rooms. */
  leave(): void;
  /** Leaves only this room. The next stay gets its focus. */
  leaveOne(stay: Stay): void;
}

/** `place`: the address by which the room was entered. `isAhead`: the page isn't there yet. */
interface Entry {
  stay: Stay;
  place: string;
  isAhead: boolean;
}

export function createStays(): Stays {
  const listeners = createListeners();
  /** The first entry has the focus. */
  let entries: readonly Entry[] = [];

  /** `address`: the room's rtcSession, or its channel's id. */
  const isIn = ({ stay, place, isAhead }: Entry, address: string, hasVideo: boolean): boolean => {
    if ((stay.room.video !== null) !== hasVideo) return false;
    const { status, channel } = stay.room.getSnapshot();
    if (isFinal(status) && !isAhead) return false;
    // A renamed room has another address, and its old address may belong to another room.
    return channel === null ? place === address : channel.rtcSession === address || channel.id === address;
  };
  const close = (leaving: readonly Entry[]) => {
    entries = entries.filter((entry) => !leaving.includes(entry));
    for (const { stay } of leaving) stay.close();
  };

  const leave = (leaving: readonly Entry[]) => {
    if (leaving.length === 0) return;
    close(leaving);
    listeners.tell();
  };

  /** Keeps existing stays in these rooms, opens the others, and leaves all rooms that are not requested. */
  const enter = <P extends string>(
    places: readonly P[],
    open: (place: P) => Stay,
    hasVideo: boolean,
    isAhead = false,
  ): readonly Stay[] => {
    const before = entries;
    const known = places.map((place) => before.find((entry) => isIn(entry, place, hasVideo)));
    const others = before.filter((entry) => !known.includes(entry));
    // The microphone stays open from one room to the next, so that the browser doesn't ask for it again.
    const release = others[0]?.stay.room.hold();
    close(others);
    entries = places.map((place, index) => {
      const entry = known[index] ?? { stay: open(place), place, isAhead };
      entry.isAhead &&= isAhead;
      return entry;
    });
    release?.();
    const isSame = entries.length === before.length && entries.every((entry, index) => entry === before[index]);
    if (!isSame) listeners.tell();
    return entries.map(({ stay }) => stay);
  };

  return {
    getSnapshot: () => entries[0]?.stay,
    all: () => entries.map(({ stay }) => stay),
    subscribe: listeners.add,
    enter: (roomKey, open, hasVideo = false) => enter([roomKey], open, hasVideo)[0] as Stay,
    enterAhead: (roomKey, open) => enter([roomKey], open, false, true)[0] as Stay,
    enterTogether: (channelIds, open) => enter(channelIds, open, false),
    leave: () => leave(entries),
    leaveOne: (stay) => leave(entries.filter((entry) => entry.stay === stay)),
  };
}

/** The focused stay's channel and its talkers. Returns the same object while neither changes. */
export function hereOf(stays: Pick<Stays, 'getSnapshot' | 'subscribe'>): SnapshotSource<Here | undefined> {
  let known: { here: Here | undefined; as: string } = { here: undefined, as: '' };
  const read = (): Here | undefined => {
    const room = stays.getSnapshot()?.room.getSnapshot();
    if (room === undefined || room.channel === null || isFinal(room.status)) return undefined;
    const talkers = room.participants
      .filter(({ isTalking }) => isTalking)
      .map(({ userId, name }) => ({ userId, name }));
    return { channelId: room.channel.id, talkers };
  };
  return {
    getSnapshot() {
      const here = read();
      const as = JSON.stringify(here ?? null);
      if (as !== known.as) known = { here, as };
      return known.here;
    },
    subscribe(listener) {
      let leaveRoom: (() => void) | undefined;
      const follow = () => {
        leaveRoom?.();
        leaveRoom = stays.getSnapshot()?.room.subscribe(listener);
      };
      const leaveStays = stays.subscribe(() => {
        follow();
        listener();
      });
      follow();
      return () => {
        leaveStays();
        leaveRoom?.();
      };
    },
  };
}
