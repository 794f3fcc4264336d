import { createListeners } from '#src/shared/listeners.ts';
import type { Clock, Stop } from './platform.ts';
import type { TalkControl } from './talk-control.ts';
import type { RoomSnapshot, TalkState } from './types.ts';

/** Whether the button is held down: from the press until the release, whatever its outcome. */
export const isHeld = ({ state }: TalkState): boolean => state !== 'idle' && state !== 'ending' && state !== 'unheard';

/** A key or pointer that is down and holds a talk. A symbol, so that no event is mistaken for one. */
export type Hold = symbol;

/**
 * Several keys and pointers may hold one talk, which lasts until the last of them is released [TALK119]. Any other end
 * of the talk ends all holds: keys and pointers that are still down hold nothing any more, and end no later talk.
 */
export type TalkHolds = Record<'press' | 'release' | 'stop', (by?: Hold) => void> & { letGo(): void };

/** The hold of a switch, or of the page that hosts this one. The first key or pointer that is pressed replaces it. */
const NO_HAND: Hold = Symbol('no hand');

export const createTalkHolds = (
  talk: Pick<TalkControl, 'state' | 'press' | 'release' | 'letGo' | 'stop'>,
): TalkHolds => {
  const holds = new Set<Hold>();

  const isRefused = () => {
    const { state } = talk.state();
    return state === 'denied' || state === 'revoked';
  };

  /** @returns whether nothing holds the talk any more; without `by`, all holds are dropped */
  const drop = (by: Hold | undefined): boolean => {
    if (by === undefined) holds.clear();
    else if (!holds.delete(by)) return false;
    return holds.size === 0;
  };

  return {
    press(by = NO_HAND) {
      // Keys and pointers that were down when the talk was refused or revoked have no effect any more [TALK44]. Any
      // other press is a new one.
      if (isRefused() && !holds.has(by)) {
        holds.clear();
        talk.letGo();
      }
      if (by !== NO_HAND) holds.delete(NO_HAND);
      else if (holds.size > 0) return;
      holds.add(by);
      talk.press();
    },
    release(by) {
      if (drop(by)) talk.release();
    },
    stop(by) {
      if (drop(by)) talk.stop();
    },
    letGo() {
      holds.clear();
      talk.letGo();
    },
  };
};

/** How long a refusal or revocation is shown before the switch is off again. */
export const OUTCOME_MS = 3_000;

/**
 * A switch of the microphone, or a button that is clicked: turning it on is a press, turning it off a release [VID10]
 * [TALK55].
 */
export interface TalkLatch {
  toggle(): void;
  /** Ends a talk that the switch began. */
  close(): void;
}

export interface LatchedTalk extends TalkHolds {
  subscribe(listener: () => void): () => void;
  getSnapshot(): Pick<RoomSnapshot, 'talk'>;
}

export const createTalkLatch = (talk: LatchedTalk, clock: Clock): TalkLatch => {
  let isLatched = false;
  let cancel: Stop | null = null;

  const drop = () => {
    isLatched = false;
    cancel?.();
    cancel = null;
  };

  const stop = talk.subscribe(() => {
    if (!isLatched) return;
    const { talk: state } = talk.getSnapshot();
    if (!isOver(state)) {
      // The talk is no longer held, or somebody else holds it anew: this switch's end must not end theirs.
      if (!isHeld(state) || cancel !== null) drop();
    } else if (cancel === null) {
      cancel = clock.after(OUTCOME_MS, () => {
        drop();
        talk.release();
      });
      // Nobody holds a switch down: the next press, by a key or a finger, is a new one.
      talk.letGo();
    }
  });

  return {
    toggle() {
      const { talk: state } = talk.getSnapshot();
      drop();
      if (isHeld(state)) talk.release();
      if (isHeld(state) && !isOver(state)) return;
      isLatched = true;
      talk.press();
    },
    close() {
      stop();
      if (isLatched) talk.stop();
      drop();
    },
  };
};

const isOver = ({ state }: TalkState): boolean => state === 'denied' || state === 'revoked';

export interface TargetRoom extends TalkHolds {
  getSnapshot(): RoomSnapshot;
  subscribe(listener: () => void): () => void;
}

/** Several rooms that one press talks to [TALK145]. */
export interface TalkTargets extends LatchedTalk {
  /**
   * Sets the rooms that the next press talks to. A running press stays in the rooms where it began, and its release
   * ends it there.
   */
  setRooms(rooms: readonly TargetRoom[]): void;
  close(): void;
}

/** If several rooms differ, the first of these states is shown. */
const ORDER: readonly TalkState['state'][] = [
  'talking',
  'asking',
  'ending',
  'queued',
  'denied',
  'revoked',
  'unheard',
  'idle',
];

const IDLE: TalkState = { state: 'idle' };

export const createTalkTargets = (): TalkTargets => {
  const listeners = createListeners();
  let rooms: readonly TargetRoom[] = [];
  let stops: readonly Stop[] = [];
  /** The rooms of each running press. */
  const pressed = new Map<Hold | undefined, readonly TargetRoom[]>();

  /** Removes a hold and returns its rooms; without `by`, removes all holds and returns all rooms. */
  const take = (by: Hold | undefined): ReadonlySet<TargetRoom> => {
    const taken = by === undefined ? [...pressed.values(), rooms].flat() : (pressed.get(by) ?? []);
    if (by === undefined) pressed.clear();
    else pressed.delete(by);
    return new Set(taken);
  };

  return {
    setRooms(next) {
      rooms = next;
      for (const stop of stops) stop();
      stops = rooms.map((room) => room.subscribe(listeners.notify));
      listeners.notify();
    },
    press(by) {
      pressed.set(by, rooms);
      for (const room of rooms) room.press(by);
    },
    release(by) {
      for (const room of take(by)) room.release(by);
    },
    stop(by) {
      for (const room of take(by)) room.stop(by);
    },
    letGo() {
      for (const room of take(undefined)) room.letGo();
    },
    getSnapshot() {
      const states = rooms.map((room) => room.getSnapshot().talk);
      const talk = ORDER.map((wanted) => states.find(({ state }) => state === wanted)).find((one) => one !== undefined);
      return { talk: talk ?? IDLE };
    },
    subscribe: listeners.add,
    close() {
      for (const stop of stops) stop();
      for (const room of take(undefined)) room.stop();
    },
  };
};
