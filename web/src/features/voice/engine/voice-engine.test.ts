import { expect, test } from 'vitest';
import { settle } from '#test/fake-clock.ts';
import { ok, unavailable } from '#test/fake-signalling.ts';
import { floorOf, openRoom, roomStateOf } from '#test/voice-bench.ts';
import { VOICE_FIRST_MS } from './room-session.ts';
import { ANSWER_WAIT_MS } from './talk-control.ts';

test('[TALK141] a press opens the microphone before the sound is woken, and no context is made for it', async () => {
  const bench = await openRoom();
  const work: string[] = [];
  bench.audio.onWork = (what) => work.push(`${what}, microphone ${bench.isMicOpen() ? 'open' : 'closed'}`);
  bench.room.press();
  await settle();
  expect(work).toEqual(['wake, microphone open']);
});

test('[TALK143] a press while the room is being entered waits, and asks as soon as it is entered', async () => {
  let enter: () => void = () => undefined;
  const bench = await openRoom({
    join: () => new Promise((resolve) => (enter = () => resolve(ok<'join_room'>(roomStateOf())))),
  });
  const talk = () => bench.room.getSnapshot().talk;
  bench.room.press();
  expect(talk()).toMatchObject({ state: 'asking', open: false });
  expect(bench.isMicOpen()).toBe(false);
  enter();
  await settle();
  expect(talk()).toMatchObject({ state: 'talking' });
  expect(bench.isMicOpen()).toBe(true);
  expect(bench.signalling.sentOf('floor_request')).toHaveLength(1);
});

test('[TALK143] a press before the microphone is open waits for it, and fails with it', async () => {
  for (const isAllowed of [true, false]) {
    const bench = await openRoom({ isAskingForMicrophone: true });
    bench.room.press();
    expect(bench.signalling.sentOf('floor_request')).toEqual([]);
    if (!isAllowed) bench.microphones.failure = 'NotAllowedError';
    bench.microphones.answer();
    await settle();
    expect(bench.room.getSnapshot().talk).toMatchObject(
      isAllowed ? { state: 'talking' } : { state: 'denied', reason: 'microphone' },
    );
    expect(bench.isMicOpen()).toBe(isAllowed);
    bench.room.close();
  }
});

test('[TALK143] a press that is let go before the room is entered asks for nothing, and its end is told if it took long', async () => {
  let enter: () => void = () => undefined;
  const bench = await openRoom({
    join: () => new Promise((resolve) => (enter = () => resolve(ok<'join_room'>(roomStateOf())))),
  });
  bench.room.press();
  bench.room.release();
  expect(bench.room.getSnapshot().talk).toEqual({ state: 'idle' });
  bench.room.press();
  await bench.clock.advance(ANSWER_WAIT_MS);
  bench.room.release();
  expect(bench.room.getSnapshot().talk).toEqual({ state: 'unheard' });
  enter();
  await settle();
  expect([
    bench.isMicOpen(),
    bench.signalling.sentOf('floor_request'),
    bench.signalling.sentOf('floor_release'),
  ]).toEqual([false, [], []]);
});

test('[TALK141] the sound is prepared with the answer to the join, before anybody can press, and again after a lost link', async () => {
  const bench = await openRoom();
  const work: string[] = [];
  bench.audio.onWork = (what) =>
    work.push(
      `${what} after ${bench.signalling.sentOf('join_room').length} joins, ${bench.room.getSnapshot().status.state}`,
    );
  bench.signalling.setLink('down');
  await bench.clock.advance(1_000);
  expect(work).toEqual([]);
  bench.signalling.setLink('up');
  await settle();
  expect(work).toEqual(['prepare after 2 joins, joined']);
});

test('[TALK141] where somebody talks already, the sound is prepared after their first syllable, and not once the room is left', async () => {
  const bench = await openRoom({ others: ['ann'], state: { floor: floorOf(2, ['ann']) } });
  const work: string[] = [];
  bench.audio.onWork = (what) => work.push(what);
  await bench.clock.advance(VOICE_FIRST_MS - 1);
  expect(work).toEqual([]);
  await bench.clock.advance(1);
  expect(work).toEqual(['prepare']);

  const left = await openRoom({ others: ['ann'], state: { floor: floorOf(2, ['ann']) } });
  left.audio.onWork = (what) => work.push(what);
  left.room.close();
  await left.clock.advance(VOICE_FIRST_MS);
  expect(work).toEqual(['prepare']);
});

test('[TALK157] the first link is made while the answer to the join is awaited, and leads to who talks', async () => {
  const answered = Promise.withResolvers<void>();
  const join = async () => {
    await answered.promise;
    return ok<'join_room'>(roomStateOf(['ann', 'bob'], { floor: floorOf(2, ['bob']) }));
  };
  const { network, signalling, room, clock } = await openRoom({ join });
  expect(network.connections, 'made in another task than the join').toHaveLength(0);
  await clock.advance(0);
  expect([room.getSnapshot().status, network.connections.length]).toEqual([{ state: 'joining' }, 1]);
  answered.resolve();
  await settle();
  expect(signalling.sentOf('offer').map(({ offerReceiveID }) => offerReceiveID)).toEqual(['bob', 'ann']);
  expect(signalling.sentOf('offer')[0]?.sdp.sdp).toBe('offer 0 0');
});

test('[TALK157] a link that the answer needs for nobody is closed, and none is made for a way back', async () => {
  let answered = Promise.withResolvers<void>();
  const join = async () => {
    await answered.promise;
    return ok<'join_room'>(roomStateOf());
  };
  const { network, signalling, clock } = await openRoom({ join });
  await clock.advance(0);
  expect(network.live()).toHaveLength(1);
  answered.resolve();
  await settle();
  expect(network.live()).toEqual([]);
  answered = Promise.withResolvers();
  signalling.setLink('down');
  await clock.advance(1_000);
  signalling.setLink('up');
  await clock.advance(0);
  expect(network.connections, 'none on the way back').toHaveLength(1);
});

test('[TALK157] an answer that comes at once needs no link ahead', async () => {
  const { network, clock } = await openRoom();
  await clock.advance(0);
  expect(network.connections).toEqual([]);
});

test.each(['not_a_member', 'not_found', 'forbidden', 'rooms_full'] as const)(
  '[PRES41] a room that is refused (%s) closes the microphone and all else, and is not entered again by itself',
  async (code) => {
    const bench = await openRoom({ join: () => ({ ok: false, code, params: {} }) });
    const { room, signalling, microphones, clock } = bench;
    expect(room.getSnapshot().status).toEqual({ state: 'refused', code });
    expect(microphones.given.map(({ readyState }) => readyState)).toEqual(['ended']);
    expect(bench.engine.isClosed()).toBe(true);
    expect([signalling.listeners(), clock.pending()]).toEqual([0, 0]);
    signalling.setLink('down');
    signalling.setLink('up');
    await settle();
    expect(signalling.sentOf('join_room')).toHaveLength(1);
  },
);

test('[PRES41] a session that is refused closes the microphone', async () => {
  const { signalling, microphones } = await openRoom();
  signalling.setLink('refused');
  expect(microphones.current().readyState).toBe('ended');
});

test.each([
  ['has no answer yet', 0],
  ['had no answer in time and is to be tried again', 500],
])('[PRES40] to leave while the join %s leaves the room', async (_, ms) => {
  let isAnswered = false;
  const bench = await openRoom({
    join: () => (isAnswered ? unavailable : new Promise(() => undefined)),
  });
  isAnswered = ms > 0;
  if (isAnswered) {
    bench.signalling.setLink('down');
    bench.signalling.setLink('up');
    await bench.clock.advance(ms);
  }
  bench.room.close();
  await settle();
  expect(bench.signalling.sentOf('leave_room')).toHaveLength(1);
  expect(bench.signalling.sent.at(-1)?.event).toBe('leave_room');
});

test('[TALK142] the microphone stays open from one room to the next, and closes with the last', async () => {
  const bench = await openRoom();
  const release = bench.room.keepEngineOpen();
  bench.room.close();
  const next = bench.enter('Bravo');
  release();
  await settle();
  expect(next.getSnapshot()).toMatchObject({ status: { state: 'joined' }, microphone: { state: 'ready' } });
  expect(bench.microphones.asked).toHaveLength(1);
  expect(bench.microphones.current().readyState).toBe('live');
  next.close();
  expect(bench.microphones.current().readyState).toBe('ended');
  expect([bench.signalling.listeners(), bench.clock.pending(), bench.network.live().length]).toEqual([0, 0, 0]);
});

test('[TALK142] a desk that is held without a room keeps no connection to anybody', async () => {
  const bench = await openRoom({ others: ['bob'] });
  const release = bench.room.keepEngineOpen();
  bench.room.close();
  expect(bench.network.live()).toEqual([]);
  bench.signalling.answer('join_room', () => ok<'join_room'>(roomStateOf()));
  release();
  expect(bench.engine.isClosed()).toBe(true);
});
