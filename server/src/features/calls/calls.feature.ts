import type { Feature, Platform } from '#src/platform/platform.ts';
import type { ListenOn, Socket } from '#src/sockets/sockets.ts';
import { callsRoutes } from './calls.routes.ts';
import { type CallsService, createCallsService } from './calls.service.ts';

function callsEvents(on: ListenOn, calls: CallsService): (socket: Socket) => void {
  return (socket) => {
    socket.data.registered.then(
      () => calls.welcome(socket),
      // Presence has disconnected the socket.
      () => undefined,
    );
    socket.on('disconnect', (reason) => calls.lost(socket, reason));
    on(socket, 'call_start', ({ userId }) => calls.start(socket, userId));
    on(socket, 'call_accept', async ({ callId }) => {
      await calls.accept(socket, callId);
      return {};
    });
    on(socket, 'call_reject', async ({ callId, rejection }) => {
      await calls.reject(socket, callId, rejection);
      return {};
    });
    on(socket, 'call_end', async (payload) => {
      await calls.hangUp(socket, payload);
      return {};
    });
    on(socket, 'call_resume', async ({ callId }) => {
      await calls.resume(socket, callId);
      return {};
    });
    on(socket, 'call_signal', async (signal) => {
      calls.relay(socket, signal);
      return {};
    });
  };
}

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
  facts.on('sessionEnded', ({ sessionId }) => calls.signedOut((_, id) => id === sessionId));
  facts.on('sessionsEnded', ({ userId, exceptSessionId }) =>
    calls.signedOut((who, id) => who === userId && id !== exceptSessionId),
  );
  facts.on('roleChanged', ({ userId }) => calls.signedOut((who) => who === userId));
  return {
    api: calls,
    async start() {
      schedule.every(TICK_MS, 'call_tick', calls.tick, { by: 'each' });
      schedule.every(SWEEP_MS, 'call_sweep', calls.sweep, { by: 'each' });
    },
    close: calls.settled,
  };
}
