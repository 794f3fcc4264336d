import { useRouter } from '@tanstack/react-router';
import { useEffect } from 'react';
import { whenIdle } from '#src/shared/when-idle.ts';

/**
 * Loads the room's code and words while a list of channels is shown and the browser is idle. A tap on a channel, which
 * no pointer announces, then enters it at once [TALK92].
 */
export function usePreloadRoom(): void {
  const router = useRouter();
  useEffect(
    // The preload is of the route, so any name will do.
    () => whenIdle(() => void router.preloadRoute({ to: '/groupCallView/$roomId', params: { roomId: '-' } })),
    [router],
  );
}
