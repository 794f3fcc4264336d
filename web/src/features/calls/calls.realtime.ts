import type { QueryClient } from '@tanstack/react-query';
import type { Realtime } from '#src/shared/realtime/realtime.ts';

/** Query key of the missed-calls list. */
export const MISSED_CALLS_KEY = ['calls', 'missed'];
/** Query key of the list of all calls. */
export const ALL_CALLS_KEY = ['calls', 'all'];

/** Reads the call lists again when a call was missed or is over. Returns the unsubscribe function. */
export function bindCalls(realtime: Pick<Realtime, 'on'>, queries: QueryClient): () => void {
  const stops = [
    realtime.on('missed_calls', () => void queries.invalidateQueries({ queryKey: ['calls'] })),
    realtime.on('call_over', () => void queries.invalidateQueries({ queryKey: ALL_CALLS_KEY })),
  ];
  return () => {
    for (const stop of stops) stop();
  };
}
