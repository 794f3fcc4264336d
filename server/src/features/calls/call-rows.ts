import type { CallEnd, Rejection } from '@pressel/contract/calls';
import type { UserId } from '@pressel/contract/ids';
import { lockUsers } from '#src/accounts/users.repository.ts';
import type { Tx } from '#src/db/connect.ts';
import type { Platform } from '#src/platform/platform.ts';
import { AppError } from '#src/shared/app-error.ts';
import { type ActiveCall, isMissed } from './active-calls.ts';
import * as repository from './calls.repository.ts';
import { knownOf } from './calls-elsewhere.ts';

export interface CallRowsDeps extends Pick<Platform, 'sockets' | 'record' | 'now' | 'processId'> {
  /** Whether no other process has calls. */
  isAlone: boolean;
}

/** Stores the beginning and end of a call, with its log entry, in the transaction of its caller. */
export function createCallRows({ sockets, record, now, processId, isAlone }: CallRowsDeps) {
  /**
   * Stores the end of a call and its log entry, also if it never rang.
   * @returns false: another process ended it, or took a call that was known ringing
   */
  async function storeEnd(tx: Tx, call: ActiveCall, reason: CallEnd, rejection: Rejection | null): Promise<boolean> {
    const endedAt = now();
    const wasAccepted = call.acceptedAt !== null;
    const end = { reason, rejection, isMissed: isMissed(reason, wasAccepted), endedAt };
    if (!(await repository.endCall(tx, call.id, end, wasAccepted))) return false;
    const { id, firstName, displayName: name, address } = call.caller;
    const act = { user: { id, firstName, displayName: name, address }, target: call.callee, at: endedAt };
    const durationMs = Math.max(0, +endedAt - +(call.acceptedAt ?? endedAt));
    await record(tx, [
      wasAccepted
        ? { ...act, type: 'call', details: { durationMs, end: reason } }
        : { ...act, type: 'call_missed', details: { end: reason } },
    ]);
    return true;
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
    const others = isAlone ? [] : await repository.listOpenCalls(tx, [caller.id, callee.id]);
    const isBusy = (id: UserId) => others.some(({ callerId, calleeId }) => callerId === id || calleeId === id);
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
