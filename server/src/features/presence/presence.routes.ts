import { connectAdminToChannel } from '@pressel/contract/channels';
import { requireSelf, type ServeCall } from '#src/http/call-server.ts';
import { AppError } from '#src/shared/app-error.ts';
import type { Entering } from './presence.service.ts';

export interface PresenceRoutesNeeds {
  /** Makes the process that holds the participant put it into the room; null: no process holds it. */
  enter(who: Entering): Promise<Record<string, never> | null>;
}

export function presenceRoutes(serve: ServeCall, { enter }: PresenceRoutesNeeds): void {
  serve(connectAdminToChannel, async ({ userId, channelId, socketId }, { session }) => {
    requireSelf(session, userId);
    const entered = await enter({ userId: session.userId, channelId, id: socketId });
    if (entered === null) throw new AppError('not_found', { what: 'socket' });
    return { success: true };
  });
}
