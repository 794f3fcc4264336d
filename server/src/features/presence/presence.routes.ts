import { connectAdminToChannel } from '@pressel/contract/channels';
import { requireSelf, type ServeCall } from '#src/shared/calls.ts';
import type { PresenceService } from './presence.service.ts';

export function presenceRoutes(serve: ServeCall, { presence }: { presence: PresenceService }): void {
  serve(connectAdminToChannel, async ({ userId, channelId, socketId }, { session }) => {
    requireSelf(session, userId);
    await presence.enterBySocketId(session, channelId, socketId);
    return { success: true };
  });
}
