import { describe, expect, test } from 'vitest';
import type { Socket } from './gateway.ts';
import { createOfferLimit } from './offer-limit.ts';

/** As the rule has it, for one person and for all guests of one link. */
const [PERSON, GUESTS] = [
  { atOnce: 20, aSecond: 1 },
  { atOnce: 80, aSecond: 4 },
];
const bound = ({ atOnce, aSecond }: typeof PERSON, ms: number) => atOnce + Math.floor((aSecond * ms) / 1_000);

const member = (userId: string) => ({ data: { session: { userId } } }) as unknown as Socket;
const guest = (userId: string, linkId = 'pompiers') =>
  ({ data: { session: { userId, guest: { linkId } } } }) as unknown as Socket;

/** One who receives all the offers. */
const open = () => {
  const clock = { ms: 1_000 };
  const limit = createOfferLimit(() => clock.ms);
  const receiver = member('bo');
  const offer = (sender: Socket): boolean => {
    try {
      limit(sender, receiver);
      return true;
    } catch {
      return false;
    }
  };
  const offers = (sender: Socket, count: number) => Array.from({ length: count }, () => offer(sender)).filter(Boolean);
  return { clock, offer, offers };
};

/** Uneven steps, so that no test depends on how they fall: three primes. */
const STEPS_MS = [7, 113, 1_009];

describe.each(STEPS_MS)('with an offer every %i ms', (stepMs) => {
  test('[LINK11] one guest gets what a person gets, and the others of the link are never refused for it', () => {
    const { clock, offer } = open();
    let relayed = 0;
    for (let ms = 0; ms < 120_000; ms += stepMs) {
      if (offer(guest('mal'))) relayed += 1;
      // Another one says something new as often as one may.
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
    // Neither members nor the guests of other links suffer.
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
