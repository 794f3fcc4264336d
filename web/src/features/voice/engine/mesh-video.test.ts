import type { ParticipantId } from '@pressel/contract/ids';
import { expect, test } from 'vitest';
import { settle } from '#test/fake-clock.ts';
import { asTrack, FakeTrack } from '#test/fake-media-track.ts';
import { ok } from '#test/fake-signalling.ts';
import { createMeshBench, type MeshBench, type MeshMember } from '#test/mesh-bench.ts';
import { NO_ICE } from '#test/voice-bench.ts';
import { REBUILD_FIRST_MS } from './mesh.ts';
import type { Picture } from './video.ts';

const id = (name: string) => name as ParticipantId;
const pictureOf = (label: string, shows: Picture['shows'] = 'camera'): Picture & { fake: FakeTrack } => {
  const fake = new FakeTrack(label, label, 'video');
  return { track: asTrack(fake), shows, fake };
};
const enter = async (bench: MeshBench, name: string, picture?: Picture | null): Promise<MeshMember> => {
  const member = await bench.enter(name, picture === undefined ? undefined : { picture });
  await bench.clock.advance(50);
  return member;
};
/** The pictures that arrive at any member. */
const arriving = (bench: MeshBench) => bench.network.live().flatMap((one) => one.receivesPicture()?.label ?? []);
const lines = (bench: MeshBench) =>
  bench.network.live().map((one) => one.transceivers.map(({ receiver }) => receiver.track.kind).join());

test('[VID1] two of the video view send each other pictures, whoever came first', async () => {
  const bench = createMeshBench();
  const ann = await enter(bench, 'ann', pictureOf('of ann'));
  const bob = await enter(bench, 'bob', pictureOf('of bob'));
  expect(lines(bench)).toEqual(['audio,video', 'audio,video']);
  expect(arriving(bench).toSorted()).toEqual(['of ann', 'of bob']);
  expect([...ann.pictures.keys()]).toEqual(['bob']);
  expect([...bob.pictures.values()].map(({ kind }) => kind)).toEqual(['video']);
  expect([...bob.played.values()].map(({ kind }) => kind)).toEqual(['audio']);
  bench.leave('bob');
  expect([...ann.pictures.keys()]).toEqual([]);
});

test.each([
  ['before', ['radio', 'ann', 'bob']],
  ['after', ['ann', 'bob', 'radio']],
])('[VID2] the radio has no line for video, come %s the others', async (_, order) => {
  const bench = createMeshBench();
  for (const name of order) await enter(bench, name, name === 'radio' ? undefined : pictureOf(`of ${name}`));
  expect(bench.connected()).toHaveLength(6);
  expect(lines(bench).toSorted()).toEqual(['audio', 'audio', 'audio', 'audio', 'audio,video', 'audio,video']);
  expect(arriving(bench).toSorted()).toEqual(['of ann', 'of bob']);
});

test('[VID2] a line that somebody offers to the radio all the same carries nothing', async () => {
  const bench = createMeshBench();
  const radio = await enter(bench, 'radio');
  await bench.enter('ann', { picture: pictureOf('of ann'), takes: () => true });
  await bench.clock.advance(50);
  expect(bench.connected()).toHaveLength(2);
  const [, answerer] = bench.network.live().map((one) => one.transceivers.map(({ direction }) => direction));
  expect(answerer).toEqual(['sendrecv', 'inactive']);
  expect(arriving(bench)).toEqual([]);
  expect([...radio.played.values()].map(({ kind }) => kind)).toEqual(['audio']);
});

test('[VID3] another picture, or none, needs no negotiation on either side', async () => {
  const bench = createMeshBench();
  const ann = await enter(bench, 'ann', null);
  const bob = await enter(bench, 'bob', null);
  const offers = bench.count('offer');
  expect(arriving(bench)).toEqual([]);
  ann.show(pictureOf('camera of ann'));
  bob.show(pictureOf('camera of bob'));
  await settle();
  expect(arriving(bench).toSorted()).toEqual(['camera of ann', 'camera of bob']);
  ann.show(pictureOf('screen of ann', 'screen'));
  bob.show(null);
  await settle();
  expect(arriving(bench)).toEqual(['screen of ann']);
  expect(bench.count('offer')).toBe(offers);
});

test('[VID3] a picture that the browser refuses is sent later, and the voice goes on meanwhile', async () => {
  const bench = createMeshBench();
  const ann = await enter(bench, 'ann', null);
  await enter(bench, 'bob', null);
  for (const one of bench.network.live()) {
    const sender = one.transceivers[1]?.sender;
    if (sender !== undefined) sender.refusals = 1;
  }
  ann.show(pictureOf('of ann'));
  await settle();
  expect(arriving(bench)).toEqual([]);
  expect(bench.connected()).toHaveLength(2);
  await bench.clock.advance(250);
  expect(arriving(bench)).toEqual(['of ann']);
});

test('[VID3] of many wishes the last one counts', async () => {
  const bench = createMeshBench();
  const ann = await enter(bench, 'ann', null);
  await enter(bench, 'bob', null);
  for (const shown of [pictureOf('one'), pictureOf('two'), null, pictureOf('three')]) ann.show(shown);
  await settle();
  expect(arriving(bench)).toEqual(['three']);
  for (const shown of [pictureOf('four'), null]) ann.show(shown);
  await settle();
  expect(arriving(bench)).toEqual([]);
});

test('[VID3] a link that is built anew carries the picture of that moment', async () => {
  const bench = createMeshBench();
  const ann = await enter(bench, 'ann', null);
  await enter(bench, 'bob', pictureOf('of bob'));
  ann.show(pictureOf('of ann'));
  bench.network.isReachable = false;
  for (const one of bench.network.live()) one.become('failed');
  await bench.clock.advance(60_000);
  bench.network.isReachable = true;
  await bench.clock.advance(60_000 + REBUILD_FIRST_MS);
  expect(bench.connected()).toHaveLength(2);
  expect(arriving(bench).toSorted()).toEqual(['of ann', 'of bob']);
});

test('[VID4] a camera takes less than a screen, so that the voice has its place', async () => {
  const bench = createMeshBench();
  const ann = await enter(bench, 'ann', pictureOf('of ann'));
  await enter(bench, 'bob', null);
  const rates = () =>
    bench.network.live().flatMap(({ transceivers: [, video] }) => (video?.sender.track ? video.sender.maxBitrate : []));
  expect(rates()).toEqual([200_000]);
  ann.show(pictureOf('screen', 'screen'));
  await settle();
  expect(rates()).toEqual([1_500_000]);
});

test('[LINK7] new ICE servers keep what a connection can’t change', async () => {
  const bench = createMeshBench();
  const iceOf = (credential: string) => ({
    ...NO_ICE,
    iceServers: [{ urls: ['turn:relay.example'], username: 'u', credential }],
    ttlSeconds: 600,
  });
  bench.ice = iceOf('first');
  await enter(bench, 'ann', null);
  const bob = await enter(bench, 'bob', null);
  await enter(bench, 'radio');
  for (const { signalling } of bench.members.values()) {
    signalling.answer('ice_config', () => ok<'ice_config'>(iceOf('second')));
  }
  await bench.clock.advance(301_000);
  for (const { configuration } of bench.network.live()) {
    expect(configuration.iceServers).toMatchObject([{ credential: 'second' }]);
  }
  const policies = bench.network.live().map(({ configuration }) => configuration.bundlePolicy);
  expect(policies.toSorted()).toEqual(['max-bundle', 'max-bundle', undefined, undefined, undefined, undefined]);
  expect(bench.connected()).toHaveLength(6);
  expect([...bob.pictures.keys()]).toEqual([id('ann')]);
});
