import type { ParticipantId } from '@pressel/contract/ids';
import { expect, test } from 'vitest';
import { settle } from '#test/fake-clock.ts';
import { FakeTrack } from '#test/fake-media-track.ts';
import { ok } from '#test/fake-signalling.ts';
import { createMeshBench, type MeshBench, type MeshMember } from '#test/mesh-bench.ts';
import { checkRuns } from '#test/random-source.ts';
import { NO_ICE } from '#test/voice-bench.ts';
import { OFFER_WAIT_MS, REBUILD_FIRST_MS } from './mesh.ts';
import { ATTEMPT_MS, INTERRUPTED_GRACE_MS, TAKE_OVER_MS } from './peer-link.ts';

const id = (name: string) => name as ParticipantId;

/** Members who entered one after the other, all connected. */
const roomOf = async (...names: string[]): Promise<MeshBench> => {
  const bench = createMeshBench();
  for (const name of names) {
    await bench.enter(name);
    await bench.clock.advance(50);
  }
  return bench;
};
const member = (bench: MeshBench, name: string): MeshMember => {
  const found = bench.members.get(name);
  if (found === undefined) throw new Error(`${name} is not in`);
  return found;
};
const talk = (one: MeshMember, sending: boolean) => {
  one.microphone.enabled = sending;
  one.media.setSending(sending ? 'all' : 'nobody');
};

test('[LINK1] only the newcomer offers, once to each who was there before', async () => {
  const bench = await roomOf('ann', 'bob', 'cid');
  expect(member(bench, 'ann').signalling.sentOf('offer')).toEqual([]);
  expect(member(bench, 'bob').signalling.sentOf('offer')).toHaveLength(1);
  expect(member(bench, 'cid').signalling.sentOf('offer')).toHaveLength(2);
  expect(bench.connected()).toHaveLength(6);
  expect(member(bench, 'ann').media.peerState(id('cid'))).toBe('connected');
});

test('thirteen who come in at once are all connected with each other, by one offer per pair', async () => {
  const bench = createMeshBench();
  for (let index = 0; index < 13; index += 1) await bench.enter(`m${index}`);
  await bench.clock.advance(200);
  expect(bench.connected()).toHaveLength(13 * 12);
  expect(bench.count('offer')).toBe((13 * 12) / 2);
});

test('a press starts the packets at once without negotiating, a release stops them a little later', async () => {
  const bench = await roomOf('ann', 'bob');
  const [ears, mouth] = [bench.network.connections[1], bench.network.connections[0]];
  const offers = bench.count('offer');
  expect(ears?.sender.isActive).toBe(false);
  talk(member(bench, 'ann'), true);
  await settle();
  expect([ears, mouth].some((one) => one?.receivesSound())).toBe(true);
  talk(member(bench, 'ann'), false);
  await bench.clock.advance(199);
  expect(bench.network.connections.filter((one) => one.sender.isActive)).toHaveLength(1);
  await bench.clock.advance(1);
  expect(bench.network.connections.filter((one) => one.sender.isActive)).toHaveLength(0);
  expect(bench.count('offer')).toBe(offers);
});

test('who comes in while somebody talks hears it as soon as the connection is there', async () => {
  const bench = await roomOf('ann');
  talk(member(bench, 'ann'), true);
  await bench.enter('bob');
  await bench.clock.advance(50);
  expect(bench.connected().filter((one) => one.receivesSound())).toHaveLength(1);
});

test('[TALK50] a jitter buffer delays a voice by what it waited since the last reading, or by what the browser aimed at', async () => {
  const bench = await roomOf('ann', 'bob');
  const delayOf = (waited: number, aimed: number, samples: number) => {
    const stats = { jitterBufferDelay: waited, jitterBufferTargetDelay: aimed, jitterBufferEmittedCount: samples };
    for (const connection of bench.network.connections) connection.jitterBuffer = stats;
    return member(bench, 'bob').media.bufferedMs(id('ann'));
  };
  expect(await delayOf(20, 10, 100)).toBeCloseTo(200);
  expect(await delayOf(40, 80, 200)).toBeCloseTo(700);
  expect(await delayOf(40, 80, 200), 'no voice since then').toBe(0);
});

test('[LINK6] who can’t be reached stays so while it is tried again and again, on both sides, until the link works', async () => {
  const bench = createMeshBench();
  bench.network.isReachable = false;
  await bench.enter('ann');
  await bench.enter('bob');
  const states = { ann: [] as string[], bob: [] as string[] };
  const note = (one: 'ann' | 'bob', other: string) => {
    const { media } = member(bench, one);
    media.subscribe(() => void states[one].push(media.peerState(id(other))));
  };
  note('ann', 'bob');
  note('bob', 'ann');
  await bench.clock.advance(180_000);
  for (const seen of Object.values(states))
    expect(new Set(seen.slice(seen.indexOf('failed')))).toEqual(new Set(['failed']));
  bench.network.isReachable = true;
  await bench.clock.advance(60_000);
  expect([states.ann.at(-1), states.bob.at(-1)]).toEqual(['connected', 'connected']);
});

test('parameters of the answering side are set only after its answer', async () => {
  const bench = await roomOf('ann', 'bob');
  const answering = bench.network.connections.find((one) => one.localDescription?.type === 'answer');
  // If set earlier, the fake would have lost them, as browsers do, and kept sending.
  expect(answering?.sender.wishes).toEqual([false]);
  expect(answering?.sender.isActive).toBe(false);
});

test('one setParameters at a time, the newest wish wins, and a refused wish to stop is tried again', async () => {
  const bench = await roomOf('ann', 'bob');
  const ann = member(bench, 'ann');
  const sender = bench.network.connections.find((one) => one.sender.track === ann.microphone)?.sender;
  if (sender === undefined) throw new Error('no sender');
  let free: () => void = () => undefined;
  sender.hold = new Promise((resolve) => {
    free = resolve;
  });
  for (const sending of [true, false, true, false]) {
    talk(ann, sending);
    await bench.clock.advance(250);
  }
  expect(sender.mostRunning).toBe(1);
  sender.hold = null;
  sender.refusals = 2;
  free();
  await bench.clock.advance(2_000);
  expect(sender.isActive).toBe(false);
  expect(sender.mostRunning).toBe(1);
});

test('candidates that come before the description are kept for it', async () => {
  const bench = createMeshBench();
  const ann = await bench.enter('ann');
  ann.media.setParticipants([{ id: id('bob'), person: 'bob', isEarlier: false }]);
  const from = { candidateSendID: id('bob'), link: 'x' };
  ann.signalling.emit('getOffer', { sdp: { type: 'offer', sdp: 'offer 9 0' }, offerSendID: id('bob'), link: 'x' });
  ann.signalling.emit('getCandidate', { ...from, candidate: { candidate: 'early' } });
  ann.signalling.emit('getCandidate', { ...from, candidate: null });
  await settle();
  expect(bench.network.connections[0]?.candidates.map((one) => one?.candidate ?? null)).toEqual(['early', null]);
});

test('[LINK8] signals of somebody whose arrival was not told yet wait for it', async () => {
  const bench = createMeshBench();
  const ann = await bench.enter('ann');
  ann.signalling.emit('getOffer', { sdp: { type: 'offer', sdp: 'offer 9 0' }, offerSendID: id('bob'), link: 'x' });
  await settle();
  expect(bench.network.connections).toHaveLength(0);
  ann.media.setParticipants([{ id: id('bob'), person: 'bob', isEarlier: false }]);
  await settle();
  expect(ann.signalling.sentOf('answer')).toMatchObject([{ answerReceiveID: 'bob', link: 'x' }]);
});

test('[LINK8] late signals of a connection that was replaced are dropped', async () => {
  const bench = await roomOf('ann', 'bob');
  const ann = member(bench, 'ann');
  const old = member(bench, 'bob').signalling.sentOf('offer')[0];
  ann.signalling.emit('getOffer', { sdp: { type: 'offer', sdp: 'offer 1 0' }, offerSendID: id('bob'), link: 'new' });
  await settle();
  const count = bench.network.connections.length;
  ann.signalling.emit('getOffer', {
    sdp: { type: 'offer', sdp: 'offer 1 0' },
    offerSendID: id('bob'),
    link: old?.link,
  });
  ann.signalling.emit('getCandidate', {
    candidate: { candidate: 'late' },
    candidateSendID: id('bob'),
    link: old?.link,
  });
  await settle();
  expect(bench.network.connections).toHaveLength(count);
  expect(bench.network.connections.at(-1)?.candidates).toEqual([]);
});

test('[LINK9] who leaves is closed and silent at once, and nothing of it is left to run', async () => {
  const bench = await roomOf('ann', 'bob');
  bench.leave('bob');
  expect(bench.network.live()).toEqual([]);
  expect(member(bench, 'ann').played.size).toBe(0);
  await bench.clock.advance(300);
  expect(bench.clock.pending()).toBe(0);
});

test('[LINK2] an offer that is due and does not come is made by the other side', async () => {
  const bench = createMeshBench();
  await bench.enter('ann');
  bench.isLost = (from) => from === 'bob';
  await bench.enter('bob');
  await bench.clock.advance(OFFER_WAIT_MS - 1);
  expect(member(bench, 'ann').signalling.sentOf('offer')).toHaveLength(0);
  bench.isLost = () => false;
  await bench.clock.advance(ATTEMPT_MS);
  expect(bench.connected()).toHaveLength(2);
});

test.each([
  ['ann', 'bob'],
  ['bob', 'ann'],
])('[LINK4] offers of new connections that cross: that of the greater id stands (%s first)', async (first, second) => {
  const bench = createMeshBench();
  const one = await bench.enter(first);
  bench.isLost = () => true;
  const two = await bench.enter(second);
  await bench.clock.advance(10);
  bench.isLost = () => false;
  bench.delayMs = 500;
  // Both consider themselves the offerer.
  for (const side of [one, two]) {
    side.media.setParticipants([]);
    const other = side === one ? second : first;
    side.media.setParticipants([{ id: id(other), person: other, isEarlier: true }]);
  }
  await bench.clock.advance(3_000);
  expect(bench.connected()).toHaveLength(2);
  const [link] = member(bench, 'bob').signalling.sentOf('offer').slice(-1);
  expect(member(bench, 'ann').signalling.sentOf('answer').at(-1)?.link).toBe(link?.link);
});

test('[LINK5] an interruption is given time to heal by itself, then the offerer restarts', async () => {
  const bench = await roomOf('ann', 'bob');
  const offering = bench.network.connections.find((one) => one.localDescription?.type === 'offer');
  for (const one of bench.network.connections) one.become('disconnected');
  expect(member(bench, 'ann').media.peerState(id('bob'))).toBe('interrupted');
  await bench.clock.advance(INTERRUPTED_GRACE_MS - 1);
  expect(offering?.restarts).toBe(0);
  await bench.clock.advance(50);
  expect(offering?.restarts).toBe(1);
  expect(bench.connected()).toHaveLength(2);
  expect(bench.network.connections).toHaveLength(2);
});

test('[LINK5] a failed path is sought anew at once, by the offerer alone', async () => {
  const bench = await roomOf('ann', 'bob');
  for (const one of bench.network.connections) one.become('failed');
  await bench.clock.advance(50);
  expect(bench.network.connections.map((one) => one.restarts).sort()).toEqual([0, 1]);
  expect(bench.connected()).toHaveLength(2);
});

test('[LINK6] three failures in a row give the connection up and build a new one', async () => {
  const bench = await roomOf('ann', 'bob');
  bench.network.isReachable = false;
  for (const one of bench.network.connections) one.become('failed');
  await bench.clock.advance(2 * ATTEMPT_MS + 100);
  expect(member(bench, 'bob').media.peerState(id('ann'))).toBe('failed');
  bench.network.isReachable = true;
  await bench.clock.advance(REBUILD_FIRST_MS + 100);
  expect(bench.connected()).toHaveLength(2);
  expect(bench.network.connections).toHaveLength(4);
  expect(bench.network.live()).toHaveLength(2);
});

test('[LINK3] the answering side takes over when the offerer does nothing about a dead path', async () => {
  const bench = await roomOf('ann', 'bob');
  bench.isLost = (from) => from === 'bob';
  for (const one of bench.network.connections) one.become('failed');
  await bench.clock.advance(TAKE_OVER_MS + REBUILD_FIRST_MS - 100);
  expect(member(bench, 'ann').signalling.sentOf('offer')).toHaveLength(0);
  bench.isLost = () => false;
  await bench.clock.advance(ATTEMPT_MS * 3);
  expect(bench.connected()).toHaveLength(2);
});

test('another microphone is sent to all without negotiating, also when there was none before', async () => {
  const bench = createMeshBench();
  const ann = await bench.enter('ann');
  ann.changeMicrophone(null);
  await bench.enter('bob');
  await bench.clock.advance(50);
  const offers = bench.count('offer');
  ann.changeMicrophone(new FakeTrack('headset'));
  await settle();
  expect(bench.network.connections.map((one) => one.sender.track?.label)).toContain('headset');
  expect(bench.count('offer')).toBe(offers);
  ann.media.setSending('all');
  await settle();
  expect(bench.connected().filter((one) => one.receivesSound())).toHaveLength(1);
});

test('[LINK7] relay credentials are renewed at half of their life and the offerer seeks a path with them', async () => {
  const bench = createMeshBench();
  const iceOf = (credential: string) => ({
    ...NO_ICE,
    iceServers: [{ urls: ['turn:relay.example'], username: 'u', credential }],
    ttlSeconds: 600,
  });
  bench.ice = iceOf('first');
  for (const name of ['ann', 'bob']) {
    const one = await bench.enter(name);
    one.signalling.answer('ice_config', () => ok<'ice_config'>(iceOf('second')));
  }
  await bench.clock.advance(299_000);
  expect(bench.network.connections.map((one) => one.restarts)).toEqual([0, 0]);
  await bench.clock.advance(2_000);
  expect(bench.network.connections.map((one) => one.restarts).sort()).toEqual([0, 1]);
  for (const { configuration } of bench.network.connections) {
    expect(configuration.iceServers).toMatchObject([{ credential: 'second' }]);
  }
  // Restarting a working connection is not an interruption, and no timer counts it as a failure.
  await bench.clock.advance(60_000);
  expect(bench.network.connections).toHaveLength(2);
  expect(bench.connected()).toHaveLength(2);
});

test('[LINK6] a restart whose offer or answer is lost is offered again, and the link that works goes on', async () => {
  for (const lost of ['offer', 'answer']) {
    const bench = createMeshBench();
    bench.ice = {
      ...NO_ICE,
      iceServers: [{ urls: ['turn:relay.example'], username: 'u', credential: 'c' }],
      ttlSeconds: 600,
    };
    for (const name of ['ann', 'bob']) {
      const one = await bench.enter(name);
      one.signalling.answer('ice_config', () => ok<'ice_config'>({ ...bench.ice, ttlSeconds: 6_000 }));
    }
    await bench.clock.advance(299_000);
    bench.isLost = (_from, _to, event) => event === lost;
    await bench.clock.advance(4 * ATTEMPT_MS);
    expect([bench.network.connections.length, bench.connected().length], lost).toEqual([2, 2]);
    bench.isLost = () => false;
    await bench.clock.advance(ATTEMPT_MS);
    const offers = bench.count('offer');
    await bench.clock.advance(10 * ATTEMPT_MS);
    expect(bench.count('offer'), 'once it is answered it is offered no more').toBe(offers);
    expect([bench.network.connections.length, bench.connected().length], lost).toEqual([2, 2]);
    for (const one of bench.network.live()) expect(one.signalingState).toBe('stable');
  }
});

test('levels: the own microphone, those who are audible, and silence for all others', async () => {
  const bench = await roomOf('ann', 'bob', 'cid');
  const { media } = member(bench, 'ann');
  media.setAudible(new Set([id('bob')]));
  expect([id('ann'), id('bob'), id('cid'), id('who')].map((one) => media.level(one))).toEqual([0.5, 0.25, 0, 0]);
});

test('comings, goings and broken paths in any order end all connected', async () => {
  await checkRuns({ runs: 20, steps: 60 }, async (random, steps) => {
    const bench = createMeshBench();
    const names = ['a', 'b', 'c', 'd', 'e'] as const;
    for (const _step of steps) {
      const name = random.pick(...names);
      const chance = random.next();
      if (!bench.members.has(name)) await bench.enter(name);
      else if (chance < 0.2) bench.leave(name);
      else if (chance < 0.5) {
        const live = bench.network.live();
        live[random.below(live.length)]?.become(chance < 0.35 ? 'failed' : 'disconnected');
      } else if (chance < 0.6) bench.network.isReachable = !bench.network.isReachable;
      else if (chance < 0.7)
        bench.isLost = bench.isLost('a', 'b', 'offer') ? () => false : () => random.next() < 0.3 || true;
      bench.delayMs = random.below(100);
      await bench.clock.advance(random.below(3_000));
    }
    bench.network.isReachable = true;
    bench.isLost = () => false;
    for (const name of names) if (!bench.members.has(name)) await bench.enter(name);
    await bench.clock.advance(120_000);
    expect(bench.connected()).toHaveLength(20);
    expect(bench.network.live()).toHaveLength(20);
  });
});
