import type { CallEnd, CallId, Rejection, WriteIn } from '@pressel/contract/calls';
import type { ParticipantId, UserId } from '@pressel/contract/ids';
import { CALL_RING_MS } from '@pressel/contract/limits';
import type { EventAnswer, EventPayload } from '@pressel/contract/realtime';
import type { Tx } from '#src/db/connect.ts';
import { actorOf, type LoggedAct } from '#src/platform/acts.ts';
import type { Platform } from '#src/platform/platform.ts';
import type { GoesOn } from '#src/platform/schedule.ts';
import { listSockets } from '#src/platform/sockets.repository.ts';
import { audience, type Socket } from '#src/platform/sockets.ts';
import { lockUsers } from '#src/platform/users.repository.ts';
import { AppError } from '#src/shared/app-error.ts';
import { uuidV7 } from '#src/shared/ids.ts';
import { createKeyedLock } from '#src/shared/keyed-lock.ts';
import { displayName } from '#src/shared/present-user.ts';
import type { LimitSignals } from '#src/shared/signal-limit.ts';
import { mayCall } from './calls.policy.ts';
import * as repository from './calls.repository.ts';
import {
  acceptedBy,
  type Cause,
  createLiveCalls,
  endBy,
  isMissed,
  type LiveCall,
  lostBy,
  otherSocket,
  roleIn,
} from './live-calls.ts';

/** A call whose end nobody stored is looked for when it is that old: its process had time enough. */
const ORPHAN_MS = 60_000;
/** Calls are kept for so long. */
const KEPT_MS = 90 * 86_400_000;

export type CallsDeps = Pick<Platform, 'db' | 'sockets' | 'limit' | 'record' | 'now' | 'steadyNow' | 'log'>;
export type CallsService = ReturnType<typeof createCallsService>;

/** One-to-one calls: their state is this process's memory, each change of it one transaction (RING3). */
export function createCallsService({ db, sockets, limit, record, now, steadyNow, log }: CallsDeps) {
  const live = createLiveCalls();
  const starts = limit('calls.starts');
  const startsToOne = limit('calls.startsToOne');
  const pending = new Set<Promise<void>>();
  const turns = createKeyedLock();

  /** Whatever is stored of a call is stored in the order in which it happened. */
  const inOrder = <T>(id: CallId, work: (tx: Tx) => Promise<T>): Promise<T> =>
    turns.run(id, () => db.transaction(work));

  const devicesOf = (userId: UserId) => sockets.to(audience.user(userId));

  async function tellMissed(userId: UserId): Promise<void> {
    devicesOf(userId).emit('missed_calls', { count: await repository.countMissed(db, userId) });
  }

  const setInCall = ({ caller, callee }: LiveCall, isInCall: boolean): void => {
    for (const id of [caller.socket, callee.socket]) {
      const socket = id === null ? null : sockets.find(id);
      if (socket !== null) socket.data.isInCall = isInCall;
    }
  };

  /** The end and its entry of the log; for calls that never rang, too. */
  async function storeEnd(tx: Tx, call: LiveCall, reason: CallEnd, rejection: Rejection | null): Promise<void> {
    const endedAt = now();
    const wasAccepted = call.acceptedAt !== null;
    await repository.endCall(tx, call.id, { reason, rejection, isMissed: isMissed(reason, wasAccepted), endedAt });
    const { id, firstName, displayName: name, address } = call.caller;
    const act = { user: { id, firstName, displayName: name, address }, target: call.callee, at: endedAt };
    const durationMs = Math.max(0, +endedAt - +(call.acceptedAt ?? endedAt));
    await record(tx, [
      wasAccepted
        ? { ...act, type: 'call', details: { durationMs, end: reason } }
        : { ...act, type: 'call_missed', details: { end: reason } },
    ]);
  }

  /** After "write to me" the caller learns where: a rejection is told all the same when that can't be found out. */
  async function placeToWrite(
    { caller, callee }: LiveCall,
    rejection: Rejection | null,
  ): Promise<{ writeIn?: WriteIn }> {
    if (rejection !== 'write_me') return {};
    const found = await repository.findSharedChannel(db, caller.id, callee.id).catch(() => null);
    return found === null ? {} : { writeIn: found };
  }

  async function tellEnd(call: LiveCall, reason: CallEnd, rejection: Rejection | null): Promise<void> {
    const { id: callId, caller, callee } = call;
    const over = { callId, reason, rejection };
    sockets.to(caller.socket).emit('call_over', { ...over, ...(await placeToWrite(call, rejection)) });
    if (callee.socket === null) devicesOf(callee.id).emit('call_over', over);
    else sockets.to(callee.socket).emit('call_over', over);
  }

  /** Ends a call at once for everybody, and stores it. Whoever ends it first does so: others find none. */
  function end(call: LiveCall, reason: CallEnd, rejection: Rejection | null = null): Promise<void> {
    const last = live.get(call.id);
    if (last === null || !live.take(call.id)) return Promise.resolve();
    setInCall(last, false);
    const work = inOrder(last.id, (tx) => storeEnd(tx, last, reason, rejection))
      // Nobody is left in a call because its end could not be stored: it is found later (RING12).
      .finally(() => tellEnd(last, reason, rejection))
      .then(async () => {
        if (isMissed(reason, last.acceptedAt !== null)) await tellMissed(last.callee.id);
      });
    const settled: Promise<void> = work.catch(() => undefined).finally(() => pending.delete(settled));
    pending.add(settled);
    return work;
  }

  const inBackground = (work: Promise<void>): void => {
    work.catch((error: unknown) => log.error({ err: error }, 'call_work_failed'));
  };

  const happen = async (call: LiveCall, cause: Cause, rejection?: Rejection): Promise<void> => {
    const reason = endBy(call, cause);
    if (reason !== null) await end(call, reason, rejection ?? null);
  };

  /** Both accounts are there until the transaction ends. @throws AppError not_found: one of them was deleted meanwhile */
  async function lockBoth(tx: Tx, { caller, callee }: LiveCall, what: 'user' | 'call'): Promise<void> {
    const ids = [caller.id, callee.id];
    if ((await lockUsers(tx, ids, 'key share')).length < ids.length) throw new AppError('not_found', { what });
  }

  async function begin(tx: Tx, call: LiveCall): Promise<void> {
    const createdAt = now();
    const { caller, callee } = call;
    await lockBoth(tx, call, 'user');
    await repository.insertCall(tx, {
      id: call.id,
      callerId: caller.id,
      callerName: caller.displayName,
      calleeId: callee.id,
      calleeName: callee.name,
      callerSocket: sockets.find(caller.socket)?.data.participant.id ?? caller.socket,
      createdAt,
    });
    await repository.putContact(tx, caller.id, callee.id, createdAt);
  }

  /** @throws AppError not_found: there is nobody, or nobody whom they may call; which it is nobody learns */
  async function calleeOf(socket: Socket, calleeId: UserId): Promise<LiveCall['callee']> {
    const { session } = socket.data;
    const found = calleeId === session.userId ? null : await repository.findCallee(db, session.userId, calleeId);
    if (found === null || !mayCall(session.role, found)) throw new AppError('not_found', { what: 'user' });
    return {
      id: calleeId,
      name: displayName(found),
      socket: null,
      sessionId: null,
      sharesChannel: found.sharesChannel,
    };
  }

  const ringOf = ({ id: callId, caller, callee, ringsUntil }: LiveCall) => ({
    callId,
    caller: { id: caller.id, display_name: caller.displayName },
    ringMs: Math.max(0, Math.ceil(ringsUntil - steadyNow())),
    canWrite: callee.sharesChannel,
  });

  return {
    /** @throws AppError not_found, in_a_call, too_many, unavailable */
    async start(socket: Socket, calleeId: UserId): Promise<EventAnswer<'call_start'>> {
      const { session } = socket.data;
      await starts.take(session.userId);
      const callee = await calleeOf(socket, calleeId);
      await startsToOne.take(pairOf(session.userId, calleeId));
      const isOnline = (await listSockets(db, [calleeId])).length > 0;
      // From here on nothing is waited for until the call is in memory: of two that begin at once one is the first.
      if (socket.disconnected) throw new AppError('unavailable');
      if (live.of(session.userId) !== null) throw new AppError('in_a_call');
      const call: LiveCall = {
        id: uuidV7() as CallId,
        caller: { ...actorOf(session), id: session.userId, socket: socket.id as ParticipantId, sessionId: session.id },
        callee,
        ringsUntil: steadyNow() + CALL_RING_MS,
        acceptedAt: null,
      };
      const answer = { callId: call.id, name: callee.name };
      const refusal = live.of(calleeId) !== null ? ('busy' as const) : isOnline ? null : ('offline' as const);
      if (refusal === null) live.put(call);
      try {
        await inOrder(call.id, async (tx) => {
          await begin(tx, call);
          if (refusal !== null) await storeEnd(tx, call, refusal, null);
        });
      } catch (error) {
        // A device that connected meanwhile was told that it rings.
        if (live.take(call.id))
          devicesOf(calleeId).emit('call_over', { callId: call.id, reason: 'lost', rejection: null });
        throw error;
      }
      if (refusal !== null) {
        await tellMissed(calleeId);
        return { ...answer, over: refusal };
      }
      // Its caller went, or gave up, while it was stored.
      if (live.get(call.id) === null) return { ...answer, over: 'cancelled' };
      devicesOf(calleeId).emit('call_ring', ringOf(call));
      return { ...answer, over: null };
    },

    /** @throws AppError not_found: it doesn't ring, or not here; unavailable */
    async accept(socket: Socket, callId: CallId): Promise<void> {
      const { userId, id: sessionId } = socket.data.session;
      if (socket.disconnected) throw new AppError('unavailable');
      const ringing = live.get(callId);
      const taken =
        ringing?.callee.id === userId ? acceptedBy(ringing, socket.id as ParticipantId, sessionId, now()) : null;
      if (taken === null || taken.acceptedAt === null) throw new AppError('not_found', { what: 'call' });
      const { acceptedAt } = taken;
      live.put(taken);
      try {
        await inOrder(callId, async (tx) => {
          await lockBoth(tx, taken, 'call');
          await repository.acceptCall(tx, callId, acceptedAt);
          await repository.putContact(tx, userId, taken.caller.id, acceptedAt);
        });
      } catch (error) {
        inBackground(end(taken, 'lost'));
        throw error;
      } finally {
        // Even if it is over by now: whoever ended it told the device that took it alone, and the others still ring.
        devicesOf(userId).except([socket.id]).emit('call_over', { callId, reason: 'elsewhere', rejection: null });
      }
      if (live.get(callId) !== taken) throw new AppError('not_found', { what: 'call' });
      setInCall(taken, true);
      sockets.to(taken.caller.socket).emit('call_accepted', { callId });
      await startsToOne.reset(pairOf(taken.caller.id, userId));
    },

    /** @throws AppError not_found: it doesn't ring, or not here */
    async reject(socket: Socket, callId: CallId, rejection: Rejection | undefined): Promise<void> {
      const call = live.get(callId);
      if (call?.callee.id !== socket.data.session.userId || call.acceptedAt !== null) {
        throw new AppError('not_found', { what: 'call' });
      }
      await happen(call, { type: 'reject', by: 'callee' }, rejection);
    },

    /** The button that ends a call. Never refused: what is over stays so, what is others' isn't touched. */
    async hangUp(socket: Socket, { callId, isLost = false }: EventPayload<'call_end'>): Promise<void> {
      const { userId, id: sessionId } = socket.data.session;
      const call = live.get(callId);
      if (call === null) return;
      const by = isLost ? lostBy(call, sessionId) : roleIn(call, socket.id as ParticipantId, userId);
      if (by !== null) await happen(call, { type: isLost ? 'lost' : 'end', by });
    },

    /** Passes a signal on to the other one. @throws AppError not_found, too_many */
    relay(socket: Socket, { callId, link, signal }: EventPayload<'call_signal'>, limitSignals: LimitSignals): void {
      const call = live.get(callId);
      const other = call && otherSocket(call, socket.id as ParticipantId);
      if (other === null) throw new AppError('not_found', { what: 'call' });
      if (signal.type === 'offer' || signal.type === 'candidate') {
        limitSignals(signal.type, socket, sockets.find(other));
      }
      sockets.to(other).emit('call_signal', { callId, signal, ...(link === undefined ? {} : { link }) });
    },

    /** A new socket of somebody: it rings there too, if it rings, and learns what was missed. */
    welcome(socket: Socket): void {
      const { userId } = socket.data.session;
      const call = live.of(userId);
      if (call?.callee.id === userId && call.acceptedAt === null) socket.emit('call_ring', ringOf(call));
      inBackground(repository.countMissed(db, userId).then((count) => void socket.emit('missed_calls', { count })));
    },

    /** A socket is gone: so is its call. */
    lost(socket: Socket): void {
      const { userId } = socket.data.session;
      const call = live.of(userId);
      const by = call && roleIn(call, socket.id as ParticipantId, userId);
      if (call !== null && by !== null) inBackground(happen(call, { type: 'lost', by }));
    },

    /** An account is gone: what rings there rings for nobody. Calls that go on end with their sockets. */
    deleted(userId: UserId): void {
      const call = live.of(userId);
      if (call !== null && call.acceptedAt === null) inBackground(end(call, 'lost'));
    },

    /** Ends calls that rang for long enough. */
    tick(): void {
      for (const call of live.all()) inBackground(happen(call, { type: 'tick', now: steadyNow() }));
    },

    missed: (userId: UserId) => Promise.all([repository.countMissed(db, userId), repository.listMissed(db, userId)]),

    list: (userId: UserId, before: CallId | undefined) => repository.listCalls(db, userId, before),

    async see(userId: UserId, upTo: CallId | undefined): Promise<void> {
      await repository.markSeen(db, userId, now(), upTo);
      await tellMissed(userId);
    },

    /** Ends what a process that died left open, and deletes what is old (RING12). */
    async sweep(): Promise<void> {
      const endedAt = now();
      const found = await db.transaction(async (tx) => {
        const orphans = await repository.lockOrphans(tx, new Date(+endedAt - ORPHAN_MS));
        for (const row of orphans) {
          if (live.get(row.id as CallId) !== null) continue;
          const end = { reason: 'lost', rejection: null, isMissed: row.acceptedAt === null, endedAt } as const;
          await repository.endCall(tx, row.id as CallId, end);
          await record(tx, [lostAct(row, endedAt)]);
        }
        return orphans;
      });
      for (const { calleeId } of found) if (calleeId !== null) await tellMissed(calleeId as UserId);
      await repository.deleteCallsBefore(db, new Date(+endedAt - KEPT_MS));
    },

    /** Nobody has users who are gone among their contacts. @returns false when it was told to stop */
    async erase(userIds: readonly string[], goesOn: GoesOn): Promise<boolean> {
      for (const userId of userIds) {
        if (!(await goesOn())) return false;
        await repository.deleteContactsOf(db, userId);
      }
      return true;
    },

    async settled(): Promise<void> {
      while (pending.size > 0) await Promise.all(pending);
    },
  };
}

const pairOf = (caller: UserId, callee: UserId): string => `${caller} ${callee}`;

/** The entry of a call whose end nobody saw: how long it was is not known. */
function lostAct({ callerId, callerName, calleeId, calleeName, acceptedAt }: repository.CallRow, at: Date): LoggedAct {
  const name = { firstName: callerName, displayName: callerName, address: null };
  const by = callerId === null ? { user: null, address: null } : { user: { id: callerId, ...name } };
  const target = calleeId === null ? undefined : { id: calleeId, name: calleeName };
  return acceptedAt === null
    ? { ...by, type: 'call_missed', target, details: { end: 'lost' }, at }
    : { ...by, type: 'call', target, details: { durationMs: 0, end: 'lost' }, at };
}
