import type { QueryClient } from '@tanstack/react-query';
import type { Realtime } from '#src/shared/realtime/realtime.ts';

/** Of the list of missed calls. */
export const MISSED_CALLS_KEY = ['calls', 'missed'];

/** Has missed calls read again when there are more or fewer. Returns the unsubscribe function. */
export const bindCalls = (realtime: Pick<Realtime, 'on'>, queries: QueryClient) =>
  realtime.on('missed_calls', () => void queries.invalidateQueries({ queryKey: MISSED_CALLS_KEY }));
