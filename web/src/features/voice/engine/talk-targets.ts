import { createListeners } from '#src/shared/listeners.ts';
import type { Stop } from './platform.ts';
import type { Hold } from './talk-holds.ts';
import type { LatchedTalk } from './talk-latch.ts';
import type { TalkState, VoiceRoom } from './types.ts';

type TargetRoom = Pick<VoiceRoom, 'press' | 'release' | 'letGo' | 'stop' | 'subscribe' | 'getSnapshot'>;

/** Several rooms that one press talks to [TALK145]. */
export interface TalkTargets extends LatchedTalk {
  /** Which rooms the next press talks to. A press that is held goes on in the rooms that it began in, and its release ends it there. */
  setRooms(rooms: readonly TargetRoom[]): void;
  close(): void;
}

/** Of several rooms' states the first of these is shown. */
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
  /** What was pressed, and where. */
  const pressed = new Map<Hold | undefined, readonly TargetRoom[]>();

  /** The rooms that one hold talks to, or all holds together, which are over then. */
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
      stops = rooms.map((room) => room.subscribe(listeners.tell));
      listeners.tell();
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
