import type { ParticipantId } from '@pressel/contract/ids';
import type { IceConfig } from '@pressel/contract/presence';
import { expect, test } from 'vitest';
import { settle } from '#test/fake-clock.ts';
import { FakeTrack } from '#test/fake-media-track.ts';
import { createMeshBench, type MeshBench } from '#test/mesh-bench.ts';
import { NO_ICE } from '#test/voice-bench.ts';
import { areSameServers, guessIce, toConfiguration } from './ice-servers.ts';

const id = (name: string) => name as ParticipantId;

/** A member with a running join and a prepared link, in a room where the others are already. */
const comeTo = async (bench: MeshBench, ...names: string[]) => {
  for (const name of names) await bench.enter(name);
  await bench.clock.advance(50);
  const before = bench.network.connections.length;
  const newcomer = await bench.enter('zoe', undefined, 'joining');
  const dropUnused = newcomer.media.prepare();
  await settle();
  return {
    newcomer,
    dropUnused,
    opened: () => bench.network.connections.slice(before),
    /** Answers the join and names the others in this order. Nothing runs in between. */
    answer: (ice = NO_ICE) => {
      newcomer.media.reenter({ self: id('zoe'), ice });
      newcomer.media.setParticipants(names.map((name) => ({ id: id(name), person: name, isEarlier: true })));
    },
    sent: () => newcomer.signalling.sent.map(({ event }) => event),
  };
};

test('[TALK157] the offer to the first of those who are there leaves in the moment in which the join is answered', async () => {
  const bench = createMeshBench();
  const { newcomer, opened, answer, sent } = await comeTo(bench, 'ann', 'bob');
  expect([opened().length, opened()[0]?.signalingState, sent()]).toEqual([1, 'have-local-offer', []]);
  answer();
  expect(sent().toSorted()).toEqual(['candidate', 'offer']);
  expect(newcomer.signalling.sentOf('offer')[0]?.offerReceiveID).toBe('ann');
  await bench.clock.advance(50);
  expect([bench.connected().length, opened().length]).toEqual([6, 4]);
  expect([...newcomer.played.keys()].toSorted()).toEqual(['ann', 'bob']);
});

test('[TALK157] a microphone that opens meanwhile, and a press, are sent by that link', async () => {
  const bench = createMeshBench();
  const { newcomer, opened, answer } = await comeTo(bench, 'ann');
  const other = new FakeTrack('headset');
  newcomer.changeMicrophone(other);
  newcomer.media.setSending('all');
  answer();
  await bench.clock.advance(50);
  expect(opened()[0]?.sender.track).toBe(other);
  expect(opened()[0]?.sender.isActive).toBe(true);
});

test('[TALK157] what nobody was offered is closed: the answer named nobody, or other servers, or the room was left', async () => {
  const alone = await comeTo(createMeshBench());
  alone.answer();
  alone.dropUnused();
  expect([alone.opened()[0]?.signalingState, alone.sent()]).toEqual(['closed', []]);

  const bench = createMeshBench();
  const elsewhere = await comeTo(bench, 'ann');
  elsewhere.answer({ ...NO_ICE, iceServers: [{ urls: ['stun:stun.example.org'] }] });
  expect([elsewhere.opened()[0]?.signalingState, elsewhere.sent()]).toEqual(['closed', []]);
  await bench.clock.advance(50);
  expect([bench.connected().length, elsewhere.opened().length]).toEqual([2, 3]);

  const left = await comeTo(createMeshBench(), 'ann');
  left.newcomer.media.close();
  expect(left.opened()[0]?.signalingState).toBe('closed');
});

test('[TALK157] a browser that makes no connection ahead costs nobody the room', async () => {
  const bench = createMeshBench();
  const { newcomer, answer, dropUnused } = await comeTo(bench, 'ann');
  dropUnused();
  const { create } = bench.network;
  bench.network.create = () => {
    throw new DOMException('Cannot create so many PeerConnections', 'UnknownError');
  };
  expect(() => newcomer.media.prepare()()).not.toThrow();
  bench.network.create = create;
  answer();
  await bench.clock.advance(50);
  expect(bench.connected()).toHaveLength(2);
});

test('[TALK157] where relays need credentials, the next room begins with those of the one before, and passes on the new ones', async () => {
  const relayBy = (username: string): IceConfig => ({
    ...{ iceServers: [{ urls: ['turn:relay.example.org'], username, credential: 'x' }], iceTransportPolicy: 'relay' },
    ttlSeconds: 400,
  });
  const bench = createMeshBench();
  const { newcomer, answer } = await comeTo(bench, 'ann');
  answer(relayBy('1'));
  const { prepare, opened } = { ...newcomer.media, opened: () => bench.network.connections.at(-1) };
  prepare();
  expect(opened()?.configuration).toEqual(toConfiguration(relayBy('1')));
  newcomer.media.reenter({ self: id('zoe again'), ice: relayBy('2') });
  expect(opened()?.configuration).toEqual(toConfiguration(relayBy('2')));

  const { signalling } = newcomer;
  expect(guessIce(signalling, bench.clock.now() + 99_000)).toEqual(toConfiguration(relayBy('2')));
  expect(guessIce(signalling, bench.clock.now() + 101_000)).toEqual(toConfiguration(NO_ICE));
  expect(areSameServers(toConfiguration(relayBy('1')), toConfiguration(relayBy('2')))).toBe(true);
  expect(
    areSameServers(toConfiguration(relayBy('1')), toConfiguration({ ...relayBy('1'), iceTransportPolicy: 'all' })),
  ).toBe(false);
});
