import type { ListenOn, Socket } from '#src/platform/sockets.ts';
import { AppError } from '#src/shared/app-error.ts';
import type { FloorService } from './floor-service.ts';

/** The heartbeat of who is in a room, and what they missed while it had no answer (TALK100, TALK105). */
export function beatEvents(
  on: ListenOn,
  floor: Pick<FloorService, 'newsSince' | 'talksSince'>,
): (socket: Socket) => void {
  return (socket) => {
    on(socket, 'beat', async ({ version }) => {
      const news = await floor.newsSince(roomOf(socket), version);
      return news === null ? {} : { floor: news };
    });
    on(socket, 'talks_since', async ({ stay, version }) => {
      const talks = await floor.talksSince(roomOf(socket), socket.data.session.userId, stay, version);
      return { talks };
    });
  };
}

const roomOf = (socket: Socket) => {
  const { channel } = socket.data;
  if (channel === null) throw new AppError('not_in_room');
  return channel.id;
};
