import type { ListenOn, Socket } from '#src/sockets/sockets.ts';
import type { CallsService } from './calls.service.ts';

export function callsEvents(on: ListenOn, calls: CallsService): (socket: Socket) => void {
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
