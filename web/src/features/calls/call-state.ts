import type { CallEnd, CallId, Rejection, WriteIn } from '@pressel/contract/calls';
import type { UserId } from '@pressel/contract/ids';

/**
 * `CALL_UNAVAILABLE`: there is no call (spec §3). `CALL_STARTING`: the user asked for a call, and the server has not
 * answered yet.
 */
export type CallPhase =
  | 'CALL_UNAVAILABLE'
  | 'CALL_STARTING'
  | 'CALL_OUTGOING'
  | 'CALL_INCOMING'
  | 'CALL_ACCEPTED'
  | 'CALL_ENDED';

/** Why a call ended or never began; `failed` stands for everything that its user can't help. */
export type EndShown = CallEnd | 'in_a_call' | 'failed';

/** A one-to-one call as this device knows it (spec §3). Immutable; keeps its identity while nothing changes. */
export interface CallState {
  readonly callState: CallPhase;
  readonly isDialogShown: boolean;
  /** The call's id, by which both users meet; null before the server gave it. */
  readonly room: CallId | null;
  readonly callerId: UserId | null;
  readonly callerName: string;
  readonly calleeId: UserId | null;
  readonly calleeName: string;
  /** Whether the server confirmed that the call was taken: voices may flow. */
  readonly isAccepted: boolean;
  /** `writeIn`: after "write to me", the channel where the two can write to each other. */
  readonly rejected: {
    readonly isRejected: boolean;
    readonly reason: Rejection | null;
    readonly writeIn?: WriteIn | undefined;
  };
  /** Whether the caller of an incoming call can follow a rejection with "write to me" (RING19). */
  readonly canWrite: boolean;
  /** Null until the call ended. */
  readonly end: EndShown | null;
  readonly isMicrophoneOn: boolean;
}

export const NO_CALL: CallState = {
  callState: 'CALL_UNAVAILABLE',
  isDialogShown: false,
  room: null,
  callerId: null,
  callerName: '',
  calleeId: null,
  calleeName: '',
  isAccepted: false,
  rejected: { isRejected: false, reason: null },
  canWrite: false,
  end: null,
  isMicrophoneOn: true,
};

export interface Somebody {
  readonly id: UserId | null;
  readonly name: string;
}

/** An input from the call's user or from the server. */
export type CallStateInput =
  | { readonly type: 'start'; readonly self: Somebody; readonly callee: Somebody }
  | { readonly type: 'started'; readonly callId: CallId; readonly name: string }
  | { readonly type: 'refused'; readonly end: EndShown }
  | {
      readonly type: 'ring';
      readonly callId: CallId;
      readonly self: Somebody;
      readonly caller: Somebody;
      readonly canWrite: boolean;
    }
  | { readonly type: 'take' }
  | { readonly type: 'accepted'; readonly callId: CallId }
  | {
      readonly type: 'over';
      readonly callId: CallId;
      readonly reason: CallEnd | 'elsewhere' | 'failed';
      readonly rejection: Rejection | null;
      readonly writeIn?: WriteIn | undefined;
    }
  | { readonly type: 'link_lost' }
  | { readonly type: 'microphone'; readonly isOn: boolean }
  /** The user's button: ends a call at once, or puts away one that is over. */
  | { readonly type: 'leave' };

/** Whether no call goes on: the user may call, and be called. */
export const isFree = ({ callState }: CallState): boolean =>
  callState === 'CALL_UNAVAILABLE' || callState === 'CALL_ENDED';

const ended = (
  state: CallState,
  end: EndShown,
  reason: Rejection | null = null,
  writeIn?: WriteIn | undefined,
): CallState => ({
  ...state,
  callState: 'CALL_ENDED',
  isAccepted: false,
  rejected: {
    isRejected: end === 'rejected',
    reason: end === 'rejected' ? reason : null,
    ...(writeIn === undefined ? {} : { writeIn }),
  },
  end,
});

/** Returns the next state. Inputs that don't fit, or belong to another call, change nothing (RING13). */
export function nextCall(state: CallState, input: CallStateInput): CallState {
  switch (input.type) {
    case 'start':
      if (!isFree(state)) return state;
      return {
        ...withParties(input.self, input.callee),
        callState: 'CALL_STARTING',
      };
    case 'started':
      if (state.callState !== 'CALL_STARTING') return state;
      return { ...state, callState: 'CALL_OUTGOING', room: input.callId, calleeName: input.name };
    case 'refused':
      return state.callState === 'CALL_STARTING' ? ended(state, input.end) : state;
    case 'ring':
      // A user who is about to call their own caller takes that call instead.
      if (!isFree(state) && state.callState !== 'CALL_STARTING') return state;
      return {
        ...withParties(input.caller, input.self),
        callState: 'CALL_INCOMING',
        room: input.callId,
        canWrite: input.canWrite,
      };
    case 'take':
      return state.callState === 'CALL_INCOMING' ? { ...state, callState: 'CALL_ACCEPTED' } : state;
    case 'accepted':
      if (state.room !== input.callId || isFree(state) || state.isAccepted) return state;
      return { ...state, callState: 'CALL_ACCEPTED', isAccepted: true };
    case 'over':
      if (state.room !== input.callId || isFree(state)) return state;
      // Nobody took part in it here: the badge counts missed calls.
      if (state.callState === 'CALL_INCOMING' || input.reason === 'elsewhere') return NO_CALL;
      return ended(state, input.reason, input.rejection, input.writeIn);
    case 'link_lost':
      if (isFree(state)) return state;
      return state.callState === 'CALL_INCOMING' ? NO_CALL : ended(state, 'lost');
    case 'microphone':
      return state.isMicrophoneOn === input.isOn ? state : { ...state, isMicrophoneOn: input.isOn };
    case 'leave':
      return NO_CALL;
    default:
      return input satisfies never;
  }
}

const withParties = (caller: Somebody, callee: Somebody): CallState => ({
  ...NO_CALL,
  isDialogShown: true,
  callerId: caller.id,
  callerName: caller.name,
  calleeId: callee.id,
  calleeName: callee.name,
});
