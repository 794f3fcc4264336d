import type { Stop } from './engine/platform.ts';

/** The parts of the browser that keep a screen on (W3C Screen Wake Lock). */
export interface WakeLockPlatform {
  document: Pick<Document, 'visibilityState' | 'addEventListener' | 'removeEventListener'>;
  /** Undefined where the browser has none, or the page is not secure. */
  wakeLock: Pick<WakeLock, 'request'> | undefined;
}

/**
 * Keeps the screen on, for a phone in a hand that listens. The browser ends the lock whenever the page is hidden, so it is
 * asked for again when the page is back. A refusal (low battery) changes nothing else.
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
      // Refused: asked again the next time the page is shown.
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
