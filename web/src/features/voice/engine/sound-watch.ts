import type { Clock, Stop } from './platform.ts';

const LOOK_EVERY_MS = 500;
/** Sound may come this much before the news of its grant, and end this much after that of its release. */
const SURE_AFTER_MS = 250;

export interface SoundWatchDeps {
  clock: Clock;
  /** Nobody has the floor, by the newest snapshot. */
  isIdle(): boolean;
  /** Voice has arrived since the last call, played or not. */
  isSounding(): boolean;
  /** Sound arrives though nobody should talk. Called again while it lasts. */
  onSound(): void;
}

/** Notices sound on an idle floor: news of the floor must have been lost [TALK103]. Looks at nothing while somebody talks. */
export const createSoundWatch = ({ clock, isIdle, isSounding, onSound }: SoundWatchDeps) => {
  let isStarted = false;
  let cancel: Stop | null = null;
  const hears = () => isIdle() && isSounding();
  const look = () => {
    if (!hears()) return rest();
    cancel = clock.after(SURE_AFTER_MS, () => {
      if (hears()) onSound();
      rest();
    });
  };
  const rest = () => {
    cancel = isIdle() ? clock.after(LOOK_EVERY_MS, look) : null;
  };
  const pause = () => {
    cancel?.();
    cancel = null;
  };
  return {
    start() {
      isStarted = true;
      pause();
      rest();
    },
    /** Call when the floor may have become idle. */
    follow() {
      if (isStarted && cancel === null) rest();
    },
    stop() {
      isStarted = false;
      pause();
    },
  };
};
