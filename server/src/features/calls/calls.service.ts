import type { CallEnd, CallId, Rejection } from '@pressel/contract/calls';
import type { ParticipantId, UserId } from '@pressel/contract/ids';
import { CALL_RING_MS } from '@pressel/contract/limits';
import type { EventAnswer, EventPayload } from '@pressel/contract/realtime';
import { mayCall } from '#src/accounts/policies.ts';
import { displayName } from '#src/accounts/present-user.ts';
import type { Tx } from '#src/db/connect.ts';
import { inRounds } from '#src/db/rounds.ts';
import { actorOf } from '#src/history/change.ts';
import type { Platform } from '#src/platform/platform.ts';
import { AppError } from '#src/shared/app-error.ts';
import { uuidV7 } from '#src/shared/ids.ts';
import { createKeyedLock } from '#src/shared/keyed-lock.ts';
import { createSignals } from '#src/sockets/signals.ts';
import { listSockets } from '#src/sockets/sockets.repository.ts';
import { audience, type Socket } from '#src/sockets/sockets.ts';
import {
  type ActiveCall,
  acceptedBy,
  besideMoved,
  type CallSide,
  type Cause,
  createActiveCalls,
  endBy,
  holderOf,
  lostBy,
  lostSocketOf,
  movedTo,
  otherSocket,
  sideIn,
  takenBy,
} from './active-calls.ts';
import { createCallEnds } from './call-ends.ts';
import { createCallHistory, createCallsUpkeep } from './call-history.ts';
import { createCallResuming } from './call-resuming.ts';
import { createCallRows, createCallsElsewhere } from './call-rows.ts';
import * as repository from './calls.repository.ts';

export interface CallsDeps
  extends Pick<Platform, 'db' | 'sockets' | 'limit' | 'record' | 'now' | 'steadyNow' | 'log' | 'processId'> {
  /** Null: this process is alone. */
  shared: Pick<NonNullable<Platform['shared']>, 'relay'> | null;
}
export type CallsService = ReturnType<typeof createCallsService>;

/**
 * One-to-one calls. Each change is one transaction, and the call's row decides who ends or takes it. This process remembers the
 * calls that its own sockets began or took (RING3).
 */
export function createCallsService(deps: CallsDeps) {
  const { db, sockets, limit, now, steadyNow, log, processId, shared } = deps;
  const activeCalls = createActiveCalls();
  const elsewhere =
    shared === null
      ? null
      : createCallsElsewhere({
          ...{ db, now, steadyNow, sockets, relay: shared.relay },
          taken(id, by) {
            const call = activeCalls.get(id);
            if (call !== null) remember(takenBy(call, by));
          },
          moved(id, side, socket) {
            const call = activeCalls.get(id);
            if (call !== null) rememberHere(movedTo(call, side, socket));
          },
          over(id) {
            ends.ended(id);
            forget(id);
          },
        });
  const starts = limit('calls.starts');
  const startsToOne = limit('calls.startsToOne');
  const signals = createSignals({
    ...{ topic: 'call_signals', relay: shared?.relay ?? null, sockets, now: steadyNow },
    find: (id) => sockets.find(id as ParticipantId),
  });
  const countMissed = inRounds((userIds: readonly UserId[]) => repository.countMissedOfEach(db, userIds));
  const turns = createKeyedLock();

  /** Stores the changes of a call in the order in which they happened. */
  const inOrder = <T>(id: CallId, work: (tx: Tx) => Promise<T>): Promise<T> =>
    turns.run(id, () => db.transaction(work));

  const devicesOf = (userId: UserId) => sockets.to(audience.user(userId));

  const history = createCallHistory({ db, now, devicesOf });
  const { tellMissed, channelToWriteIn } = history;
  const { begin, storeEnd, lockBoth } = createCallRows({ ...deps, isAlone: elsewhere === null });

  const setInCall = ({ caller, callee }: ActiveCall, isInCall: boolean): void => {
    for (const id of [caller.socket, callee.socket]) {
      const socket = id === null ? null : sockets.find(id);
      if (socket !== null) socket.data.isInCall = isInCall;
    }
  };

  /** A call whose device went on with another socket leaves the former one, and the other device hears of it (RING23). */
  function remember(call: ActiveCall, before = activeCalls.get(call.id)): void {
    if (before !== null) setInCall(before, false);
    activeCalls.put(call);
    setInCall(call, call.acceptedAt !== null);
    const others = before === null ? [] : besideMoved(before, call);
    for (const other of others) sockets.local.to(other).emit('call_resumed', { callId: call.id });
  }
  function forget(id: CallId): void {
    const call = activeCalls.get(id);
    if (call !== null && activeCalls.take(id)) setInCall(call, false);
  }

  /** Remembers a call as long as one of its sockets is of this process. */
  function rememberHere(call: ActiveCall, before: ActiveCall | null = null): void {
    const isHere = [call.caller.socket, call.callee.socket].some((of) => of !== null && sockets.find(of) !== null);
    // Somebody may have ended it while its row was read.
    if (isHere && ends.get(call.id) === null) remember(call, activeCalls.get(call.id) ?? before);
    else forget(call.id);
  }

  /**
   * Reads a call from its row, because another process may have taken or ended it.
   * @param before the call as this process knew it until it tried to end it
   */
  async function learn(id: CallId, before: ActiveCall | null = null): Promise<ActiveCall | null> {
    if (elsewhere === null) return activeCalls.get(id);
    const call = await elsewhere.find(id);
    if (call === null) forget(id);
    else rememberHere(call, before);
    return call;
  }
  async function find(id: CallId): Promise<ActiveCall | null> {
    await ends.guarded(id);
    const stored = activeCalls.get(id) === null && elsewhere !== null ? await elsewhere.find(id) : null;
    // It may have become known here meanwhile.
    return activeCalls.get(id) ?? stored;
  }

  async function tellEnd(call: ActiveCall, reason: CallEnd, rejection: Rejection | null): Promise<void> {
    const { id: callId, caller, callee } = call;
    const over = { callId, reason, rejection };
    sockets.to(caller.socket).emit('call_over', { ...over, ...(await channelToWriteIn(call, rejection)) });
    if (callee.socket === null) devicesOf(callee.id).emit('call_over', over);
    else sockets.to(callee.socket).emit('call_over', over);
  }

  const ends = createCallEnds({
    ...{ live: activeCalls, steadyNow, remember, forget, tellEnd, tellMissed, tellOver: elsewhere?.tellOver ?? null },
    store: (call, ...end) => inOrder(call.id, (tx) => storeEnd(tx, call, ...end)),
    newest: async (call) => (elsewhere === null ? call : elsewhere.find(call.id)),
    endLater: (id, lost) => resuming.endLater(id, lost),
  });
  const { end } = ends;

  const inBackground = (work: Promise<unknown>): void => {
    work.catch((error: unknown) => log.error({ err: error }, 'call_work_failed'));
  };

  /** The process of the other one may not have heard of the socket with which a device went on (RING23). */
  const tellMovedAgain = ({ id, ...both }: ActiveCall, side: CallSide | null): void => {
    const socket = side && both[side].socket;
    if (side !== null && socket !== null) elsewhere?.tellMoved(id, side, socket);
  };

  const happen = async (call: ActiveCall, cause: Cause, rejection?: Rejection): Promise<void> => {
    const reason = endBy(call, cause);
    const lost = lostSocketOf(cause);
    if (reason === null || (await end(call, reason, rejection ?? null, lost))) return;
    // Another process took it, went on with it, or ended it, and its news are on their way.
    const newer = await learn(call.id, call);
    if (newer !== null && lost !== undefined) {
      if (holderOf(newer, lost.socket) === null) return tellMovedAgain(newer, holderOf(call, lost.socket));
      // It was taken just before its caller's link was lost, and so it waits for the device (RING8).
      if (lost.mayComeBack && newer.acceptedAt !== null) return resuming.wait(newer.id, lost.socket);
    }
    const nowBy = newer && endBy(newer, cause);
    if (newer !== null && nowBy !== null) await end(newer, nowBy, rejection ?? null, lost);
    else if (newer?.acceptedAt != null) sockets.to(newer.caller.socket).emit('call_accepted', { callId: newer.id });
  };

  /** @throws AppError not_found: there is no such user, or they may not call them; the answer doesn't tell which */
  async function calleeOf(socket: Socket, calleeId: UserId): Promise<ActiveCall['callee']> {
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

  const ringOf = ({ id: callId, caller, callee, ringsUntil }: ActiveCall) => ({
    callId,
    caller: { id: caller.id, display_name: caller.displayName },
    ringMs: Math.max(0, Math.ceil(ringsUntil - steadyNow())),
    canWrite: callee.sharesChannel,
  });

  const resuming = createCallResuming({
    ...{ db, sockets, now, steadyNow, processId, live: activeCalls, inOrder, remember, forget, learn },
    lockBoth,
    ending: ends.get,
    tellMoved: elsewhere?.tellMoved ?? null,
    end: (call, by, socket) => inBackground(happen(call, { type: 'lost', by, ...socket })),
    inBackground,
  });

  const upkeep = createCallsUpkeep({
    ...deps,
    live: activeCalls,
    learn,
    forget(id) {
      ends.ended(id);
      forget(id);
    },
    tellEnd,
    tellMissed,
    tellOver: elsewhere?.tellOver ?? null,
  });

  return {
    /** @throws AppError not_found, in_a_call, too_many, unavailable */
    async start(socket: Socket, calleeId: UserId): Promise<EventAnswer<'call_start'>> {
      const { session } = socket.data;
      await starts.take(session.userId);
      const callee = await calleeOf(socket, calleeId);
      await startsToOne.take(pairOf(session.userId, calleeId));
      const isOnline = (await listSockets(db, [calleeId])).length > 0;
      // Nothing is awaited from here until the call is in memory: of two that begin at once, one is the first.
      if (socket.disconnected) throw new AppError('unavailable');
      if (activeCalls.of(session.userId) !== null) throw new AppError('in_a_call');
      const call: ActiveCall = {
        id: uuidV7() as CallId,
        caller: { ...actorOf(session), id: session.userId, socket: socket.id as ParticipantId, sessionId: session.id },
        callee,
        ringsUntil: steadyNow() + CALL_RING_MS,
        acceptedAt: null,
      };
      const answer = { callId: call.id, name: callee.name };
      const known = activeCalls.of(calleeId) !== null ? ('busy' as const) : isOnline ? null : ('offline' as const);
      if (known === null) activeCalls.put(call);
      let refusal: CallEnd | null;
      try {
        refusal = await inOrder(call.id, (tx) => begin(tx, call, known));
      } catch (error) {
        // A device that connected meanwhile was told that it rings.
        if (activeCalls.take(call.id))
          devicesOf(calleeId).emit('call_over', { callId: call.id, reason: 'lost', rejection: null });
        throw error;
      }
      if (refusal !== null) {
        forget(call.id);
        await tellMissed(calleeId);
        return { ...answer, over: refusal };
      }
      // Its caller went, or gave up, while it was stored.
      if (activeCalls.get(call.id) === null) return { ...answer, over: 'cancelled' };
      devicesOf(calleeId).emit('call_ring', ringOf(call));
      return { ...answer, over: null };
    },

    /** @throws AppError not_found: it doesn't ring, or not here; unavailable */
    async accept(socket: Socket, callId: CallId): Promise<void> {
      const { userId, id: sessionId } = socket.data.session;
      const ringing = await find(callId);
      if (socket.disconnected) throw new AppError('unavailable');
      const taken =
        ringing?.callee.id === userId ? acceptedBy(ringing, socket.id as ParticipantId, sessionId, now()) : null;
      if (taken === null || taken.acceptedAt === null) throw new AppError('not_found', { what: 'call' });
      const { acceptedAt } = taken;
      activeCalls.put(taken);
      let isFirst = true;
      try {
        const by = { acceptedAt, calleeServerId: processId, socket: socket.id, session: sessionId };
        isFirst = await inOrder(callId, async (tx) => {
          await lockBoth(tx, taken, 'call', 'key share');
          if (!(await repository.acceptCall(tx, callId, by))) return false;
          await repository.putContact(tx, userId, taken.caller.id, acceptedAt);
          return true;
        });
      } catch (error) {
        inBackground(end(taken, 'lost', null));
        throw error;
      } finally {
        // Done even if it is over by now: its end was told only to the device that took it, and the others still ring.
        if (isFirst) {
          devicesOf(userId).except([socket.id]).emit('call_over', { callId, reason: 'elsewhere', rejection: null });
        }
      }
      if (!isFirst) await learn(callId);
      if (activeCalls.get(callId) !== taken) throw new AppError('not_found', { what: 'call' });
      setInCall(taken, true);
      elsewhere?.tellTaken(taken);
      sockets.to(taken.caller.socket).emit('call_accepted', { callId });
      await startsToOne.reset(pairOf(taken.caller.id, userId));
    },

    /** @throws AppError not_found: it doesn't ring, or not here */
    async reject(socket: Socket, callId: CallId, rejection: Rejection | undefined): Promise<void> {
      const call = await find(callId);
      if (call?.callee.id !== socket.data.session.userId || call.acceptedAt !== null) {
        throw new AppError('not_found', { what: 'call' });
      }
      await happen(call, { type: 'reject', by: 'callee' }, rejection);
    },

    /** The button that ends a call. Never refused: an ended call stays ended, and calls of others are not touched. */
    async hangUp(socket: Socket, { callId, isLost = false }: EventPayload<'call_end'>): Promise<void> {
      const { userId, id: sessionId } = socket.data.session;
      // A process that was started again learns a call from its row, and so does one whose end of it came to nothing.
      const call = (await find(callId)) ?? (await resuming.findTaken(callId));
      if (call === null) return;
      const by = isLost ? lostBy(call, sessionId) : sideIn(call, socket.id as ParticipantId, userId);
      if (by !== null) await happen(call, { type: isLost ? 'lost' : 'end', by });
    },

    resume: resuming.resume,
    lost: resuming.lost,

    /** Passes a signal on to the other participant. @throws AppError not_found, too_many */
    relay(socket: Socket, { callId, link, signal }: EventPayload<'call_signal'>): void {
      const call = activeCalls.get(callId);
      const other = call && otherSocket(call, socket.id as ParticipantId);
      if (other === null) throw new AppError('not_found', { what: 'call' });
      const { type } = signal;
      signals.pass(socket, {
        event: 'call_signal',
        payload: { callId, signal, ...(link === undefined ? {} : { link }) },
        to: other,
        audiences: [other],
        limited: type === 'offer' || type === 'candidate' ? type : null,
      });
    },

    /** Called for a user's new socket: a ringing call rings there too, and it learns what was missed. */
    welcome(socket: Socket): void {
      // It gave up before it was taken in.
      if (socket.disconnected) return;
      const { userId } = socket.data.session;
      const call = activeCalls.of(userId);
      if (call?.callee.id === userId && call.acceptedAt === null) socket.emit('call_ring', ringOf(call));
      else if (elsewhere !== null) inBackground(elsewhere.ringAt(socket, ringOf));
      inBackground(countMissed(userId).then((count) => void socket.emit('missed_calls', { count })));
    },

    /** Called when an account is gone: its call ends, also while one of the two has lost the link. */
    deleted(userId: UserId): void {
      const call = activeCalls.of(userId);
      if (call !== null) inBackground(end(call, 'lost', null));
    },

    /** Called when sessions ended: calls that they made or took end, also while one of the two has lost the link. */
    signedOut(isOver: (userId: UserId, sessionId: string) => boolean): void {
      for (const call of activeCalls.all()) {
        const ofBoth = [call.caller, call.callee];
        if (ofBoth.some(({ id, sessionId }) => sessionId !== null && isOver(id, sessionId)))
          inBackground(end(call, 'lost', null));
      }
    },

    /** Ends calls that rang for long enough, and those that waited for a lost link for long enough; notes those that go on. */
    tick(): void {
      ends.tick();
      resuming.tick();
      inBackground(upkeep.tick());
      for (const call of activeCalls.all()) inBackground(happen(call, { type: 'tick', now: steadyNow() }));
    },

    missed: history.missed,
    list: history.list,
    see: history.see,
    erase: history.erase,

    sweep: upkeep.sweep,

    settled: ends.settled,
  };
}

const pairOf = (caller: UserId, callee: UserId): string => `${caller} ${callee}`;
