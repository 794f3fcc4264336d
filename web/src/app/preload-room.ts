import { useRouter } from '@tanstack/react-router';
import { useEffect } from 'react';

/** The list itself comes first. */
const AFTER_MS = 1_000;

/**
 * Loads the room's code and words while a list of channels is shown and the browser has nothing else to do, so that a
 * tap on a channel, which no pointer announces, enters it at once [TALK92].
 */
export function usePreloadRoom(): void {
  const router = useRouter();
  useEffect(() => {
    let idle: number | undefined;
    // The preload is of the route, so any name will do.
    const load = () => void router.preloadRoute({ to: '/groupCallView/$roomId', params: { roomId: '-' } });
    const timer = setTimeout(() => {
      // Safari has no idle callbacks.
      if ('requestIdleCallback' in window) idle = window.requestIdleCallback(load);
      else load();
    }, AFTER_MS);
    return () => {
      clearTimeout(timer);
      if (idle !== undefined) window.cancelIdleCallback(idle);
    };
  }, [router]);
}
