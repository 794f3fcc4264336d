import type { CallId } from '@pressel/contract/calls';
import type { UserId } from '@pressel/contract/ids';
import { describe, expect, test } from 'vitest';
import { type CallPhase, type CallState, type CallStateInput, NO_CALL, nextCall } from './call-state.ts';

const ana = { id: 'ana' as UserId, name: 'Ana' };
const bo = { id: 'bo' as UserId, name: 'Bo' };
const callId = 'call' as CallId;
const other = 'other' as CallId;

const after = (...inputs: CallStateInput[]): CallState => inputs.reduce(nextCall, NO_CALL);
const INPUTS = {
  start: { type: 'start', self: ana, callee: bo },
  started: { type: 'started', callId, name: 'Bo Test' },
  refused: { type: 'refused', end: 'busy' },
  ring: { type: 'ring', callId, self: ana, caller: bo, canWrite: true },
  take: { type: 'take' },
  accepted: { type: 'accepted', callId },
  hungUp: { type: 'over', callId, reason: 'hung_up', rejection: null },
  rejected: { type: 'over', callId, reason: 'rejected', rejection: 'call_back' },
  elsewhere: { type: 'over', callId, reason: 'elsewhere', rejection: null },
  ofAnother: { type: 'over', callId: other, reason: 'hung_up', rejection: null },
  acceptedOther: { type: 'accepted', callId: other },
  linkLost: { type: 'link_lost' },
  leave: { type: 'leave' },
} as const satisfies Record<string, CallStateInput>;

const STATES = {
  CALL_UNAVAILABLE: NO_CALL,
  CALL_STARTING: after(INPUTS.start),
  CALL_OUTGOING: after(INPUTS.start, INPUTS.started),
  CALL_INCOMING: after(INPUTS.ring),
  CALL_ACCEPTED: after(INPUTS.ring, INPUTS.take, INPUTS.accepted),
  CALL_ENDED: after(INPUTS.start, INPUTS.refused),
} as const satisfies Record<CallPhase, CallState>;

const phases = Object.keys(STATES) as CallPhase[];
const short = (phase: CallPhase) => phase.replace('CALL_', '').toLowerCase();

test('[RING13] at first there is no call', () => {
  expect(NO_CALL).toEqual({
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
  });
});

/** The next state by input, from unavailable, starting, outgoing, incoming, accepted and ended; `=` keeps the state. */
describe('[RING13] the next state', () => {
  test.each<[keyof typeof INPUTS, string]>([
    ['start', 'starting = = = = starting'],
    ['started', '= outgoing = = = ='],
    ['refused', '= ended = = = ='],
    ['ring', 'incoming incoming = = = incoming'],
    ['take', '= = = accepted = ='],
    ['accepted', '= = accepted accepted = ='],
    ['hungUp', '= = ended unavailable ended ='],
    ['rejected', '= = ended unavailable ended ='],
    ['elsewhere', '= = unavailable unavailable unavailable ='],
    ['ofAnother', '= = = = = ='],
    ['acceptedOther', '= = = = = ='],
    ['linkLost', '= ended ended unavailable ended ='],
    ['leave', 'unavailable unavailable unavailable unavailable unavailable unavailable'],
  ])('after %s', (name, expected) => {
    const led = phases.map((phase) => {
      const next = nextCall(STATES[phase], INPUTS[name]);
      return next === STATES[phase] && name !== 'leave' ? '=' : short(next.callState);
    });
    expect(led.join(' ')).toBe(expected);
  });
});

test('[RING13] who calls and who is called are known from the first moment, and shown', () => {
  expect(STATES.CALL_STARTING).toMatchObject({ isDialogShown: true, callerId: 'ana', calleeName: 'Bo', room: null });
  expect(STATES.CALL_OUTGOING).toMatchObject({ room: callId, calleeName: 'Bo Test', isAccepted: false });
  expect(STATES.CALL_INCOMING).toMatchObject({ isDialogShown: true, callerName: 'Bo', calleeId: 'ana' });
});

test('[RING13] taken by its user it waits for the server’s word', () => {
  const taken = after(INPUTS.ring, INPUTS.take);
  expect(taken).toMatchObject({ callState: 'CALL_ACCEPTED', isAccepted: false });
  expect(nextCall(taken, INPUTS.accepted)).toMatchObject({ callState: 'CALL_ACCEPTED', isAccepted: true });
});

test('[RING13] a rejection says why', () => {
  expect(nextCall(STATES.CALL_OUTGOING, INPUTS.rejected)).toMatchObject({
    end: 'rejected',
    rejected: { isRejected: true, reason: 'call_back' },
  });
  expect(nextCall(STATES.CALL_OUTGOING, INPUTS.hungUp).rejected).toEqual({ isRejected: false, reason: null });
});

test('[RING13] a reset leaves nothing: the microphone is on again, the dialog hidden', () => {
  const muted = nextCall(STATES.CALL_ACCEPTED, { type: 'microphone', isOn: false });
  expect(muted.isMicrophoneOn).toBe(false);
  expect(nextCall(muted, INPUTS.leave)).toBe(NO_CALL);
  expect(nextCall(nextCall(muted, INPUTS.hungUp), INPUTS.start).isMicrophoneOn).toBe(true);
});
