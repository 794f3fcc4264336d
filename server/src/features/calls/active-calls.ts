import type { CallEnd, CallId } from '@pressel/contract/calls';
import type { ParticipantId, UserId } from '@pressel/contract/ids';
import type { Actor } from '#src/history/change.ts';

/** A call that rings or was taken. A call that is over is not active. */
export interface ActiveCall {
  readonly id: CallId;
  readonly caller: Actor & { readonly id: UserId; readonly socket: ParticipantId; readonly sessionId: string };
  /** `socket`: the one that took the call; null while it rings at all of their sockets. */
  readonly callee: {
    readonly id: UserId;
    readonly name: string;
    readonly socket: ParticipantId | null;
    readonly sessionId: string | null;
    /** Whether they share a channel with the caller, so that they can write to each other. */
    readonly sharesChannel: boolean;
  };
  /** The end of the ringing, by the steady clock, ms. */
  readonly ringsUntil: number;
  /** Null while it rings. */
  readonly acceptedAt: Date | null;
}

/** The two in a call. */
export type CallSide = 'caller' | 'callee';

/** `mayComeBack`: its device waits for its next link, if the call was taken (RING8). */
export interface LostSocket {
  readonly socket: ParticipantId;
  readonly mayComeBack?: boolean;
}

/** Returns the lost socket that ends a call, if it is one. */
export const lostSocketOf = (cause: Cause): Required<LostSocket> | undefined =>
  cause.type === 'lost' && cause.socket !== undefined
    ? { socket: cause.socket, mayComeBack: cause.mayComeBack ?? false }
    : undefined;

/**
 * The events that can end a call. `end`: the button of one of the two. `socket`: the lost one, with which the call ends only while its
 * row still names it; without it the device itself gave the call up.
 */
export type Cause =
  | { readonly type: 'end' | 'reject'; readonly by: CallSide }
  | ({ readonly type: 'lost'; readonly by: CallSide } & Partial<LostSocket>)
  | { readonly type: 'tick'; readonly now: number };

/** Why an event ends a call; null when the call goes on (RING5 to RING8). */
export function endBy({ acceptedAt, ringsUntil }: ActiveCall, cause: Cause): CallEnd | null {
  const isRinging = acceptedAt === null;
  switch (cause.type) {
    case 'tick':
      return isRinging && cause.now >= ringsUntil ? 'no_answer' : null;
    case 'lost':
      // None of the callee's devices has the call yet: it goes on ringing, because the callee may come back.
      return isRinging && cause.by === 'callee' ? null : 'lost';
    case 'reject':
      return isRinging && cause.by === 'callee' ? 'rejected' : null;
    case 'end':
      if (!isRinging) return 'hung_up';
      return cause.by === 'caller' ? 'cancelled' : 'rejected';
    default:
      return cause satisfies never;
  }
}

/** The call once a socket has taken it; null when it was taken already. */
export function acceptedBy(call: ActiveCall, socket: ParticipantId, sessionId: string, at: Date): ActiveCall | null {
  return call.acceptedAt === null ? takenBy(call, { socket, sessionId, acceptedAt: at }) : null;
}

/** The call once a socket has taken it. */
export const takenBy = (
  call: ActiveCall,
  { socket, sessionId, acceptedAt }: { socket: ParticipantId; sessionId: string; acceptedAt: Date },
): ActiveCall => ({ ...call, callee: { ...call.callee, socket, sessionId }, acceptedAt });

/** The call once one of the two has another socket (RING8). */
export const movedTo = (call: ActiveCall, side: CallSide, socket: ParticipantId): ActiveCall => ({
  ...call,
  [side]: { ...call[side], socket },
});

/** Tells which of the two holds a socket in a call that was taken; null: neither. */
export function holderOf({ caller, callee }: ActiveCall, id: ParticipantId): CallSide | null {
  if (caller.socket === id) return 'caller';
  return callee.socket === id ? 'callee' : null;
}

/** Which of the two a socket is; null: neither. While it rings any socket of the callee is theirs. */
export function sideIn(call: ActiveCall, id: ParticipantId, userId: UserId): CallSide | null {
  const isRungUp = call.callee.socket === null && call.callee.id === userId;
  return holderOf(call, id) ?? (isRungUp ? 'callee' : null);
}

/** Which of the two lost its link, by the session of the link that it has now (RING8). */
export function lostBy({ caller, callee }: ActiveCall, sessionId: string): CallSide | null {
  if (caller.sessionId === sessionId) return 'caller';
  return callee.sessionId === sessionId ? 'callee' : null;
}

/** The socket that a signal is for; null while the call rings, and when the sender is on neither side. */
export function otherSocket({ caller, callee }: ActiveCall, id: ParticipantId): ParticipantId | null {
  if (callee.socket === null) return null;
  if (caller.socket === id) return callee.socket;
  return callee.socket === id ? caller.socket : null;
}

/** The sockets of those whose other one goes on with another socket (RING23). */
export const besideMoved = (before: ActiveCall, call: ActiveCall): ParticipantId[] =>
  (['caller', 'callee'] as const).flatMap((side) => {
    const [former, socket] = [before[side].socket, call[side].socket];
    return former === null || socket === null || former === socket ? [] : (otherSocket(call, socket) ?? []);
  });

/** Whether the callee missed a call, by how it ended and whether it was taken (RING9). */
export const isMissed = (end: CallEnd, wasAccepted: boolean): boolean => !wasAccepted && end !== 'rejected';

/** The active calls of this process. A user is in at most one (RING4). */
export interface ActiveCalls {
  get(id: CallId): ActiveCall | null;
  of(userId: UserId): ActiveCall | null;
  put(call: ActiveCall): void;
  /** @returns whether it was there: the one who takes it out ends it */
  take(id: CallId): boolean;
  all(): ActiveCall[];
}

export function createActiveCalls(): ActiveCalls {
  const calls = new Map<CallId, ActiveCall>();
  const byUser = new Map<UserId, CallId>();
  const get = (id: CallId) => calls.get(id) ?? null;
  return {
    get,
    of(userId) {
      const id = byUser.get(userId);
      return id === undefined ? null : get(id);
    },
    put(call) {
      calls.set(call.id, call);
      byUser.set(call.caller.id, call.id);
      byUser.set(call.callee.id, call.id);
    },
    take(id) {
      const call = get(id);
      if (call === null) return false;
      calls.delete(id);
      for (const user of [call.caller.id, call.callee.id]) if (byUser.get(user) === id) byUser.delete(user);
      return true;
    },
    all: () => [...calls.values()],
  };
}
