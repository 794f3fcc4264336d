import { isHeld } from './button-acts.ts';
import type { Clock, Stop } from './platform.ts';
import type { TalkState, VoiceRoom } from './types.ts';

/** How long a refusal or revocation is shown before the switch is off again. */
export const OUTCOME_MS = 3_000;

/** A switch of the microphone: turning it on is a press, and off its release [VID10]. */
export interface TalkLatch {
  toggle(): void;
  /** Ends a talk that it began. */
  close(): void;
}

export const createTalkLatch = (
  talk: Pick<VoiceRoom, 'press' | 'release' | 'stop' | 'getSnapshot' | 'subscribe'>,
  clock: Clock,
): TalkLatch => {
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
    if (!isHeld(state)) drop();
    // Nobody holds a switch down: it goes off by itself.
    else if (isOver(state))
      cancel ??= clock.after(OUTCOME_MS, () => {
        drop();
        talk.release();
      });
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
