import type { ParticipantId } from '@pressel/contract/ids';
import { expect, test } from 'vitest';
import { settle } from '#test/fake-clock.ts';
import { createMeshBench, type MeshBench, type MeshMember } from '#test/mesh-bench.ts';
import { LINK_EVERY_MS, LINKS_AT_ONCE } from './link-allowance.ts';
import { OFFER_WAIT_MS } from './mesh.ts';

/** ann, and the sockets of mal, of whom a test says which are there and what they offer. */
const open = async () => {
  const bench = createMeshBench();
  const ann = await bench.enter('ann');
  const show = (names: readonly string[], person = 'mal') =>
    ann.media.setParticipants(
      names.map((name) => ({ id: name as ParticipantId, person })),
      false,
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
/** So many links at most after so long. */
const bound = (ms: number) => LINKS_AT_ONCE + Math.ceil(ms / LINK_EVERY_MS);

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
  expect(made(bench)).toBeGreaterThanOrEqual(LINKS_AT_ONCE);
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
  const sockets = Array.from({ length: LINKS_AT_ONCE + 2 }, (_, index) => `mal ${index}`);
  show(sockets);
  for (const name of sockets) await offer(name, name);
  expect(made(bench)).toBe(LINKS_AT_ONCE);
  const everybody = sockets.map((name) => ({ id: name as ParticipantId, person: 'mal' }));
  ann.media.setParticipants([...everybody, { id: 'bob' as ParticipantId, person: 'bob' }], false);
  await offer('bob', 'of bob');
  expect(answersTo(ann, 'bob')).toBe(1);
  await bench.clock.advance(LINK_EVERY_MS);
  expect(made(bench)).toBe(LINKS_AT_ONCE + 2);
  await bench.clock.advance(LINK_EVERY_MS);
  expect(made(bench)).toBe(LINKS_AT_ONCE + 3);
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
