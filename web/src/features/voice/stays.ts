import type { Here } from '#src/shared/here.tsx';
import { createListeners } from '#src/shared/listeners.ts';
import type { PositionSharing } from '#src/shared/position-sharing.ts';
import type { SnapshotSource } from '#src/shared/use-snapshot.ts';
import type { VoiceRoom } from './engine/types.ts';
import { isFinal } from './final-status.ts';
import type { VoiceActions } from './voice-actions.ts';

/** A visit to a room. It lasts until it is left, whatever page is shown meanwhile. */
export interface Stay {
  room: VoiceRoom;
  actions: VoiceActions;
  /** Of this device's position. It ends with the stay, not with its page [POS30]. */
  sharing: PositionSharing;
  /** KeyboardEvent.code of the key that talks. */
  setTalkKey(code: string): void;
  /** That key, and whether a talk is held by it or by the button. */
  talkKey(): { code: string; isHeld: boolean };
  /** While a talk key is being chosen, no key talks. */
  setChoosingKey(isChoosing: boolean): void;
  /** Whether the room's own page is shown. On others the talk key leaves buttons and links alone [TALK111]. */
  setOnItsPage(isOnItsPage: boolean): void;
  /** Leaves the room and unbinds all. */
  close(): void;
}

/** The rooms that somebody is in: outside React, so that a stay outlives its page. One at a time. */
export interface Stays extends SnapshotSource<Stay | undefined> {
  /**
   * The stay in this room, with or without video; the one that is there already, or a new one, for which any other is
   * left.
   */
  enter(roomKey: string, open: (roomKey: string) => Stay, hasVideo?: boolean): Stay;
  leave(): void;
}

export function createStays(): Stays {
  const listeners = createListeners();
  let current: { stay: Stay; roomKey: string } | undefined;

  const isIn = (roomKey: string, hasVideo: boolean): boolean => {
    if (current === undefined || (current.stay.room.video !== null) !== hasVideo) return false;
    const { status, channel } = current.stay.room.getSnapshot();
    // A room that was renamed is another address, and its old address may be another room's.
    return !isFinal(status) && (channel?.rtcSession ?? current.roomKey) === roomKey;
  };
  const drop = () => {
    current?.stay.close();
    current = undefined;
  };

  return {
    getSnapshot: () => current?.stay,
    subscribe: listeners.add,
    enter(roomKey, open, hasVideo = false) {
      if (current !== undefined && isIn(roomKey, hasVideo)) return current.stay;
      // The microphone stays open from one room to the next, so that the browser doesn't ask for it again.
      const release = current?.stay.room.hold();
      drop();
      const stay = open(roomKey);
      release?.();
      current = { stay, roomKey };
      listeners.tell();
      return stay;
    },
    leave() {
      if (current === undefined) return;
      drop();
      listeners.tell();
    },
  };
}

/** The room that one is in and who talks there, whichever stay it is. The same object while nothing of it changes. */
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
