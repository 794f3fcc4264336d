import { channelId } from '@pressel/contract/ids';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Session } from '#src/accounts/session.ts';
import type { LoggedAct } from '#src/history/change.ts';
import { authorOf, createTalkEntries } from './talk-entries.ts';

const NORD = { id: channelId.parse('01900000-0000-7000-8000-00000000000a'), name: 'Nord' };
const SUD = { id: channelId.parse('01900000-0000-7000-8000-00000000000b'), name: 'Sud' };

/** In the middle of a quarter of an hour. */
const START = 400_000;

beforeEach(() => void vi.useFakeTimers({ now: START }));
afterEach(() => void vi.useRealTimers());

function openEntries() {
  const acts: LoggedAct[] = [];
  const entries = createTalkEntries({ add: (act) => acts.push(act), now: () => new Date(), steadyNow: Date.now });
  const talk = (
    durationMs: number,
    {
      end = 'released',
      channel = NORD,
      userId = 'u',
    }: {
      end?: 'released' | 'left' | 'time_limit';
      channel?: typeof NORD;
      userId?: string;
    } = {},
  ) => {
    const session = { userId, firstName: 'Ana', displayName: 'Ana', address: null } as Session;
    entries.ended(authorOf(session, channel), { durationMs, end });
  };
  const details = (from = 0) => acts.slice(from).map((act) => act.details);
  const talked = (name?: string) =>
    acts
      .filter(({ channel }) => name === undefined || channel?.name === name)
      .reduce((ms, act) => ms + (act.details as { durationMs: number }).durationMs, 0);
  return { entries, acts, talk, details, talked };
}

test('[LOG4] what is beyond sixty at once is one entry as soon as there may be one, with the end of the last', () => {
  const { acts, talk, details } = openEntries();
  for (let n = 0; n < 63; n += 1) talk(10);
  expect(details()).toEqual(Array(60).fill({ durationMs: 10, end: 'released' }));
  vi.advanceTimersByTime(1_500);
  talk(1_000, { end: 'time_limit' });
  expect(acts).toHaveLength(60);
  vi.advanceTimersByTime(500);
  // The span goes from the beginning of the first, 10 ms before it ended, to the end of the last: longer than what was said.
  expect(details(60)).toEqual([{ durationMs: 1_030, end: 'time_limit', talks: 4, spanMs: 1_510 }]);
  expect(acts.at(-1)?.at, 'when the last of them ended').toEqual(new Date(START + 1_500));
  vi.advanceTimersByTime(2_000);
  talk(20);
  expect(details(61)).toEqual([{ durationMs: 20, end: 'released' }]);
});

test('[LOG63] talks that began in different quarters of an hour are not one entry: each hour of any zone has its own', () => {
  vi.setSystemTime(Date.UTC(2026, 9, 25, 9, 44, 58));
  const { acts, talk, details } = openEntries();
  for (let n = 0; n < 62; n += 1) talk(10);
  vi.setSystemTime(Date.UTC(2026, 9, 25, 9, 45, 2));
  // The first talk began before the quarter, and ended after.
  talk(3_000);
  talk(1_000);
  vi.advanceTimersByTime(10_000);
  expect(details(60)).toEqual([
    { durationMs: 3_020, end: 'released', talks: 3, spanMs: 4_010 },
    { durationMs: 1_000, end: 'released' },
  ]);
  expect(acts.map(({ at }) => at.getUTCSeconds()).slice(-2)).toEqual([2, 2]);
});

test('[LOG4] a new connection brings no new entries, and nothing of what was said on the old one is lost', () => {
  const { acts, talk, talked } = openEntries();
  for (let n = 0; n < 100; n += 1) talk(10, { end: n % 2 === 0 ? 'left' : 'released' });
  expect(acts).toHaveLength(60);
  vi.advanceTimersByTime(2_000);
  expect(acts).toHaveLength(61);
  expect(talked()).toBe(1_000);
});

test('[LOG4] talks that wait for an entry are told of the channel in which they were, and of who talked', () => {
  const { acts, talk, talked } = openEntries();
  for (let n = 0; n < 65; n += 1) talk(10);
  talk(1_000, { channel: SUD });
  talk(7, { userId: 'u' });
  vi.advanceTimersByTime(10_000);
  expect([talked('Nord'), talked('Sud')]).toEqual([657, 1_000]);
  talk(30, { userId: 'v' });
  expect(acts.at(-1)).toMatchObject({ user: { id: 'v' }, details: { durationMs: 30 } });
});

test('[LOG4] what still waits when the server stops is put down', () => {
  const { entries, acts, talk, talked } = openEntries();
  for (let n = 0; n < 70; n += 1) talk(10);
  entries.close();
  expect(acts).toHaveLength(61);
  expect(talked()).toBe(700);
  vi.advanceTimersByTime(60_000);
  expect(acts).toHaveLength(61);
});
