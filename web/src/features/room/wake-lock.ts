import type { Stop } from '#src/features/voice/engine/platform.ts';

/** The browser's part of keeping a screen on (W3C Screen Wake Lock). */
export interface WakeLockPlatform {
  document: Pick<Document, 'visibilityState' | 'addEventListener' | 'removeEventListener'>;
  /** Undefined if the browser has no wake lock, or the page is not secure. */
  wakeLock: Pick<WakeLock, 'request'> | undefined;
}

/**
 * Keeps the screen on, for a listener who holds a phone. The browser ends the lock whenever the page is hidden, so the
 * page asks for it again when it is shown. A refusal (low battery) changes nothing else.
 */
export function keepScreenOn({ document, wakeLock }: WakeLockPlatform): Stop {
  let lock: WakeLockSentinel | undefined;
  let isOver = false;
  const ask = async () => {
    if (wakeLock === undefined || document.visibilityState !== 'visible') return;
    try {
      const got = await wakeLock.request('screen');
      if (isOver) await got.release();
      else lock = got;
    } catch {
      // Refused: the page asks again the next time it is shown.
    }
  };
  const onShown = () => void ask();
  document.addEventListener('visibilitychange', onShown);
  void ask();
  return () => {
    isOver = true;
    document.removeEventListener('visibilitychange', onShown);
    void lock?.release();
  };
}
