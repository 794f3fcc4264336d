import { getMissedCalls, markCallsSeen } from '@pressel/contract/calls';
import type { ServeCall } from '#src/shared/calls.ts';
import type { CallRow } from './calls.repository.ts';
import type { CallsService } from './calls.service.ts';

const presentMissed = ({ id, callerId, callerName, createdAt }: CallRow) => ({
  id,
  caller: { id: callerId, display_name: callerName },
  createdAt: createdAt.toISOString(),
});

export function callsRoutes(serve: ServeCall, calls: CallsService): void {
  serve(getMissedCalls, async (_body, { session }) => {
    const [count, rows] = await calls.missed(session.userId);
    return { success: true as const, count, res: rows.map(presentMissed) };
  });

  serve(markCallsSeen, async ({ callId }, { session }) => {
    await calls.see(session.userId, callId);
    return { success: true as const };
  });
}
