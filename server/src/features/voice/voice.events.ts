import type { ChannelId, ParticipantId } from '@pressel/contract/ids';
import { audience, type ListenOn, type Socket } from '#src/platform/sockets.ts';
import { AppError } from '#src/shared/app-error.ts';
import type { FloorService } from './floor-service.ts';

const roomOf = (socket: Socket): { id: ChannelId; name: string } => {
  const { channel } = socket.data;
  if (channel === null) throw new AppError('not_in_room');
  return channel;
};

const askerOf = ({ id, data: { session } }: Socket) => ({
  id: id as ParticipantId,
  userId: session.userId,
  name: session.displayName,
  priority: session.role === 'admin' ? 1 : 0,
});

/** Limits presses per socket, because each is broadcast to the room. @throws AppError too_many */
const limitPresses = (socket: Socket): void => {
  if (!socket.data.presses.take()) throw new AppError('too_many', { retryAfterSeconds: 1 });
};

/** Keeps an absent `link` absent when relaying, instead of sending it as undefined. */
const linkOf = ({ link }: { link?: string | undefined }) => (link === undefined ? {} : { link });

/** Relays signals between participants of one room, and serves the floor. The sender is taken from the socket. */
export function voiceEvents(on: ListenOn, { floor }: { floor: FloorService }): (socket: Socket) => void {
  return (socket) => {
    const self = socket.id as ParticipantId;
    const peer = (id: ParticipantId) => socket.to(audience.participant(roomOf(socket).id, id));

    on(socket, 'offer', async ({ sdp, offerReceiveID, ...rest }) => {
      peer(offerReceiveID).emit('getOffer', { sdp, offerSendID: self, ...linkOf(rest) });
      return {};
    });
    on(socket, 'answer', async ({ sdp, answerReceiveID, ...rest }) => {
      peer(answerReceiveID).emit('getAnswer', { sdp, answerSendID: self, ...linkOf(rest) });
      return {};
    });
    on(socket, 'candidate', async ({ candidate, candidateReceiveID, ...rest }) => {
      peer(candidateReceiveID).emit('getCandidate', { candidate, candidateSendID: self, ...linkOf(rest) });
      return {};
    });

    on(socket, 'floor_request', async ({ seq, queue }) => {
      const { id } = roomOf(socket);
      limitPresses(socket);
      return floor.request(id, askerOf(socket), seq, queue);
    });
    on(socket, 'floor_release', ({ seq }) => floor.release(roomOf(socket).id, self, seq));
    on(socket, 'floor_renew', async ({ seq }) => {
      await floor.renew(roomOf(socket).id, self, seq);
      return {};
    });
    on(socket, 'micStateChange', async ({ micState }) => {
      const { id } = roomOf(socket);
      if (micState) limitPresses(socket);
      return micState ? floor.request(id, askerOf(socket), null, true) : floor.release(id, self, null);
    });
  };
}
