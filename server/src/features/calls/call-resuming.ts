import type { CallId } from '@pressel/contract/calls';
import type { ParticipantId } from '@pressel/contract/ids';
import { RESUME_MS } from '@pressel/contract/limits';
import type { Tx } from '#src/db/connect.ts';
import type { Platform } from '#src/platform/platform.ts';
import { AppError } from '#src/shared/app-error.ts';
import { isLinkLost, SERVER_STOPS, type Socket } from '#src/sockets/sockets.ts';
import {
  type ActiveCall,
  type ActiveCalls,
  type CallSide,
  holderOf,
  type LostSocket,
  lostBy,
  otherSocket,
  sideIn,
} from './active-calls.ts';
import { type EndingCall, RETRY_MS } from './call-ends.ts';
import { type CallRows, callOf } from './call-rows.ts';
import * as repository from './calls.repository.ts';

/** How often to look whether the process of the other one is there, ms. */
const LOOK_MS = 5_000;

/** The one whose socket it is, and whether its process was gone at the last look. */
interface Elsewhere {
  side: CallSide;
  isGone: boolean;
}

/** A lost socket of a call that goes on. `until`: when to look at it, by the steady clock. */
interface Lost {
  callId: CallId;
  until: number;
  /** The call still rang, as far as this process knew, and its device waits if it was taken. */
  mayComeBack?: boolean;
  /** It is of another process. */
  elsewhere?: Elsewhere;
}

export interface CallResumingDeps extends Pick<Platform, 'db' | 'sockets' | 'now' | 'steadyNow' | 'processId'> {
  live: Pick<ActiveCalls, 'get' | 'of'>;
  /** A call that this process ends, whose end may not be stored yet. */
  ending(id: CallId): EndingCall | null;
  /** Runs a transaction after the earlier changes of the same call. */
  inOrder<T>(id: CallId, work: (tx: Tx) => Promise<T>): Promise<T>;
  lockBoth: CallRows['lockBoth'];
  /** `before`: the call with the sockets that it had. */
  remember(call: ActiveCall, before: ActiveCall): void;
  forget(id: CallId): void;
  /** Reads a call, which another process may have changed. @returns null: it is over */
  learn(id: CallId): Promise<ActiveCall | null>;
  /** Ends a call in the background. `lost`: unless the one who lost that socket went on with another one. */
  end(call: ActiveCall, by: CallSide, lost?: LostSocket): void;
  inBackground(work: Promise<unknown>): void;
  /** Null: there is no other process. */
  tellMoved: ((id: CallId, side: CallSide, socket: ParticipantId) => void) | null;
}

/**
 * Calls outlive their sockets, as their voices do (RING8): one that was taken waits RESUME_MS for a lost device, which goes on with its
 * next socket, also at another process, or once the server was started again.
 */
export function createCallResuming(deps: CallResumingDeps) {
  const { db, sockets, live, now, steadyNow, processId, tellMoved } = deps;
  const lost = new Map<ParticipantId, Lost>();
  const wait = (callId: CallId, socket: ParticipantId): void =>
    void lost.set(socket, { callId, until: steadyNow() + RESUME_MS });

  const endLater = (callId: CallId, { socket, mayComeBack = false }: LostSocket): void =>
    void lost.set(socket, { callId, until: steadyNow() + RETRY_MS, mayComeBack });

  /** The process of the other one may have ended, or do so soon. Then nobody else waits for its device, or ends the call. */
  const watch = (callId: CallId, socket: ParticipantId, side: CallSide): void => {
    // This process looks after its own sockets, and after those that it lost.
    if (sockets.find(socket) !== null || lost.has(socket)) return;
    lost.set(socket, { callId, until: steadyNow() + LOOK_MS, elsewhere: { side, isGone: false } });
  };

  /** Ends a call RESUME_MS after the process of the other one was found gone, unless its device went on at another one. */
  async function lookElsewhere(socket: ParticipantId, callId: CallId, { side, isGone }: Elsewhere): Promise<void> {
    const call = await deps.learn(callId);
    const present = call?.[side].socket ?? null;
    if (call === null || present === null) return;
    if (present !== socket || (await repository.isProcessThere(db, callId, side))) watch(callId, present, side);
    else if (isGone) deps.end(call, side, { socket });
    else lost.set(socket, { callId, until: steadyNow() + RESUME_MS, elsewhere: { side, isGone: true } });
  }
  const lookAgain = (socket: ParticipantId, entry: Lost, elsewhere: Elsewhere): Promise<void> =>
    lookElsewhere(socket, entry.callId, elsewhere).catch((error: unknown) => {
      // The database is away: the next look tries again.
      lost.set(socket, { ...entry, until: steadyNow() + RETRY_MS });
      throw error;
    });

  /** Ends a call, unless the one who lost the socket went on with another one. */
  async function endLate(callId: CallId, of: LostSocket): Promise<void> {
    const call = await deps.learn(callId).catch((error: unknown) => {
      // The database is away: the next looks try again.
      endLater(callId, of);
      throw error;
    });
    const by = call && holderOf(call, of.socket);
    if (call === null || by === null) return;
    // It was taken before its end could be stored (RING8).
    if (of.mayComeBack === true && call.acceptedAt !== null) wait(callId, of.socket);
    else deps.end(call, by, of);
  }

  /** Finds a call that was taken. This process may have been started again since, and know nothing of it. */
  async function findTaken(id: CallId): Promise<ActiveCall | null> {
    const known = tellMoved === null ? live.get(id) : null;
    const row = known === null ? await repository.findOpenCall(db, id) : null;
    const call = known ?? (row && callOf(row, { now, steadyNow }));
    return call?.acceptedAt == null ? null : call;
  }

  /** Whether one of the two is in another call, of whichever process. Neither begins one before the transaction ends. */
  async function isInAnother(tx: Tx, call: ActiveCall): Promise<boolean> {
    const { caller, callee } = call;
    if ([caller.id, callee.id].some((who) => (live.of(who)?.id ?? call.id) !== call.id)) return true;
    if (tellMoved === null) return false;
    await deps.lockBoth(tx, call, 'call', 'no key update');
    return (await repository.listBusy(tx, [caller.id, callee.id])).some(({ id }) => id !== call.id);
  }

  /** Whether a call ends here. The end by a lost socket may come to nothing (RING21). */
  async function isEnding(id: CallId): Promise<boolean> {
    for (let under = deps.ending(id); under !== null; under = deps.ending(id)) {
      if (!under.isGuarded || (await under.isOver)) return true;
    }
    return false;
  }

  /** Tells a device that comes back how its call ended, if it had part in it (RING22). */
  async function refuse(socket: Socket, callId: CallId): Promise<never> {
    const { session } = socket.data;
    const ending = deps.ending(callId);
    const isOwn = ending !== null && lostBy(ending.call, session.id) !== null;
    const reason = isOwn ? ending.reason : await repository.findEnd(db, callId, session.userId);
    if (reason !== null) socket.emit('call_over', { callId, reason, rejection: null });
    throw new AppError('not_found', { what: 'call' });
  }

  return {
    ...{ findTaken, wait, endLater },

    /**
     * Goes on with a call at another socket of the same session.
     * @throws AppError not_found: it is over, or this session didn't make or take it; unavailable
     */
    async resume(socket: Socket, callId: CallId): Promise<void> {
      const id = socket.id as ParticipantId;
      const call = await findTaken(callId);
      const side = call && lostBy(call, socket.data.session.id);
      if (call === null || side === null || (await isEnding(callId))) return refuse(socket, callId);
      const row = await deps.inOrder(callId, async (tx) => {
        // After a restart of the server somebody may have begun another call meanwhile. Nobody is in two (RING4).
        if (await isInAnother(tx, call)) return 'in another';
        // A newer socket of the device may have the call by now.
        if (socket.disconnected) throw new AppError('unavailable');
        return repository.moveCall(tx, callId, side, { serverId: processId, socket: id });
      });
      if (row === 'in another') {
        deps.end(call, side);
        return refuse(socket, callId);
      }
      const moved = row && callOf(row, { now, steadyNow });
      // It was ended while its new socket was stored. A late end for the former one ends nothing any more.
      if (moved === null || (await isEnding(callId))) {
        deps.forget(callId);
        return refuse(socket, callId);
      }
      deps.remember(moved, call);
      tellMoved?.(callId, side, id);
      const other = otherSocket(moved, id);
      // The server was started again, and the other one may never come back. Other processes look after their own sockets.
      if (other !== null && tellMoved !== null) watch(callId, other, side === 'caller' ? 'callee' : 'caller');
      else if (other !== null && sockets.find(other) === null) wait(callId, other);
      if (socket.disconnected) wait(callId, id);
    },

    /** Called when a socket is gone. A call that rang ends, and so does one whose link somebody ended on purpose. */
    lost(socket: Socket, reason: string): void {
      const { userId } = socket.data.session;
      const id = socket.id as ParticipantId;
      const call = live.of(userId);
      const by = call && sideIn(call, id, userId);
      if (call === null || by === null) return;
      const isLost = isLinkLost(reason) || reason === SERVER_STOPS || socket.data.isReplaced;
      const mayComeBack = call.acceptedAt !== null && isLost;
      if (mayComeBack) wait(call.id, id);
      else deps.end(call, by, { socket: id, mayComeBack: isLost });
    },

    /** Ends the calls that waited for long enough. */
    tick(): void {
      for (const [socket, entry] of lost) {
        if (steadyNow() < entry.until) continue;
        lost.delete(socket);
        const { callId, mayComeBack = false, elsewhere } = entry;
        deps.inBackground(
          elsewhere === undefined ? endLate(callId, { socket, mayComeBack }) : lookAgain(socket, entry, elsewhere),
        );
      }
    },
  };
}
