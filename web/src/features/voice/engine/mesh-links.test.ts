import type { ParticipantId } from '@pressel/contract/ids';
import type { Participant } from '@pressel/contract/presence';
import { createShares, GUESTS_TIMES } from '@pressel/contract/shares';
import { describe, expect, test } from 'vitest';
import { settle } from '#test/fake-clock.ts';
import { person } from '#test/fake-room-session.ts';
import { createMeshBench, type MeshBench, type MeshMember } from '#test/mesh-bench.ts';
import { checkRuns } from '#test/random-source.ts';
import { openRoom } from '#test/voice-bench.ts';
import { LINKS, OFFER_WAIT_MS } from './mesh.ts';
import type { MediaPeer } from './types.ts';

/** ann, and the sockets of mal; a test says which of them are there and what they offer. */
const open = async () => {
  const bench = createMeshBench();
  const ann = await bench.enter('ann');
  const show = (
    names: readonly string[],
    personOf: (name: string) => Pick<MediaPeer, 'person' | 'guestsOf'> = () => ({ person: 'mal' }),
  ) =>
    ann.media.setParticipants(
      names.map((name) => ({ id: name as ParticipantId, isEarlier: false, ...personOf(name) })),
    );
  const offer = async (name: string, link: string) => {
    const offerSendID = name as ParticipantId;
    ann.signalling.emit('getOffer', { sdp: { type: 'offer', sdp: 'offer 99 0' }, offerSendID, link });
    await settle();
  };
  return { bench, ann, show, offer };
};
const made = ({ network }: MeshBench) => network.connections.length;
const answersTo = ({ signalling }: MeshMember, name: string) =>
  signalling.sentOf('answer').filter(({ answerReceiveID }) => answerReceiveID === name).length;
/** Maximum number of links after this time. */
const bound = (ms: number) => LINKS.atOnce + Math.ceil(ms / LINKS.everyMs);

test('[LINK12] who leaves and comes back, always by new participants, gets no further links by it', async () => {
  const { bench, show, offer } = await open();
  const rounds = 300;
  for (let round = 0; round < rounds; round += 1) {
    show([`mal ${round}`]);
    await offer(`mal ${round}`, `first ${round}`);
    await offer(`mal ${round}`, `second ${round}`);
    await bench.clock.advance(100);
    show([]);
  }
  expect(made(bench)).toBeGreaterThanOrEqual(LINKS.atOnce);
  expect(made(bench)).toBeLessThanOrEqual(bound(rounds * 100));
});

test('[LINK12] many sockets of one person share what they may', async () => {
  const { bench, show, offer } = await open();
  const sockets = Array.from({ length: 32 }, (_, index) => `mal ${index}`);
  show(sockets);
  for (let round = 0; round < 10; round += 1)
    for (const name of sockets) {
      await offer(name, `${name} ${round}`);
      await bench.clock.advance(10);
    }
  expect(made(bench)).toBeLessThanOrEqual(bound(3_200));
});

test('[LINK12] the own offers to participants who wait for them, and leave, are counted too', async () => {
  const { bench, show } = await open();
  for (let round = 0; round < 5; round += 1) {
    show(Array.from({ length: 32 }, (_, index) => `mal ${round} ${index}`));
    await bench.clock.advance(OFFER_WAIT_MS + 1);
  }
  expect(made(bench)).toBeLessThanOrEqual(bound(5 * (OFFER_WAIT_MS + 1)));
});

test('[LINK12] links that have to wait are made one after the other, and another person’s at once', async () => {
  const { bench, ann, show, offer } = await open();
  const sockets = Array.from({ length: LINKS.atOnce + 2 }, (_, index) => `mal ${index}`);
  show(sockets);
  for (const name of sockets) await offer(name, name);
  expect(made(bench)).toBe(LINKS.atOnce);
  const everybody = [...sockets.map((name) => [name, 'mal'] as const), ['bob', 'bob'] as const];
  ann.media.setParticipants(
    everybody.map(([name, who]) => ({ id: name as ParticipantId, person: who, isEarlier: false })),
  );
  await offer('bob', 'of bob');
  expect(answersTo(ann, 'bob')).toBe(1);
  await bench.clock.advance(LINKS.everyMs);
  expect(made(bench)).toBe(LINKS.atOnce + 2);
  await bench.clock.advance(LINKS.everyMs);
  expect(made(bench)).toBe(LINKS.atOnce + 3);
});

test('[LINK12] three tabs that lose their sockets six times in a minute are linked at once each time', async () => {
  const { bench, ann, show, offer } = await open();
  for (let round = 0; round < 6; round += 1) {
    const tabs = ['a', 'b', 'c'].map((tab) => `${tab} ${round}`);
    for (const count of [1, 2, 3]) {
      show(tabs.slice(0, count));
      const tab = tabs[count - 1] ?? '';
      await offer(tab, `of ${tab}`);
      expect(answersTo(ann, tab)).toBe(1);
    }
    await bench.clock.advance(10_000);
  }
});

test('[LINK12] who reloads ten times as fast as a browser can is linked at once each time', async () => {
  const { bench, ann, show, offer } = await open();
  for (let round = 0; round < 10; round += 1) {
    show([`page ${round}`]);
    await offer(`page ${round}`, `of ${round}`);
    expect(answersTo(ann, `page ${round}`)).toBe(1);
    await bench.clock.advance(500);
  }
});

describe('guests of one link', () => {
  const guestsOf = 'Pompiers';
  const asGuests = (name: string) => ({ person: name.replace(/ .*/, ''), guestsOf });

  test('[LINK12] one who uses up their links leaves the others theirs', async () => {
    const { bench, ann, show, offer } = await open();
    const tabs = Array.from({ length: LINKS.atOnce + 5 }, (_, index) => `mal ${index}`);
    show(tabs, asGuests);
    for (const tab of tabs) await offer(tab, tab);
    expect(made(bench)).toBe(LINKS.atOnce);
    show([...tabs, 'julie'], asGuests);
    await offer('julie', 'of julie');
    expect(answersTo(ann, 'julie')).toBe(1);
  });

  test('[LINK12] who comes again and again as another of them gets no more than all of them', async () => {
    const { bench, show, offer } = await open();
    const rounds = 300;
    for (let round = 0; round < rounds; round += 1) {
      show([`mal${round}`], asGuests);
      await offer(`mal${round}`, `of ${round}`);
      await bench.clock.advance(100);
      show([]);
    }
    expect(made(bench)).toBeGreaterThanOrEqual(GUESTS_TIMES * LINKS.atOnce);
    expect(made(bench)).toBeLessThanOrEqual(GUESTS_TIMES * bound(rounds * 100));
    // A user with an account still gets a link, even if the guest link was named after their id.
    const before = made(bench);
    show([guestsOf], () => ({ person: guestsOf }));
    await offer(guestsOf, 'of an account');
    expect(made(bench)).toBe(before + 1);
  });

  test('[LINK12] a room tells them apart by their own ids, and knows by their link that they belong together', async () => {
    const all = Array.from({ length: GUESTS_TIMES * LINKS.atOnce + 1 }, (_, number): Participant => {
      const { id, userId, name } = person(number);
      return { id, userId, name, role: 'member', guest: { name, link: guestsOf } };
    });
    const { network } = await openRoom({ state: { participants: all } });
    expect(network.connections).toHaveLength(GUESTS_TIMES * LINKS.atOnce);
  });

  test('[LINK12] no order of links gives a person or a link more than theirs', () =>
    checkRuns({ runs: 3, steps: 5_000 }, async ({ below }, steps) => {
      const clock = { ms: 0 };
      const shares = createShares(LINKS, () => clock.ms);
      const counts = new Map<string, number>();
      const count = (key: string, times: number) => {
        const links = (counts.get(key) ?? 0) + 1;
        counts.set(key, links);
        expect(links, key).toBeLessThanOrEqual(times * (LINKS.atOnce + clock.ms / LINKS.everyMs));
      };
      for (const _turn of steps) {
        clock.ms += below(40);
        const guest = below(8);
        const sharer = { person: `guest ${guest}`, guestsOf: guest < 6 ? 'Pompiers' : 'Samu' };
        const wait = shares.waitMs(sharer);
        if (wait > 0) {
          // The wait is exact: an offer a moment earlier would be refused.
          clock.ms += wait - 1;
          expect(shares.waitMs(sharer)).toBe(1);
          clock.ms += 1;
        }
        expect(shares.waitMs(sharer)).toBe(0);
        shares.take(sharer);
        count(sharer.person, 1);
        count(sharer.guestsOf, GUESTS_TIMES);
      }
    }));
});
