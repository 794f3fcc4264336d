import { describe, expect, test } from 'vitest';
import type { Socket } from './gateway.ts';
import { createSignalLimit, sharerOf } from './signals.ts';

/** The rule's limits, for one person and for all guests of one link. */
const [PERSON, GUESTS] = [
  { atOnce: 20, aSecond: 1 },
  { atOnce: 80, aSecond: 4 },
];
const bound = ({ atOnce, aSecond }: typeof PERSON, ms: number) => atOnce + Math.floor((aSecond * ms) / 1_000);

const member = (userId: string) => ({ data: { session: { userId } } }) as unknown as Socket;
const guest = (userId: string, linkId = 'pompiers') =>
  ({ data: { session: { userId, guest: { linkId } } } }) as unknown as Socket;

/** A receiver of all the offers. */
const open = () => {
  const clock = { ms: 1_000 };
  const limit = createSignalLimit(() => clock.ms);
  const receiver = member('bo');
  const signal = (kind: 'offer' | 'candidate', sender: Socket, to = receiver): boolean =>
    limit(kind, sharerOf(sender), to) === 0;
  const offer = (sender: Socket): boolean => signal('offer', sender);
  const offers = (sender: Socket, count: number) => Array.from({ length: count }, () => offer(sender)).filter(Boolean);
  /** Sends candidates. @returns how many of them are relayed */
  const candidates = (sender: Socket, count: number, to = receiver) =>
    Array.from({ length: count }, () => signal('candidate', sender, to)).filter(Boolean).length;
  return { clock, offer, offers, candidates };
};

/** Uneven steps, so that no test depends on their timing: three primes. */
const STEPS_MS = [7, 113, 1_009];

describe.each(STEPS_MS)('with an offer every %i ms', (stepMs) => {
  test('[LINK11] one guest gets what a person gets, and the others of the link are never refused for it', () => {
    const { clock, offer } = open();
    let relayed = 0;
    for (let ms = 0; ms < 120_000; ms += stepMs) {
      if (offer(guest('mal'))) relayed += 1;
      // Another guest sends new offers as often as allowed.
      if (Math.floor(ms / 1_000) !== Math.floor((ms - stepMs) / 1_000)) expect(offer(guest('julie'))).toBe(true);
      expect(relayed).toBeLessThanOrEqual(bound(PERSON, ms));
      clock.ms += stepMs;
    }
    expect(relayed).toBeGreaterThanOrEqual(Math.min(120_000 / stepMs, bound(PERSON, 118_000)) - 1);
  });

  test('[LINK11] who comes again and again as another guest of the link gets what all of them have', () => {
    const { clock, offers } = open();
    let relayed = 0;
    for (let ms = 0; ms < 60_000; ms += stepMs) {
      relayed += offers(guest(`mal ${ms}`), 25).length;
      expect(relayed).toBeLessThanOrEqual(bound(GUESTS, ms));
      clock.ms += stepMs;
    }
    // Members and guests of other links are unaffected.
    expect(offers(member('ana'), 25)).toHaveLength(PERSON.atOnce);
    expect(offers(guest('abel', 'samu'), 25)).toHaveLength(PERSON.atOnce);
  });
});

test('[LINK11] what a guest is refused takes nothing from the others', () => {
  const { offers } = open();
  expect(offers(guest('mal'), 1_000)).toHaveLength(PERSON.atOnce);
  for (const name of ['julie', 'abel', 'zoe']) expect(offers(guest(name), 25)).toHaveLength(PERSON.atOnce);
  expect(offers(guest('last'), 25)).toHaveLength(0);
});

describe('candidates', () => {
  test('[LINK13] of one person are limited to each receiver, apart from offers, and grow again', () => {
    const { clock, offers, candidates } = open();
    expect(candidates(member('ana'), 5_000)).toBe(1_200);
    clock.ms += 1_000;
    expect(candidates(member('ana'), 5_000)).toBe(100);
    expect(candidates(member('ana'), 5_000, member('zoe'))).toBe(1_200);
    expect(candidates(member('abel'), 5_000)).toBe(1_200);
    expect(offers(member('ana'), 25)).toHaveLength(PERSON.atOnce);
  });

  test('[LINK13] a guest gets what a person gets, and all guests of a link four times as much', () => {
    const { candidates } = open();
    expect(candidates(guest('mal'), 5_000)).toBe(1_200);
    const others = ['julie', 'abel', 'zoe', 'last'].map((name) => candidates(guest(name), 5_000));
    expect(others).toEqual([1_200, 1_200, 1_200, 0]);
    expect(candidates(member('ana'), 5_000)).toBe(1_200);
  });

  /** Ten addresses: host, TCP, reflexive and three relayed, for two transports. */
  const GATHERED = 10 * 6 * 2;

  test.each([
    ['lose their sockets every ten seconds, link and restart', 10_000, 2],
    ['restart all their links every five seconds', 5_000, 1],
  ])('[LINK13] three tabs on ten networks that %s are never refused one', (_what, everyMs, gatherings) => {
    const { clock, candidates } = open();
    for (let ms = 0; ms < 120_000; ms += everyMs) {
      expect(candidates(member('ana'), 3 * gatherings * GATHERED)).toBe(3 * gatherings * GATHERED);
      clock.ms += everyMs;
    }
  });
});
