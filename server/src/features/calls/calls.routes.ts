import { getCalls, getMissedCalls, markCallsSeen, type ownCall } from '@pressel/contract/calls';
import type { UserId } from '@pressel/contract/ids';
import { CALLS_PAGE } from '@pressel/contract/limits';
import type { z } from '@pressel/contract/zod';
import type { ServeCall } from '#src/http/call-server.ts';
import type { CallRow } from './calls.repository.ts';
import type { CallsService } from './calls.service.ts';

const presentMissed = ({ id, callerId, callerName, createdAt }: CallRow) => ({
  id,
  caller: { id: callerId, display_name: callerName },
  createdAt: createdAt.toISOString(),
});

/** A call as one of its two users sees it. */
const presentOwn = (row: CallRow, userId: UserId): z.input<ReturnType<typeof ownCall>> => {
  const isOwn = row.callerId === userId;
  const { acceptedAt, endedAt } = row;
  return {
    id: row.id,
    other: isOwn
      ? { id: row.calleeId, display_name: row.calleeName }
      : { id: row.callerId, display_name: row.callerName },
    isOwn,
    createdAt: row.createdAt.toISOString(),
    durationMs: acceptedAt === null || endedAt === null ? null : Math.max(0, +endedAt - +acceptedAt),
    end: row.reason,
    rejection: row.rejection,
  };
};

export function callsRoutes(serve: ServeCall, calls: CallsService): void {
  serve(getMissedCalls, async (_body, { session }) => {
    const [count, rows] = await calls.missed(session.userId);
    return { success: true as const, count, res: rows.map(presentMissed) };
  });

  serve(getCalls, async ({ before }, { session }) => {
    const rows = await calls.list(session.userId, before);
    const page = rows.slice(0, CALLS_PAGE).map((row) => presentOwn(row, session.userId));
    return { success: true as const, res: page, hasMore: rows.length > CALLS_PAGE };
  });

  serve(markCallsSeen, async ({ callId }, { session }) => {
    await calls.see(session.userId, callId);
    return { success: true as const };
  });
}
