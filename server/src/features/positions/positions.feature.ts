import type { ChannelId, UserId } from '@pressel/contract/ids';
import type { LngLat } from '@pressel/contract/positions';
import { inRounds } from '#src/db/rounds.ts';
import { findMapRights } from '#src/history/latest.repository.ts';
import { LIMITS } from '#src/limits/limits.ts';
import { createHastyLimit } from '#src/limits/rate-limit.ts';
import type { Feature, Platform } from '#src/platform/platform.ts';
import { createMembershipWatch } from '#src/sockets/membership-watch.ts';
import { audience, channelsHeardBy, type ListenOn, type Socket } from '#src/sockets/sockets.ts';
import { createMapAudience } from './map-audience.ts';
import { createPositionStore } from './position-store.ts';
import { positionRoutes } from './positions.routes.ts';
import { createPositionsService, type PositionsDeps, type PositionsService } from './positions.service.ts';

function positionEvents(on: ListenOn, positions: Pick<PositionsService, 'report'>): (socket: Socket) => void {
  return (socket) => {
    on(socket, 'position_update', async (report) => {
      await positions.report(socket.data.session, report, () => channelsHeardBy(socket));
      return {};
    });
  };
}

/** How often positions that are too old are deleted, ms. */
const SWEEP_MS = 3_600_000;

export interface PositionsNeeds {
  enterable: PositionsDeps['enterable'];
  channelIdsOf(userId: UserId): Promise<ChannelId[]>;
  retentionDays: number;
  map: { styleUrl: string | null; center: LngLat };
}

export type PositionsApi = Pick<PositionsService, 'erase'>;

export function positionsFeature(platform: Platform, needs: PositionsNeeds): Feature<PositionsApi> {
  const { db, serve, sockets, facts, schedule, limit, record, now, log } = platform;
  const store = createPositionStore({ db, record: platform.recordWithin, now });
  const positions = createPositionsService({
    ...{ db, store, record, now, enterable: needs.enterable, retentionDays: needs.retentionDays },
    relay: platform.shared?.relay ?? null,
    reports: createHastyLimit(limit('positions.reports'), LIMITS['positions.reports']),
    lookUps: limit('positions.lookUps'),
    tell: (news, channelIds) =>
      sockets.to([audience.admins, ...channelIds.map(audience.mapOf)]).emit('onLocationChanged', news),
  });
  const readMapRight = inRounds((userIds: readonly UserId[]) => findMapRights(db, userIds));
  const mapAudience = createMapAudience({ sockets, readMapRight, log });
  const memberships = createMembershipWatch(needs.channelIdsOf, facts.catchUp);

  positionRoutes(serve, { positions, memberships, map: needs.map, now });
  sockets.onConnect(mapAudience.meet);
  sockets.onConnect(positionEvents(sockets.on, positions));
  sockets.onConnect(({ data }) => positions.came(data.session.userId));
  facts.on('mapRightChanged', ({ userIds, mapRight }) => mapAudience.rightChanged(userIds, mapRight));
  for (const fact of ['channelCreated', 'membershipsChanged'] as const) {
    facts.on(fact, ({ changes }) => {
      memberships.changed(changes);
      mapAudience.membershipsChanged(changes);
    });
  }
  facts.on('channelDeleted', ({ channelId }) => mapAudience.channelDeleted(channelId));
  facts.on('usersDeleted', ({ userIds }) => positions.forget(userIds));
  return {
    api: positions,
    async start() {
      schedule.every(SWEEP_MS, 'position_sweep', positions.sweep, { by: 'one' });
    },
    close: positions.close,
  };
}
