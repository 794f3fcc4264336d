import type { ParticipantId } from '@pressel/contract/ids';
import { audience, type ListenOn, roomOf, type Socket } from '#src/platform/sockets.ts';
import { AppError } from '#src/shared/app-error.ts';
import { createSignalLimit } from '#src/shared/signal-limit.ts';
import type { FloorService } from './floor-service.ts';
import { createLifeWatch } from './life-watch.ts';
import { createMicSwitch, type MicSwitch } from './mic-switch.ts';
import { priorityOf } from './voice.policy.ts';

const askerOf = ({ id, data: { session } }: Socket) => ({
  id: id as ParticipantId,
  userId: session.userId,
  name: session.displayName,
  priority: priorityOf(session),
});

/** Limits presses per socket, because each is broadcast to the room. @throws AppError too_many */
const limitPresses = (socket: Socket): void => {
  if (!socket.data.presses.take()) throw new AppError('too_many', { retryAfterSeconds: 1 });
};

/** Keeps an absent `link` absent when relaying, instead of sending it as undefined. */
const linkOf = ({ link }: { link?: string | undefined }) => (link === undefined ? {} : { link });

export interface VoiceEventsNeeds {
  floor: FloorService;
  /** A socket of this process. */
  find: (id: ParticipantId) => Socket | null;
  /** A monotonic clock, ms. */
  now: () => number;
  /** Keeps the switch by which a call may set the microphone of a socket. */
  keepMic: (socket: Socket, mic: MicSwitch) => void;
  /** A fault that concerns no answer. */
  onFault: (error: unknown) => void;
}

/** Relays signals between participants of one room, and serves the floor. The sender is taken from the socket. */
export function voiceEvents(
  on: ListenOn,
  { floor, find, now, keepMic, onFault }: VoiceEventsNeeds,
): (socket: Socket) => void {
  const limitSignals = createSignalLimit(now);
  return (socket) => {
    const self = socket.id as ParticipantId;
    const mic = createMicSwitch({
      socket,
      floor,
      life: createLifeWatch(socket, floor, onFault),
      room: () => roomOf(socket),
      asker: () => askerOf(socket),
      limit: () => limitPresses(socket),
    });
    keepMic(socket, mic);
    const peer = (id: ParticipantId) => socket.to(audience.participant(roomOf(socket).id, id));

    on(socket, 'offer', async ({ sdp, offerReceiveID, ...rest }) => {
      const receiver = peer(offerReceiveID);
      limitSignals('offer', socket, find(offerReceiveID));
      receiver.emit('getOffer', { sdp, offerSendID: self, ...linkOf(rest) });
      return {};
    });
    on(socket, 'answer', async ({ sdp, answerReceiveID, ...rest }) => {
      peer(answerReceiveID).emit('getAnswer', { sdp, answerSendID: self, ...linkOf(rest) });
      return {};
    });
    on(socket, 'candidate', async ({ candidate, candidateReceiveID, ...rest }) => {
      const receiver = peer(candidateReceiveID);
      limitSignals('candidate', socket, find(candidateReceiveID));
      receiver.emit('getCandidate', { candidate, candidateSendID: self, ...linkOf(rest) });
      return {};
    });

    on(socket, 'floor_request', async ({ seq, queue }) => {
      const { id } = roomOf(socket);
      limitPresses(socket);
      mic.noteRequest();
      return floor.request(id, askerOf(socket), seq, queue);
    });
    on(socket, 'floor_release', ({ seq }) => floor.release(roomOf(socket).id, self, seq));
    on(socket, 'floor_renew', async ({ seq }) => {
      const stay = roomOf(socket);
      // As good as a beat of who beats [TALK100].
      if (stay.beatAt !== null) stay.beatAt = now();
      await floor.renew(stay.id, self, seq);
      return {};
    });
    on(socket, 'micStateChange', ({ micState }) => mic.set(micState));
  };
}
