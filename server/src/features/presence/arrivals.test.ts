import type { ParticipantId, UserId } from '@pressel/contract/ids';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Session } from '#src/accounts/session.ts';
import { type LiveParticipant, newParticipant } from '#src/sockets/sockets.ts';
import { type Arrivals, createArrivals } from './arrivals.ts';

const ANA = { userId: 'ana' as UserId, role: 'member' } as Session;

let told: string[];
let arrivals: Arrivals;
beforeEach(() => {
  vi.useFakeTimers();
  told = [];
  arrivals = createArrivals({
    came: ({ userId }, isFirst) => void told.push(`${userId} came${isFirst ? ' first' : ''}`),
    went: ({ userId }) => void told.push(`${userId} went`),
  });
});
afterEach(() => {
  arrivals.close();
  vi.useRealTimers();
});

const participant = (): LiveParticipant => newParticipant('socket' as ParticipantId, ANA);
const laterTold = async () => {
  await vi.advanceTimersByTimeAsync(1_000);
  return told;
};

test("[PRES20] a user's first participant is told at once", () => {
  arrivals.came(participant(), true);
  expect(told).toEqual(['ana came first']);
});

test('[PRES46] a further participant is told within a second', async () => {
  arrivals.came(participant(), false);
  expect(told).toEqual([]);
  expect(await laterTold()).toEqual(['ana came']);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(told).toHaveLength(1);
});

test('[PRES46] one that takes over another one is not told', async () => {
  const back = participant();
  arrivals.came(back, false);
  arrivals.resumed(back);
  expect(await laterTold()).toEqual([]);
  arrivals.went(back, []);
  expect(told).toEqual(['ana went']);
});

test('[PRES46] one that took over another one is told when it goes at once', async () => {
  const back = participant();
  arrivals.came(back, false);
  arrivals.resumed(back);
  arrivals.went(back, []);
  expect(told).toEqual(['ana went']);
  expect(await laterTold()).toHaveLength(1);
});

test('[PRES46] news that may have seen its new row are corrected, also if they are late', async () => {
  for (const whenToldMs of [-1, 1_001, 30_000]) {
    told = [];
    const back = participant();
    arrivals.expect(back);
    if (whenToldMs < 0) arrivals.told(['ana'] as UserId[]);
    arrivals.came(back, false);
    arrivals.resumed(back);
    await vi.advanceTimersByTimeAsync(Math.max(1_001, whenToldMs));
    if (whenToldMs > 0) {
      expect(told).toEqual([]);
      arrivals.told(['ana'] as UserId[]);
    }
    expect(told).toEqual(['ana came']);
    arrivals.told(['ana'] as UserId[]);
    expect(await laterTold()).toHaveLength(1);
  }
});

test('[PRES46] later news correct nothing', async () => {
  const back = participant();
  arrivals.expect(back);
  arrivals.came(back, false);
  arrivals.resumed(back);
  await vi.advanceTimersByTimeAsync(31_001);
  arrivals.told(['ana'] as UserId[]);
  expect(told).toEqual([]);
});

test('one that takes over another one before it is taken in is not told', async () => {
  const back = participant();
  arrivals.expect(back);
  arrivals.resumed(back);
  arrivals.came(back, false);
  expect(await laterTold()).toEqual([]);
});

test('one that is gone before it is taken in is told: it may have been the first', async () => {
  const own = participant();
  arrivals.expect(own);
  arrivals.went(own, []);
  expect(told).toEqual(['ana went']);
});

test('[PRES46] one that is gone before anybody heard of it is not told', async () => {
  const own = participant();
  arrivals.came(own, false);
  arrivals.went(own, []);
  expect(await laterTold()).toEqual([]);
});

test('one that entered a room is told when it goes', async () => {
  const own = participant();
  arrivals.came(own, false);
  arrivals.went(own, ['nord'] as never);
  expect(told).toEqual(['ana went']);
});

test('[PRES46] whatever named it meanwhile is corrected', async () => {
  const [back, gone] = [participant(), participant()];
  for (const one of [back, gone]) arrivals.came(one, false);
  arrivals.resumed(back);
  arrivals.went(gone, []);
  arrivals.told(['bo', 'ana'] as UserId[]);
  expect(await laterTold()).toEqual(['ana came', 'ana came']);
});
