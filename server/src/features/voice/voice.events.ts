import type { ChannelId, ParticipantId } from '@pressel/contract/ids';
import type { EventAnswer, ServerEventName, ServerPayload } from '@pressel/contract/realtime';
import type { FloorNews, LoggedTalk, RoomBeat } from '@pressel/contract/voice';
import { priorityOf } from '#src/accounts/policies.ts';
import { takeFrom } from '#src/limits/rate-limit.ts';
import { AppError } from '#src/shared/app-error.ts';
import type { Limited, Signals } from '#src/sockets/signals.ts';
import { audience, type EnteredRoom, type ListenOn, roomOf, roomsOf, type Socket } from '#src/sockets/sockets.ts';
import type { FloorService } from './floor-service.ts';
import { createClaimRenewal, createMicSwitch, type MicSwitch } from './mic-switch.ts';
import { authorOf } from './talk-entries.ts';

/** Limit of looks at the last talks by one participant: each is a read of the database. */
const LOOKS = { burst: 5, perSecond: 0.5 };

interface BeatNeeds {
  floor: Pick<FloorService, 'newsSince' | 'talksSince'>;
  lastTalks(channelId: ChannelId): Promise<LoggedTalk[]>;
  /** A monotonic clock, ms. */
  now: () => number;
}

/**
 * Serves participants in rooms: notes their beats for PRES27, and tells what they missed while they had no answer (TALK100,
 * TALK105), and the last talks (TALK130).
 */
export function beatEvents(on: ListenOn, { floor, lastTalks, now }: BeatNeeds): (socket: Socket) => void {
  const hear = (enteredRoom: EnteredRoom, version: number) => {
    enteredRoom.beatAt = now();
    return floor.newsSince(enteredRoom.id, version);
  };
  /** @throws AppError not_in_room: the participant is in none of them */
  const beatInAll = async (socket: Socket, rooms: readonly RoomBeat[]): Promise<EventAnswer<'beat'>> => {
    const enteredRooms = new Map(roomsOf(socket).map((enteredRoom) => [enteredRoom.id, enteredRoom]));
    const floors: FloorNews[] = [];
    const outside: ChannelId[] = [];
    // If a room is named twice, the last one counts.
    for (const [channelId, version] of new Map(rooms.map((one) => [one.channelId, one.version]))) {
      const enteredRoom = enteredRooms.get(channelId);
      const news = enteredRoom === undefined ? null : await hear(enteredRoom, version);
      if (enteredRoom === undefined) outside.push(channelId);
      if (news !== null) floors.push(news);
    }
    if (rooms.every(({ channelId }) => outside.includes(channelId))) throw new AppError('not_in_room');
    return { floors, ...(outside.length > 0 && { outside }) };
  };
  return (socket) => {
    on(socket, 'beat', async (payload) => {
      if ('rooms' in payload) return beatInAll(socket, payload.rooms);
      const enteredRoom = roomOf(socket, payload.channelId);
      const news = await hear(enteredRoom, payload.version);
      return news === null ? {} : { floor: news };
    });
    on(socket, 'talks_since', async ({ stay, version, channelId }) => {
      const { id } = roomOf(socket, channelId);
      return { talks: await floor.talksSince(id, socket.data.session.userId, stay, version) };
    });
    on(socket, 'last_talks', async ({ channelId }) => {
      const { id } = roomOf(socket, channelId);
      if (!takeFrom(socket.data.participant.allowances, 'look', LOOKS, now))
        throw new AppError('too_many', { retryAfterSeconds: 2 });
      return { talks: await lastTalks(id) };
    });
  };
}

/** Limit of requests of one client in one room. */
const PRESSES = { burst: 30, perSecond: 10 };

const askerOf = ({ data: { session, participant } }: Socket, enteredRoom: EnteredRoom) => ({
  id: participant.id,
  userId: session.userId,
  name: session.displayName,
  priority: priorityOf(session),
  author: authorOf(session, enteredRoom),
});

/** Keeps an absent `link` absent when relaying, instead of sending it as undefined. */
const linkOf = ({ link }: { link?: string | undefined }) => (link === undefined ? {} : { link });

export interface VoiceEventsNeeds {
  floor: FloorService;
  signals: Signals;
  /** A monotonic clock, ms. */
  now: () => number;
  /** Keeps the switch by which a call may set the microphone of a socket. */
  keepMic: (socket: Socket, mic: MicSwitch) => void;
  /** Called for a fault that concerns no answer. */
  onFault: (error: unknown) => void;
}

/** Relays signals between participants who have a room in common, and serves the floor. The sender is taken from the socket. */
export function voiceEvents(
  on: ListenOn,
  { floor, signals, now, keepMic, onFault }: VoiceEventsNeeds,
): (socket: Socket) => void {
  /** Limits presses in each room, because each is broadcast to it. @throws AppError too_many */
  const limitPresses = ({ data }: Socket, channelId: ChannelId): void => {
    const isWithin = takeFrom(data.participant.allowances, `press ${channelId}`, PRESSES, now);
    if (!isWithin) throw new AppError('too_many', { retryAfterSeconds: 1 });
  };
  return (socket) => {
    const self = () => socket.data.participant.id;
    const mic = createMicSwitch({
      socket,
      floor,
      renewal: createClaimRenewal(socket, floor, onFault),
      asker: (enteredRoom) => askerOf(socket, enteredRoom),
      limit: (channelId) => limitPresses(socket, channelId),
    });
    keepMic(socket, mic);
    /** Passes something to a participant in one of the sender's rooms. @throws AppError not_in_room, too_many */
    const pass = <E extends ServerEventName>(
      to: ParticipantId,
      event: E,
      payload: ServerPayload<E>,
      limited: Limited | null,
    ): void => {
      const audiences = roomsOf(socket).map((room) => audience.participant(room.id, to));
      if (audiences.length === 0) throw new AppError('not_in_room');
      signals.pass(socket, { to, event, payload, audiences, limited });
    };

    on(socket, 'offer', async ({ sdp, offerReceiveID, ...rest }) => {
      pass(offerReceiveID, 'getOffer', { sdp, offerSendID: self(), ...linkOf(rest) }, 'offer');
      return {};
    });
    on(socket, 'answer', async ({ sdp, answerReceiveID, ...rest }) => {
      pass(answerReceiveID, 'getAnswer', { sdp, answerSendID: self(), ...linkOf(rest) }, null);
      return {};
    });
    on(socket, 'candidate', async ({ candidate, candidateReceiveID, ...rest }) => {
      pass(candidateReceiveID, 'getCandidate', { candidate, candidateSendID: self(), ...linkOf(rest) }, 'candidate');
      return {};
    });

    on(socket, 'floor_request', async ({ seq, queue, channelId }) => {
      const enteredRoom = roomOf(socket, channelId);
      limitPresses(socket, enteredRoom.id);
      mic.noteRequest();
      return floor.request(enteredRoom.id, askerOf(socket, enteredRoom), seq, queue);
    });
    on(socket, 'floor_release', async ({ seq, channelId }) => floor.release(roomOf(socket, channelId).id, self(), seq));
    on(socket, 'floor_renew', async ({ seq, channelId }) => {
      const enteredRoom = roomOf(socket, channelId);
      // A renewal is as good as a beat, for a client that beats [TALK100].
      if (enteredRoom.beatAt !== null) enteredRoom.beatAt = now();
      await floor.renew(enteredRoom.id, self(), seq);
      return {};
    });
    on(socket, 'micStateChange', ({ micState, channelId }) => mic.set(micState, channelId));
  };
}
