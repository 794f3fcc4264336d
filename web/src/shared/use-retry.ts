import { useEffect, useEffectEvent } from 'react';

/** Interval of automatic retries, ms. */
export const RETRY_MS = 5_000;

/** Tries again while the component is mounted and the server is away: every few seconds, and as soon as there is a network. */
export function useRetry(isAway: boolean, again: () => void): void {
  const retry = useEffectEvent(again);
  useEffect(() => {
    if (!isAway) return;
    const act = () => retry();
    const timer = setInterval(act, RETRY_MS);
    window.addEventListener('online', act);
    return () => {
      clearInterval(timer);
      window.removeEventListener('online', act);
    };
  }, [isAway]);
}
