import { type ListenOn, roomOf, type Socket } from '#src/platform/sockets.ts';
import type { FloorService } from './floor-service.ts';

/**
 * The heartbeat of who is in a room, noted for PRES27, and what they missed while it had no answer (TALK100, TALK105).
 * @param now a monotonic clock, ms
 */
export function beatEvents(
  on: ListenOn,
  floor: Pick<FloorService, 'newsSince' | 'talksSince'>,
  now: () => number,
): (socket: Socket) => void {
  return (socket) => {
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
  };
}
