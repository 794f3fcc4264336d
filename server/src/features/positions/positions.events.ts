import { channelsHeardBy, type ListenOn, type Socket } from '#src/sockets/sockets.ts';
import type { PositionsService } from './positions.service.ts';

export function positionEvents(on: ListenOn, positions: Pick<PositionsService, 'report'>): (socket: Socket) => void {
  return (socket) => {
    on(socket, 'position_update', async (report) => {
      await positions.report(socket.data.session, report, () => channelsHeardBy(socket));
      return {};
    });
  };
}
