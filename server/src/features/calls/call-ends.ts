import type { CallEnd, CallId, Rejection } from '@pressel/contract/calls';
import type { ParticipantId, UserId } from '@pressel/contract/ids';
import type { Platform } from '#src/platform/platform.ts';
import { type ActiveCall, type ActiveCalls, isMissed, type LostSocket } from './active-calls.ts';

/** The wait before the end of a call that could not be read or stored is tried again, ms. */
export const RETRY_MS = 1_000;

/** A call whose end is on its way into the table. */
export interface EndingCall {
  readonly call: ActiveCall;
  readonly reason: CallEnd;
  /** Whether a lost socket ends it: that comes to nothing if its device went on with another one (RING21). */
  readonly isGuarded: boolean;
  /** Whether it ended. Never rejected. */
  readonly isOver: Promise<boolean>;
}

interface Ending extends EndingCall {
  readonly rejection: Rejection | null;
  isOver: Promise<boolean>;
  /** When to store an end again that was told, by the steady clock; null: its storing is under way. */
  retryAt: number | null;
}

export interface CallEndsDeps extends Pick<Platform, 'steadyNow'> {
  live: Pick<ActiveCalls, 'get'>;
  /** @returns the call with the sockets that its row names; null: it goes on, or another process ended it */
  store(
    call: ActiveCall,
    reason: CallEnd,
    rejection: Rejection | null,
    lost?: ParticipantId,
  ): Promise<ActiveCall | null>;
  /** The call as it is by now; null: it is over. */
  newest(call: ActiveCall): Promise<ActiveCall | null>;
  remember(call: ActiveCall): void;
  forget(id: CallId): void;
  /** Ends a call by a lost socket a little later. */
  endLater(id: CallId, lost: LostSocket): void;
  tellEnd(call: ActiveCall, reason: CallEnd, rejection: Rejection | null): Promise<void>;
  tellMissed(userId: UserId): Promise<void>;
  /** Null: there is no other process. */
  tellOver: ((id: CallId) => void) | null;
}

/** The ends of calls, from the event that ends a call until that is stored. Nobody goes on with such a call. */
export function createCallEnds(deps: CallEndsDeps) {
  const { live, steadyNow } = deps;
  const ending = new Map<CallId, Ending>();
  const pending = new Set<Promise<unknown>>();

  const isUnderWay = (entry: Ending): boolean => ending.get(entry.call.id) === entry;
  const settle = (entry: Ending): void => void (isUnderWay(entry) && ending.delete(entry.call.id));
  const follow = (work: Promise<unknown>): void => {
    const settled: Promise<unknown> = work.finally(() => pending.delete(settled)).catch(() => undefined);
    pending.add(settled);
  };

  async function tell(call: ActiveCall, reason: CallEnd, rejection: Rejection | null): Promise<void> {
    deps.tellOver?.(call.id);
    await deps.tellEnd(call, reason, rejection);
  }

  /** Follows an end that is stored. The end counts even if telling others of it fails. */
  async function finish(entry: Ending, ended: ActiveCall, reason: CallEnd): Promise<void> {
    settle(entry);
    try {
      await tell(ended, reason, entry.rejection);
    } finally {
      if (isMissed(reason, ended.acceptedAt !== null)) await deps.tellMissed(ended.callee.id);
    }
  }

  async function storedEnd(entry: Ending, lost: ParticipantId | undefined, takeBack: () => void): Promise<boolean> {
    const { call, reason, rejection } = entry;
    let ended: ActiveCall | null;
    try {
      ended = await deps.store(call, reason, rejection, lost);
    } catch (error) {
      if (lost !== undefined) takeBack();
      else {
        entry.retryAt = steadyNow() + RETRY_MS;
        // The call ends even if its end could not be stored. These are the sockets that this process knows.
        await tell(call, reason, rejection);
      }
      throw error;
    }
    if (ended === null) settle(entry);
    else await finish(entry, ended, reason);
    return ended !== null;
  }

  /** Stores an end that was told already, with the sockets that the call has by now. */
  async function storeAgain(entry: Ending): Promise<void> {
    const { call, rejection } = entry;
    entry.retryAt = null;
    try {
      const newer = await deps.newest(call);
      const wasTaken = newer !== null && newer.acceptedAt !== null && call.acceptedAt === null;
      const reason = wasTaken ? 'lost' : entry.reason;
      const ended = newer && (await deps.store(newer, reason, rejection));
      if (newer === null) settle(entry);
      // A device that went on meanwhile hears of it, too.
      else if (ended !== null) await finish(entry, ended, reason);
    } finally {
      entry.retryAt = steadyNow() + RETRY_MS;
    }
  }

  return {
    get: (id: CallId): EndingCall | null => ending.get(id) ?? null,

    /** Waits for the end by a lost socket, which may come to nothing. */
    async guarded(id: CallId): Promise<void> {
      const under = ending.get(id);
      if (under?.isGuarded === true) await under.isOver;
    },

    /** Another process ended the call. */
    ended: (id: CallId): void => void ending.delete(id),

    /**
     * Ends a call at once for everybody, and stores it. Only the first caller of this does so: the others wait for its outcome.
     * @param lost the lost socket that ends it, unless its device went on with another one
     * @returns false: it goes on elsewhere, another process ended it, or took a call that was known ringing
     */
    end(call: ActiveCall, reason: CallEnd, rejection: Rejection | null, lost?: LostSocket): Promise<boolean> {
      const under = ending.get(call.id);
      if (under !== undefined) return under.isOver;
      const known = live.get(call.id);
      const isOver = Promise.resolve(true);
      const isGuarded = lost !== undefined;
      const entry: Ending = { call: known ?? call, reason, rejection, isGuarded, isOver, retryAt: null };
      let isTakenBack = false;
      // Its row may name another socket: the call stays, and its end is tried again (RING21).
      const work = storedEnd(entry, lost?.socket, () => {
        if (lost === undefined || !isUnderWay(entry)) return;
        isTakenBack = true;
        settle(entry);
        if (known !== null) deps.remember(known);
        deps.endLater(entry.call.id, lost);
      });
      entry.isOver = work.catch(() => !isTakenBack);
      ending.set(entry.call.id, entry);
      deps.forget(entry.call.id);
      follow(work);
      return work;
    },

    /** Tries ends again that could not be stored (RING12). */
    tick(): void {
      for (const entry of ending.values()) {
        if (entry.retryAt !== null && steadyNow() >= entry.retryAt) follow(storeAgain(entry));
      }
    },

    async settled(): Promise<void> {
      while (pending.size > 0) await Promise.all(pending);
    },
  };
}
