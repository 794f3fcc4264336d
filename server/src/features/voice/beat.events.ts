import type { ChannelId } from '@pressel/contract/ids';
import type { EventAnswer } from '@pressel/contract/realtime';
import type { FloorNews, LoggedTalk, RoomBeat } from '@pressel/contract/voice';
import { takeFrom } from '#src/limits/rate-limit.ts';
import { AppError } from '#src/shared/app-error.ts';
import { type EnteredRoom, type ListenOn, roomOf, roomsOf, type Socket } from '#src/sockets/sockets.ts';
import type { FloorService } from './floor-service.ts';

/** Limit of looks at the last talks by one participant: each is a read of the database. */
const LOOKS = { burst: 5, perSecond: 0.5 };

export interface BeatNeeds {
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
