import type { ChannelId } from '@pressel/contract/ids';
import { inRounds } from '#src/db/rounds.ts';
import { listLastPositions } from '#src/history/latest.repository.ts';
import type { Feature, Platform } from '#src/platform/platform.ts';
import { listSockets } from '#src/sockets/sockets.repository.ts';
import { type ChannelRouteDeps, channelRoutes } from './channels.routes.ts';
import { type ChannelService, createChannelService } from './channels.service.ts';
import { channelIdsOfEach } from './memberships.repository.ts';
import { createMembershipService, type MembershipService } from './memberships.service.ts';

export interface ChannelsApi {
  /** The channel with this room key or id, if the caller may enter it. */
  enterable: ChannelService['enterable'];
  /** The users among these who may enter a channel's room. */
  entitled: ChannelService['entitled'];
  /** For transactions of other features, which announce the returned changes (`membershipsChanged`) themselves. */
  memberships: Pick<MembershipService, 'add' | 'remove' | 'channelsOf'>;
  /** Ids of the channels that a user is a member of. */
  channelIdsOf(userId: string): Promise<ChannelId[]>;
}

export function channelsFeature(
  { db, serve, change, now, photoPaths }: Pick<Platform, 'db' | 'serve' | 'change' | 'now' | 'photoPaths'>,
  talks: Pick<ChannelRouteDeps, 'onAir' | 'settleTalks'>,
): Feature<ChannelsApi> {
  const memberships = createMembershipService({ change });
  const channels = createChannelService({ db, change, memberships });
  channelRoutes(serve, {
    channels,
    memberships,
    listSockets: (ids) => listSockets(db, ids),
    listLastPositions: (ids) => listLastPositions(db, ids),
    photoPaths,
    now,
    ...talks,
  });
  return {
    api: {
      enterable: channels.enterable,
      entitled: channels.entitled,
      memberships,
      channelIdsOf: inRounds((userIds) => channelIdsOfEach(db, userIds)),
    },
  };
}
