import type { CallEnd, CallId } from '@pressel/contract/calls';
import type { ParticipantId, UserId } from '@pressel/contract/ids';
import { describe, expect, test } from 'vitest';
import {
  type ActiveCall,
  acceptedBy,
  type Cause,
  createActiveCalls,
  endBy,
  isMissed,
  lostBy,
  otherSocket,
  sideIn,
} from './active-calls.ts';

const socket = (name: string) => name as ParticipantId;
const user = (name: string) => name as UserId;

const ringing: ActiveCall = {
  id: 'call' as CallId,
  caller: {
    id: user('ana'),
    firstName: 'Ana',
    displayName: 'Ana',
    address: null,
    socket: socket('a1'),
    sessionId: 'sa',
  },
  callee: { id: user('bo'), name: 'Bo', socket: null, sessionId: null, sharesChannel: true },
  ringsUntil: 1_000,
  acceptedAt: null,
};
const taken = acceptedBy(ringing, socket('b1'), 'sb', new Date(0)) ?? ringing;

describe('what ends a call', () => {
  test.each<[string, Cause, CallEnd | null, CallEnd | null]>([
    ['the caller’s button', { type: 'end', by: 'caller' }, 'cancelled', 'hung_up'],
    ['the callee’s button', { type: 'end', by: 'callee' }, 'rejected', 'hung_up'],
    ['a rejection', { type: 'reject', by: 'callee' }, 'rejected', null],
    ['a rejection of the caller', { type: 'reject', by: 'caller' }, null, null],
    ['a lost socket of the caller', { type: 'lost', by: 'caller' }, 'lost', 'lost'],
    ['a lost socket of the callee', { type: 'lost', by: 'callee' }, null, 'lost'],
    ['a moment before the time is over', { type: 'tick', now: 999 }, null, null],
    ['the end of the time', { type: 'tick', now: 1_000 }, 'no_answer', null],
  ])('[RING6] %s', (_name, cause, whileRinging, onceTaken) => {
    expect(endBy(ringing, cause)).toBe(whileRinging);
    expect(endBy(taken, cause)).toBe(onceTaken);
  });

  test('[RING5] a call is taken once', () => {
    expect(acceptedBy(taken, socket('b2'), 'sb', new Date(1))).toBeNull();
  });

  test.each<[CallEnd, boolean]>([
    ['no_answer', true],
    ['cancelled', true],
    ['busy', true],
    ['offline', true],
    ['lost', true],
    ['rejected', false],
  ])('[RING9] whether a call that ended so was missed: %s', (end, expected) => {
    expect(isMissed(end, false)).toBe(expected);
    expect(isMissed(end, true)).toBe(false);
  });
});

test('[RING5] while it rings every socket of the callee is theirs, then only the one that took it', () => {
  expect(sideIn(ringing, socket('a1'), user('ana'))).toBe('caller');
  expect(sideIn(ringing, socket('a2'), user('ana'))).toBeNull();
  expect(sideIn(ringing, socket('b2'), user('bo'))).toBe('callee');
  expect(sideIn(taken, socket('b1'), user('bo'))).toBe('callee');
  expect(sideIn(taken, socket('b2'), user('bo'))).toBeNull();
});

test('[RING8] who lost their link is known by the session', () => {
  expect([lostBy(ringing, 'sa'), lostBy(ringing, 'sb')]).toEqual(['caller', null]);
  expect([lostBy(taken, 'sb'), lostBy(taken, 'sc')]).toEqual(['callee', null]);
});

test('[RING7] signals go from one to the other of the two sockets, once it was taken', () => {
  expect(otherSocket(ringing, socket('a1'))).toBeNull();
  expect(otherSocket(taken, socket('a1'))).toBe('b1');
  expect(otherSocket(taken, socket('b1'))).toBe('a1');
  expect(otherSocket(taken, socket('b2'))).toBeNull();
});

test('[RING4] both are in the call until it is taken out, once', () => {
  const live = createActiveCalls();
  live.put(ringing);
  live.put(taken);
  expect([live.of(user('ana')), live.of(user('bo')), live.of(user('eve'))]).toEqual([taken, taken, null]);
  expect([live.take(taken.id), live.take(taken.id)]).toEqual([true, false]);
  expect([live.of(user('ana')), live.all()]).toEqual([null, []]);
});
