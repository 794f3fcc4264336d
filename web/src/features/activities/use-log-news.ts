import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { throttleSeen } from '#src/shared/realtime/throttle-seen.ts';
import { useRealtime } from '#src/shared/services.tsx';
import { ACTIVITIES_KEY } from './activities.queries.ts';

/** Minimum interval between reads of the number of new entries in a busy log, ms. */
const THROTTLE_MS = 3_000;

/** Reads the page on the screen again when the log has changed. Its entries stay; new ones are counted. */
export function useLogNews(): void {
  const realtime = useRealtime();
  const queries = useQueryClient();
  useEffect(() => {
    const reread = throttleSeen(() => {
      void queries.invalidateQueries({ queryKey: [...ACTIVITIES_KEY, 'page'] }, { cancelRefetch: false });
    }, THROTTLE_MS);
    const stops = [
      realtime.on('activities_added', reread.call),
      realtime.on('activities_deleted', reread.call),
      reread.close,
    ];
    return () => {
      for (const stop of stops) stop();
    };
  }, [realtime, queries]);
}
