import type { TalkControl } from './talk-control.ts';

/** What holds a talk: a key or a pointer that is down. A symbol, so that no event is taken for one. */
export type Hold = symbol;

/**
 * Several keys and pointers may hold one talk, which lasts until the last of them is let go [TALK119]. Every other end of it is the end
 * of all: what is still down then holds nothing any more, and ends no later talk either.
 */
export type TalkHolds = Record<'press' | 'release' | 'stop', (by?: Hold) => void> & { letGo(): void };

/** No hand: a switch, or the page that hosts this one. It gives way to the first key or pointer that is pressed. */
const NO_HAND: Hold = Symbol('no hand');

export const createTalkHolds = (
  talk: Pick<TalkControl, 'state' | 'press' | 'release' | 'letGo' | 'stop'>,
): TalkHolds => {
  const holds = new Set<Hold>();

  const isRefused = () => {
    const { state } = talk.state();
    return state === 'denied' || state === 'revoked';
  };

  /** @returns whether nothing holds the talk any more; without `by` that is so at once */
  const drop = (by: Hold | undefined): boolean => {
    if (by === undefined) holds.clear();
    else if (!holds.delete(by)) return false;
    return holds.size === 0;
  };

  return {
    press(by = NO_HAND) {
      // What was down when the talk was refused or revoked has no effect any more [TALK44]; anything else is a new press.
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
