import type { Feature, Platform } from '#src/platform/platform.ts';
import { callsEvents } from './calls.events.ts';
import { callsRoutes } from './calls.routes.ts';
import { type CallsService, createCallsService } from './calls.service.ts';

/** How often to check whether a call rang for long enough, ms. */
const TICK_MS = 500;
/** How often to look for old calls, and for calls that nobody ended, ms. */
const SWEEP_MS = 60_000;

export type CallsApi = Pick<CallsService, 'erase'>;

/** One-to-one calls. It comes after presence: a socket rings once presence has taken it in. */
export function callsFeature(platform: Platform): Feature<CallsApi> {
  const { serve, sockets, schedule, facts } = platform;
  const calls = createCallsService(platform);
  callsRoutes(serve, calls);
  sockets.onConnect(callsEvents(sockets.on, calls));
  facts.on('usersDeleted', ({ userIds }) => userIds.forEach(calls.deleted));
  return {
    api: calls,
    async start() {
      schedule.every(TICK_MS, 'call_tick', calls.tick, { by: 'each' });
      schedule.every(SWEEP_MS, 'call_sweep', calls.sweep, { by: 'each' });
    },
    close: calls.settled,
  };
}
