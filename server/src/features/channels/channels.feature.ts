import type { Feature, Platform } from '#src/platform/platform.ts';
import { listSockets } from '#src/platform/sockets.repository.ts';
import { channelRoutes } from './channels.routes.ts';
import { type ChannelService, createChannelService } from './channels.service.ts';
import { channelIdsOf } from './memberships.repository.ts';
import { createMembershipService, type MembershipService } from './memberships.service.ts';

export interface ChannelsApi {
  /** The channel that a room key or an id names, when the caller may enter it. */
  enterable: ChannelService['enterable'];
  /** For the transactions of others, who tell what changed. */
  memberships: Pick<MembershipService, 'add' | 'remove' | 'channelsOf'>;
  /** The channels that a user is a member of. */
  channelIdsOf(userId: string): ReturnType<typeof channelIdsOf>;
}

export function channelsFeature({
  db,
  serve,
  change,
}: Pick<Platform, 'db' | 'serve' | 'change'>): Feature<ChannelsApi> {
  const memberships = createMembershipService({ change });
  const channels = createChannelService({ db, change, memberships });
  channelRoutes(serve, { channels, memberships, listSockets: (ids) => listSockets(db, ids) });
  return {
    api: { enterable: channels.enterable, memberships, channelIdsOf: (userId) => channelIdsOf(db, userId) },
  };
}
