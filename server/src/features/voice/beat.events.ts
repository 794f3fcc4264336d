import type { ChannelId } from '@pressel/contract/ids';
import type { LoggedTalk } from '@pressel/contract/voice';
import { type ListenOn, roomOf, type Socket } from '#src/platform/sockets.ts';
import { AppError } from '#src/shared/app-error.ts';
import { createAllowance } from '#src/shared/rate-limit.ts';
import type { FloorService } from './floor-service.ts';

/** Looks at the last talks by one socket, at once and per second: each is a read of the database. */
const LOOKS_BURST = 5;
const LOOKS_PER_SECOND = 0.5;

export interface BeatNeeds {
  floor: Pick<FloorService, 'newsSince' | 'talksSince'>;
  lastTalks(channelId: ChannelId): Promise<LoggedTalk[]>;
  /** A monotonic clock, ms. */
  now: () => number;
}

/**
 * The heartbeat of who is in a room, noted for PRES27, what they missed while it had no answer (TALK100, TALK105), and the last
 * talks (TALK130).
 */
export function beatEvents(on: ListenOn, { floor, lastTalks, now }: BeatNeeds): (socket: Socket) => void {
  return (socket) => {
    const looks = createAllowance(LOOKS_BURST, LOOKS_PER_SECOND, now);
    on(socket, 'beat', async ({ version }) => {
      const stay = roomOf(socket);
      stay.beatAt = now();
      const news = await floor.newsSince(stay.id, version);
      return news === null ? {} : { floor: news };
    });
    on(socket, 'talks_since', async ({ stay, version }) => {
      const talks = await floor.talksSince(roomOf(socket).id, socket.data.session.userId, stay, version);
      return { talks };
    });
    on(socket, 'last_talks', async () => {
      const { id } = roomOf(socket);
      if (!looks.take()) throw new AppError('too_many', { retryAfterSeconds: 2 });
      return { talks: await lastTalks(id) };
    });
  };
}
