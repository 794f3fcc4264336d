import type { CallEnd, CallId, Rejection } from '@pressel/contract/calls';
import type { UserId } from '@pressel/contract/ids';
import type { LoggedAct } from '#src/platform/acts.ts';
import type { Platform } from '#src/platform/platform.ts';
import * as repository from './calls.repository.ts';
import type { LiveCall, LiveCalls } from './live-calls.ts';

/** A call whose end nobody stored is looked for when it is that old: its process had time enough. */
const ORPHAN_MS = 60_000;
/** Calls are kept for so long. */
const KEPT_MS = 90 * 86_400_000;

export interface CallsUpkeepDeps
  extends Pick<Platform, 'db' | 'sockets' | 'record' | 'now' | 'steadyNow' | 'processId'> {
  live: Pick<LiveCalls, 'get' | 'all'>;
  /** Knows a call as its row has it. @returns null: it is over */
  learn(id: CallId): Promise<LiveCall | null>;
  forget(id: CallId): void;
  tellEnd(call: LiveCall, reason: CallEnd, rejection: Rejection | null): Promise<void>;
  tellMissed(userId: UserId): Promise<void>;
  /** Null: there is no other process. */
  tellOver: ((id: CallId) => void) | null;
}

/** Looks after calls whose end nobody saw. */
export function createCallsUpkeep(deps: CallsUpkeepDeps) {
  const { db, sockets, record, now, steadyNow, processId, live, tellOver } = deps;

  /** Tells those who are still there of a call whose end nobody saw. */
  async function tellLost(row: repository.CallRow): Promise<void> {
    const callId = row.id as CallId;
    const { data: known } = repository.knownCall.safeParse(row.live);
    deps.forget(callId);
    tellOver?.(callId);
    for (const socket of [known?.callerSocket, known?.calleeSocket]) {
      if (socket != null) sockets.to(socket).emit('call_over', { callId, reason: 'lost', rejection: null });
    }
    if (row.calleeId !== null) await deps.tellMissed(row.calleeId as UserId);
  }

  return {
    /** Ends what a process that died left open, and deletes what is old (RING12). */
    async sweep(): Promise<void> {
      const endedAt = now();
      const ended = await db.transaction(async (tx) => {
        const found = await repository.lockOrphans(tx, new Date(+endedAt - ORPHAN_MS), processId);
        const orphans = found.filter(({ id, isLost }) => isLost || live.get(id as CallId) === null);
        for (const row of orphans) {
          const end = { reason: 'lost', rejection: null, isMissed: row.acceptedAt === null, endedAt } as const;
          await repository.endCall(tx, row.id as CallId, end, row.acceptedAt !== null);
          await record(tx, [lostAct(row, endedAt)]);
        }
        return orphans;
      });
      for (const row of ended) await tellLost(row);
      // Whose end nobody told this process, because Redis was away.
      for (const call of tellOver === null ? [] : live.all()) {
        if (call.ringsUntil < steadyNow() && (await deps.learn(call.id)) === null)
          await deps.tellEnd(call, 'lost', null);
      }
      await repository.deleteCallsBefore(db, new Date(+endedAt - KEPT_MS));
    },
  };
}

/** The entry of a call whose end nobody saw: how long it was is not known. */
function lostAct({ callerId, callerName, calleeId, calleeName, acceptedAt }: repository.CallRow, at: Date): LoggedAct {
  const name = { firstName: callerName, displayName: callerName, address: null };
  const by = callerId === null ? { user: null, address: null } : { user: { id: callerId, ...name } };
  const target = calleeId === null ? undefined : { id: calleeId, name: calleeName };
  return acceptedAt === null
    ? { ...by, type: 'call_missed', target, details: { end: 'lost' }, at }
    : { ...by, type: 'call', target, details: { durationMs: 0, end: 'lost' }, at };
}
