import type { UserId } from '@pressel/contract/ids';
import type { IceConfig } from '@pressel/contract/presence';
import type { ListenOn, Socket } from '#src/platform/sockets.ts';
import { AppError } from '#src/shared/app-error.ts';
import type { PresenceService } from './presence.service.ts';

export interface PresenceEventDeps {
  presence: PresenceService;
  iceConfig(userId: UserId): IceConfig;
}

export function presenceEvents(on: ListenOn, { presence, iceConfig }: PresenceEventDeps): (socket: Socket) => void {
  return (socket) => {
    presence.connect(socket);
    on(socket, 'join_room', async ({ room, channelId, previous }) => {
      if (previous !== undefined) await presence.dropPrevious(socket, previous);
      return presence.enter(socket, channelId === undefined ? { key: room } : { id: channelId });
    });
    on(socket, 'leave_room', async () => {
      await presence.leave(socket);
      return {};
    });
    on(socket, 'ice_config', async () => {
      // Credentials for the relay are for those who talk: else anybody who signs up could use it for anything.
      if (socket.data.channel === null) throw new AppError('not_in_room');
      return iceConfig(socket.data.session.userId);
    });
  };
}
