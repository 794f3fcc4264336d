import type { CallEnd, CallId, Rejection, WriteIn } from '@pressel/contract/calls';
import type { UserId } from '@pressel/contract/ids';
import type { LoggedAct } from '#src/history/change.ts';
import type { Platform } from '#src/platform/platform.ts';
import type { GoesOn } from '#src/processes/schedule.ts';
import type { Addressees } from '#src/sockets/sockets.ts';
import type { ActiveCall, ActiveCalls } from './active-calls.ts';
import * as repository from './calls.repository.ts';

/** Age of a call, ms, at which its missing end is noticed: its process had time enough to store it. */
const ORPHAN_MS = 60_000;
/** How often to store that calls go on, ms: so exactly is the duration known of a call whose process died (RING24). */
const SEEN_MS = 10_000;
/** How long calls are kept, ms. */
const KEPT_MS = 90 * 86_400_000;

interface CallsUpkeepDeps extends Pick<Platform, 'db' | 'sockets' | 'record' | 'now' | 'steadyNow' | 'processId'> {
  live: Pick<ActiveCalls, 'get' | 'all'>;
  /** Reads a call from its row. @returns null: it is over */
  learn(id: CallId): Promise<ActiveCall | null>;
  forget(id: CallId): void;
  tellEnd(call: ActiveCall, reason: CallEnd, rejection: Rejection | null): Promise<void>;
  tellMissed(userId: UserId): Promise<void>;
  /** Null: there is no other process. */
  tellOver: ((id: CallId) => void) | null;
}

/** Looks after calls whose end nobody saw. */
export function createCallsUpkeep(deps: CallsUpkeepDeps) {
  const { db, sockets, record, now, steadyNow, processId, live, tellOver } = deps;
  /** Calls that the last sweep found lost. The two have the time until the next one to come back (RING8). */
  let lostBefore: ReadonlySet<string> = new Set();
  let seeAt = 0;

  /** Tells sockets that are still there of a call whose end nobody saw. */
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
    /** Stores now and then that calls go on which were taken: the caller's process does so. */
    async tick(): Promise<void> {
      if (steadyNow() < seeAt) return;
      seeAt = steadyNow() + SEEN_MS;
      const isHere = ({ caller, acceptedAt }: ActiveCall) =>
        acceptedAt !== null && sockets.find(caller.socket) !== null;
      const ids = live.all().flatMap((call) => (isHere(call) ? [call.id] : []));
      if (ids.length > 0) await repository.noteSeen(db, ids, now());
    },

    /** Ends calls that a dead process left open, and deletes old ones (RING12). */
    async sweep(): Promise<void> {
      const endedAt = now();
      const ended = await db.transaction(async (tx) => {
        const found = await repository.lockOrphans(tx, new Date(+endedAt - ORPHAN_MS), processId);
        const lost = found.filter(({ id, isLost }) => isLost || live.get(id as CallId) === null);
        const orphans = lost.filter(({ id, acceptedAt }) => acceptedAt === null || lostBefore.has(id));
        lostBefore = new Set(lost.map(({ id }) => id));
        for (const row of orphans) {
          const end = { reason: 'lost', rejection: null, isMissed: row.acceptedAt === null } as const;
          const seenAt = lastSeen(row) ?? endedAt;
          await repository.endCall(tx, row.id as CallId, { ...end, endedAt: seenAt }, row.acceptedAt !== null);
          await record(tx, [lostAct(row, seenAt, endedAt)]);
        }
        return orphans;
      });
      for (const row of ended) await tellLost(row);
      // Nobody told this process of their end, because Redis was away.
      for (const call of tellOver === null ? [] : live.all()) {
        if (call.ringsUntil >= steadyNow() || (await deps.learn(call.id)) !== null) continue;
        const { reason, rejection } = (await repository.findStoredEnd(db, call.id)) ?? {};
        await deps.tellEnd(call, reason ?? 'lost', rejection ?? null);
      }
      await repository.deleteCallsBefore(db, new Date(+endedAt - KEPT_MS));
    },
  };
}

/** When a call that was taken was last known to go on; null: it rang, or an earlier version has not stored it. */
function lastSeen({ acceptedAt, live }: repository.CallRow): Date | null {
  const seenAt = repository.knownCall.safeParse(live).data?.seenAt;
  return acceptedAt === null || seenAt === undefined ? null : new Date(Math.max(+acceptedAt, +new Date(seenAt)));
}

/** The log entry of a call whose end nobody saw: its duration is known until it was last seen (RING24). */
function lostAct(row: repository.CallRow, seenAt: Date, at: Date): LoggedAct {
  const { callerId, callerName, calleeId, calleeName, acceptedAt } = row;
  const name = { firstName: callerName, displayName: callerName, address: null };
  const by = callerId === null ? { user: null, address: null } : { user: { id: callerId, ...name } };
  const target = calleeId === null ? undefined : { id: calleeId, name: calleeName };
  return acceptedAt === null
    ? { ...by, type: 'call_missed', target, details: { end: 'lost' }, at }
    : { ...by, type: 'call', target, details: { durationMs: +seenAt - +acceptedAt, end: 'lost' }, at };
}

export interface CallHistoryDeps extends Pick<Platform, 'db' | 'now'> {
  devicesOf(userId: UserId): Addressees;
}

/** Calls that are over: which ones a user missed, and with whom they were in touch. */
export function createCallHistory({ db, now, devicesOf }: CallHistoryDeps) {
  async function tellMissed(userId: UserId): Promise<void> {
    devicesOf(userId).emit('missed_calls', { count: await repository.countMissed(db, userId) });
  }

  /** After "write to me" the caller learns where. If that can't be found out, the rejection is told all the same. */
  async function channelToWriteIn(
    { caller, callee }: ActiveCall,
    rejection: Rejection | null,
  ): Promise<{ writeIn?: WriteIn }> {
    if (rejection !== 'write_me') return {};
    const found = await repository.findSharedChannel(db, caller.id, callee.id).catch(() => null);
    return found === null ? {} : { writeIn: found };
  }

  return {
    tellMissed,
    channelToWriteIn,

    missed: (userId: UserId) => Promise.all([repository.countMissed(db, userId), repository.listMissed(db, userId)]),

    list: (userId: UserId, before: CallId | undefined) => repository.listCalls(db, userId, before),

    async see(userId: UserId, upTo: CallId | undefined): Promise<void> {
      await repository.markSeen(db, userId, now(), upTo);
      await tellMissed(userId);
    },

    /** Removes deleted users from everybody's contacts. @returns false when it was told to stop */
    async erase(userIds: readonly string[], goesOn: GoesOn): Promise<boolean> {
      for (const userId of userIds) {
        if (!(await goesOn())) return false;
        await repository.deleteContactsOf(db, userId);
      }
      return true;
    },
  };
}
