import {
  getChannelPositions,
  getMapSettings,
  getUserTrail,
  type LngLat,
  lookUpPosition,
  updateUserPosition,
} from '@pressel/contract/positions';
import { displayName, presentActivity, presentPosition } from '#src/accounts/present-user.ts';
import { requireSelf, type ServeCall } from '#src/http/call-server.ts';
import { createYielder, mapInPieces } from '#src/shared/in-pieces.ts';
import type { MembershipWatch } from '#src/sockets/membership-watch.ts';
import type { listMemberPositions } from './positions.repository.ts';
import type { PositionsService } from './positions.service.ts';

export interface PositionRouteDeps {
  positions: PositionsService;
  memberships: MembershipWatch;
  map: { styleUrl: string | null; center: LngLat };
  now: () => Date;
}

type Row = Awaited<ReturnType<typeof listMemberPositions>>[number];

export function positionRoutes(serve: ServeCall, { positions, memberships, map, now }: PositionRouteDeps): void {
  const present = (row: Row) => ({
    userId: row.userId,
    display_name: displayName(row),
    pseudo: row.pseudo,
    ...presentPosition(row, now()),
    userActivities: row.latest === null ? [] : [presentActivity(row.latest)],
  });

  serve(updateUserPosition, async ({ userId, ...report }, { session }) => {
    requireSelf(session, userId);
    const stored = await memberships.during(session.userId, (channelIds) =>
      positions.report(session, report, channelIds),
    );
    return { success: true, stored };
  });

  serve(getMapSettings, async ({ channelId }, { session }) => {
    await positions.requireVisible(session, channelId);
    return { success: true, ...map };
  });

  serve(getChannelPositions, async (body, { session }) => {
    const rows = await positions.list(session, body);
    return { success: true, res: await mapInPieces(rows, createYielder(), present) };
  });

  serve(lookUpPosition, async (body, { session }) => {
    const row = await positions.lookUp(session, body);
    return { success: true, res: row && present(row) };
  });

  serve(getUserTrail, async (body, { session }) => ({ success: true, res: await positions.trail(session, body) }));
}
