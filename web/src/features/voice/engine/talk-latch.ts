import { isHeld } from './is-held.ts';
import type { Clock, Stop } from './platform.ts';
import type { RoomSnapshot, TalkState, VoiceRoom } from './types.ts';

/** How long a refusal or revocation is shown before the switch is off again. */
export const OUTCOME_MS = 3_000;

/** A switch of the microphone, or a button that is clicked: turning it on is a press, and off its release [VID10] [TALK55]. */
export interface TalkLatch {
  toggle(): void;
  /** Ends a talk that it began. */
  close(): void;
}

export interface LatchedTalk extends Pick<VoiceRoom, 'press' | 'release' | 'letGo' | 'stop' | 'subscribe'> {
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
      // Not held any more, or held anew by somebody else, whose talk this one's end must not end.
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
