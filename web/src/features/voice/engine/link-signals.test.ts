import type { ParticipantId } from '@pressel/contract/ids';
import { expect, test } from 'vitest';
import { settle } from '#test/fake-clock.ts';
import { createMeshBench, type MeshBench, type MeshMember } from '#test/mesh-bench.ts';
import { REPLACE_FIRST_MS, REPLACE_MAX_MS, STABLE_MS } from './link-signals.ts';

const MAL = 'mal' as ParticipantId;

/** ann, who is honest, and mal, who sends whatever a test says. */
const open = async (): Promise<{ bench: MeshBench; ann: MeshMember; offer: (link: string) => void }> => {
  const bench = createMeshBench();
  const ann = await bench.enter('ann');
  ann.media.setParticipants([{ id: MAL, person: 'mal', isEarlier: false }]);
  const offer = (link: string) =>
    ann.signalling.emit('getOffer', { sdp: { type: 'offer', sdp: 'offer 99 0' }, offerSendID: MAL, link });
  return { bench, ann, offer };
};
const answered = ({ signalling }: MeshMember) => signalling.sentOf('answer').map(({ link }) => link);

test.each([
  ['that can be answered', 'offer 99 0'],
  ['that no browser takes', 'answer 99 0'],
])('[LINK10] twenty new links a second for a minute, %s: a few connections, one at a time', async (_name, sdp) => {
  const { bench, ann } = await open();
  for (let count = 0; count < 1_200; count += 1) {
    ann.signalling.emit('getOffer', { sdp: { type: 'offer', sdp }, offerSendID: MAL, link: `link-${count}` });
    await bench.clock.advance(50);
    expect(bench.network.live().length).toBeLessThanOrEqual(1);
  }
  expect(bench.network.connections.length).toBeLessThanOrEqual(3 + 60_000 / REPLACE_MAX_MS + 3);
});

test('[LINK10] the first link and its first replacement come at once, then the latest offer waits', async () => {
  const { bench, ann, offer } = await open();
  for (const link of ['a', 'b', 'c', 'd']) {
    offer(link);
    await settle();
  }
  expect(answered(ann)).toEqual(['a', 'b']);
  await bench.clock.advance(REPLACE_FIRST_MS - 1);
  expect(answered(ann)).toEqual(['a', 'b']);
  await bench.clock.advance(1);
  expect(answered(ann)).toEqual(['a', 'b', 'd']);
});

test('[LINK10] the candidates of an offer that waits wait with it', async () => {
  const { bench, ann, offer } = await open();
  for (const link of ['a', 'b', 'c']) {
    offer(link);
    const candidate = { candidate: `of ${link}` };
    ann.signalling.emit('getCandidate', { candidate, candidateSendID: MAL, link });
    await settle();
  }
  await bench.clock.advance(REPLACE_FIRST_MS);
  const kept = bench.network.connections.map(({ candidates }) => candidates.map((one) => one?.candidate));
  expect(kept).toEqual([['of a'], ['of b'], ['of c']]);
});

test('[LINK10] honest rebuilds are not slowed: each offer of LINK6’s pace is answered when it comes', async () => {
  const { bench, ann, offer } = await open();
  const links: string[] = [];
  for (const pause of [1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]) {
    links.push(`after ${links.length}`);
    offer(links.at(-1) ?? '');
    await settle();
    expect(answered(ann)).toEqual(links);
    await bench.clock.advance(pause);
  }
});

test('[LINK10] a link that was connected for long starts the pauses anew', async () => {
  const { bench, ann, offer } = await open();
  for (const link of ['a', 'b', 'c']) offer(link);
  await bench.clock.advance(REPLACE_FIRST_MS);
  bench.network.connections.at(-1)?.become('connected');
  await bench.clock.advance(STABLE_MS);
  for (const link of ['d', 'e', 'f']) {
    offer(link);
    await settle();
  }
  expect(answered(ann).slice(-2)).toEqual(['d', 'e']);
});

test('[LINK9] an offer that waits goes with who sent it', async () => {
  const { bench, ann, offer } = await open();
  for (const link of ['a', 'b', 'c']) offer(link);
  ann.media.setParticipants([]);
  await bench.clock.advance(REPLACE_FIRST_MS);
  expect(bench.network.live()).toEqual([]);
  expect(bench.clock.pending()).toBe(0);
});
