import { type ListenOn, roomOf, type Socket } from '#src/platform/sockets.ts';
import type { FloorService } from './floor-service.ts';

/** The heartbeat of who is in a room, and what they missed while it had no answer (TALK100, TALK105). */
export function beatEvents(
  on: ListenOn,
  floor: Pick<FloorService, 'newsSince' | 'talksSince'>,
): (socket: Socket) => void {
  return (socket) => {
    on(socket, 'beat', async ({ version }) => {
      const news = await floor.newsSince(roomOf(socket).id, version);
      return news === null ? {} : { floor: news };
    });
    on(socket, 'talks_since', async ({ stay, version }) => {
      const talks = await floor.talksSince(roomOf(socket).id, socket.data.session.userId, stay, version);
      return { talks };
    });
  };
}
