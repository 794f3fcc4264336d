import type { UserId } from '@pressel/contract/ids';
import type { MembershipChange } from '#src/platform/facts.ts';
import type { Feature, Platform } from '#src/platform/platform.ts';
import { audience } from '#src/platform/sockets.ts';
import { uuidV7 } from '#src/shared/ids.ts';
import { type IceSettings, mintIceConfig } from './ice.ts';
import { presenceEvents } from './presence.events.ts';
import { presenceRoutes } from './presence.routes.ts';
import { createPresenceService, type PresenceDeps, type PresenceService } from './presence.service.ts';

export interface PresenceNeeds extends Pick<PresenceDeps, 'enterable' | 'channelIdsOf' | 'floor'> {
  ice: IceSettings;
  /** How often to vouch for live sockets and to look for ended sessions, ms. */
  heartbeatMs: number;
}

export function presenceFeature(platform: Platform, needs: PresenceNeeds): Feature {
  const { db, sockets, sessions, record, locks, schedule, serve, now, log } = platform;
  const iceConfig = (userId: UserId) => mintIceConfig(needs.ice, userId, now());
  const presence = createPresenceService({
    db,
    sockets,
    serverId: uuidV7(),
    lock: locks,
    now,
    log,
    enterable: needs.enterable,
    channelIdsOf: needs.channelIdsOf,
    iceConfig,
    floor: needs.floor,
    liveSessions: sessions.keepAlive,
    record,
  });
  followFacts(platform, presence);
  presenceRoutes(serve, { presence });
  sockets.onConnect(presenceEvents(sockets.on, { presence, iceConfig }));
  return {
    api: undefined,
    async start() {
      await presence.sweepAtStart();
      schedule.every(needs.heartbeatMs, 'heartbeat', presence.heartbeat);
    },
    close: presence.settled,
  };
}

/** What happened to accounts, channels and memberships is felt by the sockets at once. */
function followFacts({ facts, sockets }: Platform, presence: PresenceService): void {
  /** Live sockets begin or cease to hear of channels, and leave rooms that are theirs no more. */
  const follow = async (changes: readonly MembershipChange[]): Promise<void> => {
    for (const { userId, channelId, isMember } of changes) sockets.hear(userId, channelId, isMember);
    const ended = changes.filter(({ isMember }) => !isMember);
    const byChannel = [...Map.groupBy(ended, ({ channelId }) => channelId)];
    await Promise.all(
      byChannel.map(([channelId, gone]) => presence.evict(new Set(gone.map(({ userId }) => userId)), channelId)),
    );
  };
  facts.on('channelCreated', ({ changes }) => follow(changes));
  facts.on('membershipsChanged', ({ changes }) => follow(changes));
  facts.on('channelDeleted', ({ channelId }) => presence.closeRoom(channelId));
  facts.on('sessionEnded', ({ sessionId }) => sockets.end(audience.session(sessionId)));
  facts.on('sessionsEnded', ({ userId, exceptSessionId }) => sockets.end(audience.user(userId), exceptSessionId));
  // Sockets know the role that they came with: they come back with the new one.
  facts.on('roleChanged', ({ userId }) => sockets.end(audience.user(userId)));
  facts.on('usersDeleted', ({ userIds }) => {
    for (const userId of userIds) sockets.end(audience.user(userId));
  });
}
