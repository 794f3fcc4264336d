import type { UserId } from '@pressel/contract/ids';
import type { IceConfig } from '@pressel/contract/presence';
import { takeFrom } from '#src/limits/rate-limit.ts';
import { AppError } from '#src/shared/app-error.ts';
import { type ListenOn, roomOf, roomsOf, type Socket } from '#src/sockets/sockets.ts';
import type { PresenceService } from './presence.service.ts';

/** Limit of changes of the picture, which are told to the whole room (VID5). */
const PICTURES = { burst: 10, perSecond: 2 };

export interface PresenceEventDeps {
  presence: PresenceService;
  iceConfig(userId: UserId): IceConfig;
  /** A monotonic clock, ms. */
  now: () => number;
}

export function presenceEvents(
  on: ListenOn,
  { presence, iceConfig, now }: PresenceEventDeps,
): (socket: Socket) => void {
  return (socket) => {
    presence.connect(socket);
    on(socket, 'join_room', ({ room, channelId, video = null, keep, resume, floor, claim }) =>
      presence.join(socket, channelId === undefined ? { key: room } : { id: channelId }, {
        ...{ video, keep, resume, floor, claim },
      }),
    );
    on(socket, 'leave_room', async ({ channelId }) => {
      await presence.leave(socket, channelId);
      return {};
    });
    on(socket, 'video_state', async ({ video, channelId }) => {
      const isWithin = takeFrom(socket.data.participant.allowances, 'picture', PICTURES, now);
      if (!isWithin) throw new AppError('too_many', { retryAfterSeconds: 1 });
      await presence.showVideo(socket, video, channelId);
      return {};
    });
    on(socket, 'ice_config', async ({ channelId }) => {
      // Only talkers get credentials for the relay: otherwise anybody who signs up could use it for anything.
      if (!socket.data.isInCall && (channelId !== undefined || roomsOf(socket).length === 0)) roomOf(socket, channelId);
      return iceConfig(socket.data.session.userId);
    });
  };
}
