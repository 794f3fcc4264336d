import type { CallEnd, CallId, Rejection } from '@pressel/contract/calls';
import type { ParticipantId, UserId } from '@pressel/contract/ids';
import { CALL_RING_MS } from '@pressel/contract/limits';
import type { ServerPayload } from '@pressel/contract/realtime';
import * as z from 'zod';
import { lockUsers } from '#src/accounts/users.repository.ts';
import type { Tx } from '#src/db/connect.ts';
import { inRounds } from '#src/db/rounds.ts';
import type { Platform } from '#src/platform/platform.ts';
import { AppError } from '#src/shared/app-error.ts';
import type { Socket } from '#src/sockets/sockets.ts';
import { type ActiveCall, type CallSide, holderOf, isMissed } from './active-calls.ts';
import * as repository from './calls.repository.ts';
import { type CallRow, type KnownCall, knownCall } from './calls.repository.ts';

/** Calls of other processes, as their rows describe them (PROC35). */
interface CallsElsewhere {
  /** Finds a call that goes on, of whichever process. */
  find(id: CallId): Promise<ActiveCall | null>;
  /** Rings at a device that comes while a call of another process rings at its user. */
  ringAt(device: Socket, ringOf: (call: ActiveCall) => ServerPayload<'call_ring'>): Promise<void>;
  /** Tells the other processes that a call was taken, before their sockets hear of it. */
  tellTaken(call: ActiveCall): void;
  /** Tells the other processes the socket with which one of the two goes on. */
  tellMoved(id: CallId, side: CallSide, socket: ParticipantId): void;
  tellOver(id: CallId): void;
}

/** News of calls between processes. A newer version may send more, about things that this version doesn't have. */
const news = z.union([
  z.object({
    type: z.literal('taken'),
    id: z.string(),
    socket: z.string(),
    session: z.string(),
    acceptedAt: z.iso.datetime(),
  }),
  z.object({ type: z.literal('moved'), id: z.string(), role: z.enum(['caller', 'callee']), socket: z.string() }),
  z.object({ type: z.literal('over'), id: z.string() }),
  z.object({ type: z.string().transform(() => 'other' as const) }),
]);
type CallNews = Exclude<z.infer<typeof news>, { type: 'other' }>;
const TOPIC = 'calls';

interface ElsewhereDeps extends Pick<Platform, 'db' | 'now' | 'steadyNow' | 'sockets'> {
  relay: NonNullable<Platform['shared']>['relay'];
  /** A socket of another process took a call that this process may know. */
  taken(id: CallId, by: { socket: ParticipantId; sessionId: string; acceptedAt: Date }): void;
  /** One of the two goes on with a socket of another process. */
  moved(id: CallId, side: CallSide, socket: ParticipantId): void;
  over(id: CallId): void;
}

export function createCallsElsewhere({
  db,
  sockets,
  relay,
  now,
  steadyNow,
  taken,
  moved,
  over,
}: ElsewhereDeps): CallsElsewhere {
  const say = (message: CallNews): void => relay.send(TOPIC, message);
  relay.on(TOPIC, news, (told) => {
    if (told.type === 'over') over(told.id as CallId);
    else if (told.type === 'moved') moved(told.id as CallId, told.role, told.socket as ParticipantId);
    else if (told.type === 'taken') {
      const { socket, session: sessionId, acceptedAt } = told;
      taken(told.id as CallId, { socket: socket as ParticipantId, sessionId, acceptedAt: new Date(acceptedAt) });
    }
  });

  const found = (row: CallRow | null): ActiveCall | null => row && callOf(row, { now, steadyNow });

  const ringingRow = inRounds((userIds: readonly UserId[]) => repository.findRinging(db, userIds));
  const ringingAt = async (userId: UserId) => found(await ringingRow(userId));

  return {
    find: async (id) => found(await repository.findOpenCall(db, id)),
    async ringAt({ id, data }, ringOf) {
      const { userId } = data.session;
      const device = sockets.local.to(id);
      const call = await ringingAt(userId);
      if (call === null) return;
      device.emit('call_ring', ringOf(call));
      // Its end may have been told between the look and the ring.
      if ((await ringingAt(userId))?.id === call.id) return;
      device.emit('call_over', { callId: call.id, reason: 'elsewhere', rejection: null });
    },
    tellTaken({ id, callee: { socket, sessionId }, acceptedAt }) {
      if (socket === null || sessionId === null || acceptedAt === null) return;
      say({ type: 'taken', id, socket, session: sessionId, acceptedAt: acceptedAt.toISOString() });
    },
    tellMoved: (id, side, socket) => say({ type: 'moved', id, role: side, socket }),
    tellOver: (id) => say({ type: 'over', id }),
  };
}

/** The part of a call that is stored for the other processes. */
const knownOf = ({ caller, callee }: ActiveCall): KnownCall => ({
  callerFirstName: caller.firstName,
  callerAddress: caller.address,
  callerSocket: caller.socket,
  callerSession: caller.sessionId,
  sharesChannel: callee.sharesChannel,
  calleeSocket: callee.socket,
  calleeSession: callee.sessionId,
});

/** A call as its row describes it; null: one of the two is gone. */
export function callOf(row: CallRow, { now, steadyNow }: Pick<Platform, 'now' | 'steadyNow'>): ActiveCall | null {
  const { data } = knownCall.safeParse(row.live);
  // Without these, nobody is left with whom the call could go on.
  if (data === undefined || row.callerId === null || row.calleeId === null) return null;
  const ringsForMs = Math.min(CALL_RING_MS, +row.createdAt + CALL_RING_MS - +now());
  return {
    id: row.id as CallId,
    caller: {
      id: row.callerId as UserId,
      firstName: data.callerFirstName,
      displayName: row.callerName,
      address: data.callerAddress,
      socket: data.callerSocket as ParticipantId,
      sessionId: data.callerSession,
    },
    callee: {
      id: row.calleeId as UserId,
      name: row.calleeName,
      socket: data.calleeSocket as ParticipantId | null,
      sessionId: data.calleeSession,
      sharesChannel: data.sharesChannel,
    },
    ringsUntil: steadyNow() + ringsForMs,
    acceptedAt: row.acceptedAt,
  };
}

export interface CallRowsDeps extends Pick<Platform, 'sockets' | 'record' | 'now' | 'steadyNow' | 'processId'> {
  /** Whether no other process has calls. */
  isAlone: boolean;
}

export type CallRows = ReturnType<typeof createCallRows>;

/** Stores the beginning and end of a call, with its log entry, in the transaction of its caller. */
export function createCallRows({ sockets, record, now, steadyNow, processId, isAlone }: CallRowsDeps) {
  /**
   * Stores the end of a call and its log entry, also if it never rang.
   * @param lost the lost socket that ends it, unless its device went on with another one (RING21)
   * @returns the call with the sockets that its row names; null: it goes on, or another process ended it
   */
  async function storeEnd(
    tx: Tx,
    call: ActiveCall,
    reason: CallEnd,
    rejection: Rejection | null,
    lost?: ParticipantId,
  ): Promise<ActiveCall | null> {
    const row = await repository.lockOpenCall(tx, call.id);
    if (row === null) return null;
    const stored = callOf(row, { now, steadyNow }) ?? call;
    if (lost !== undefined && holderOf(stored, lost) === null) return null;
    const endedAt = now();
    const wasAccepted = call.acceptedAt !== null;
    const end = { reason, rejection, isMissed: isMissed(reason, wasAccepted), endedAt };
    if (!(await repository.endCall(tx, call.id, end, wasAccepted))) return null;
    const { id, firstName, displayName: name, address } = call.caller;
    const act = { user: { id, firstName, displayName: name, address }, target: call.callee, at: endedAt };
    const durationMs = Math.max(0, +endedAt - +(call.acceptedAt ?? endedAt));
    await record(tx, [
      wasAccepted
        ? { ...act, type: 'call', details: { durationMs, end: reason } }
        : { ...act, type: 'call_missed', details: { end: reason } },
    ]);
    return stored;
  }

  /**
   * Keeps both accounts until the transaction ends. `no key update`: nobody else begins a call of theirs meanwhile.
   * @throws AppError not_found: one of them was deleted meanwhile
   */
  async function lockBoth(
    tx: Tx,
    { caller, callee }: ActiveCall,
    what: 'user' | 'call',
    strength: 'key share' | 'no key update',
  ): Promise<void> {
    const ids = [caller.id, callee.id];
    if ((await lockUsers(tx, ids, strength)).length < ids.length) throw new AppError('not_found', { what });
  }

  /** Stores a new call. @returns why it ends before it rings; null: it rings. @throws AppError in_a_call */
  async function begin(tx: Tx, call: ActiveCall, refusal: CallEnd | null): Promise<CallEnd | null> {
    const createdAt = now();
    const { caller, callee } = call;
    await lockBoth(tx, call, 'user', isAlone ? 'key share' : 'no key update');
    const busy = isAlone ? [] : await repository.listBusy(tx, [caller.id, callee.id]);
    const isBusy = (id: UserId) => busy.some(({ userId }) => userId === id);
    if (isBusy(caller.id)) throw new AppError('in_a_call');
    await repository.insertCall(tx, {
      id: call.id,
      callerId: caller.id,
      callerName: caller.displayName,
      calleeId: callee.id,
      calleeName: callee.name,
      callerSocket: sockets.find(caller.socket)?.data.participant.id ?? caller.socket,
      serverId: processId,
      live: knownOf(call),
      createdAt,
    });
    await repository.putContact(tx, caller.id, callee.id, createdAt);
    const reason = refusal ?? (isBusy(callee.id) ? 'busy' : null);
    if (reason !== null) await storeEnd(tx, call, reason, null);
    return reason;
  }

  return { begin, storeEnd, lockBoth };
}
