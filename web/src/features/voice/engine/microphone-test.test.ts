import { expect, test } from 'vitest';
import { settle } from '#test/fake-clock.ts';
import { type Bench, openRoom } from '#test/voice-bench.ts';
import { createMicrophoneTest, SILENT_BELOW, TEST_MS } from './microphone-test.ts';

/** A test in a room, with a fake recorder and player that follow the test's orders. */
async function openTest(bench?: Bench) {
  const room = bench ?? (await openRoom({ others: ['bob'] }));
  const seen = new Set<() => void>();
  const fake = {
    ...room,
    isShown: true,
    /** False if the browser has no recorder. */
    canRecord: true,
    /** False if the recorder never returns its recording. */
    answers: true,
    recorded: [] as MediaStreamTrack[],
    playing: [] as ((isPlayed: boolean) => void)[],
    show(isShown: boolean) {
      fake.isShown = isShown;
      for (const handler of seen) handler();
    },
  };
  const opened = createMicrophoneTest({
    room: room.room,
    probe: room.room.probe,
    clock: room.clock,
    record(track) {
      if (!fake.canRecord) throw new DOMException('no', 'NotSupportedError');
      fake.recorded.push(track);
      return { stop: () => (fake.answers ? Promise.resolve(new Blob(['sound'])) : new Promise<Blob>(() => undefined)) };
    },
    play(_sound, onEnd) {
      fake.playing.push(onEnd);
      return { close: () => void fake.playing.splice(0) };
    },
    isShown: () => fake.isShown,
    onShownChanged(handler) {
      seen.add(handler);
      return () => seen.delete(handler);
    },
  });
  const copies = () => fake.microphones.given.flatMap((track) => track.copies);
  return Object.assign(fake, {
    test: opened,
    now: () => opened.getSnapshot(),
    copies,
    /** Copies that let sound through. */
    open: () => copies().filter(({ readyState, enabled }) => readyState === 'live' && enabled),
    watchers: () => seen.size,
    async record(ms = TEST_MS) {
      opened.start();
      await fake.clock.advance(ms);
    },
  });
}

test('[TALK132] the level is that of a copy, which alone is open; nothing is said to the room', async () => {
  const bench = await openTest();
  const sent = bench.signalling.sent.length;
  expect(bench.now()).toEqual({ state: 'listening', result: null });
  expect(bench.test.level()).toBe(0.5);
  expect([bench.open().length, bench.isMicOpen()]).toEqual([1, false]);
  await bench.record();
  expect(bench.isMicOpen()).toBe(false);
  bench.test.close();
  bench.test.close();
  expect([bench.open(), bench.watchers(), bench.test.level()]).toEqual([[], 0, 0]);
  expect(bench.signalling.sent.slice(sent).filter(({ event }) => event.startsWith('floor'))).toEqual([]);
  // The room's own track goes on.
  expect(bench.microphones.current().readyState).toBe('live');
});

test('[TALK133] five seconds are recorded from the copy, then played, and it is asked whether that was clear', async () => {
  const bench = await openTest();
  await bench.record(TEST_MS - 1);
  expect(bench.now().state).toBe('recording');
  await bench.clock.advance(1);
  expect(bench.now()).toEqual({ state: 'playing', result: null });
  expect(bench.recorded).toEqual(bench.copies());
  bench.playing[0]?.(true);
  expect(bench.now()).toEqual({ state: 'listening', result: 'played' });
});

test('[TALK133] recording and playing are ended by the button', async () => {
  const bench = await openTest();
  await bench.record(1_000);
  bench.test.stop();
  await settle();
  expect(bench.now().state).toBe('playing');
  bench.test.stop();
  expect([bench.now(), bench.playing]).toEqual([{ state: 'listening', result: 'played' }, []]);
  // The end of the first recording's time ends no other recording.
  await bench.record(TEST_MS - 500);
  expect(bench.now().state).toBe('recording');
});

test.each([
  ['nothing', 0, 'silent'],
  ['a room without a voice', 8e-6, 'silent'],
  ['just under the limit', SILENT_BELOW * 0.99, 'silent'],
] as const)('[TALK133] a test that heard %s says so, and plays nothing', async (_name, loudness, result) => {
  const bench = await openTest();
  bench.audio.loudness = loudness;
  await bench.record();
  expect([bench.now(), bench.playing]).toEqual([{ state: 'listening', result }, []]);
});

test('[TALK133] one word in five seconds is enough, and where nothing can be measured all is played', async () => {
  const bench = await openTest();
  bench.audio.loudness = 0;
  await bench.record(3_000);
  bench.audio.loudness = 0.05;
  await bench.clock.advance(300);
  bench.audio.loudness = 0;
  await bench.clock.advance(TEST_MS);
  expect(bench.now().state).toBe('playing');
  bench.playing[0]?.(true);
  bench.audio.isMeasuring = false;
  await bench.record();
  expect(bench.now().state).toBe('playing');
});

test.each([
  ['there is no recorder', (bench: Awaited<ReturnType<typeof openTest>>) => Object.assign(bench, { canRecord: false })],
  [
    'the recorder hands out nothing',
    (bench: Awaited<ReturnType<typeof openTest>>) => Object.assign(bench, { answers: false }),
  ],
])('[TALK133] where %s the test has failed', async (_name, breakIt) => {
  const bench = await openTest();
  breakIt(bench);
  await bench.record(TEST_MS + 2_000);
  expect(bench.now()).toEqual({ state: 'listening', result: 'failed' });
});

test('[TALK133] a sound that can’t be played has failed', async () => {
  const bench = await openTest();
  await bench.record();
  bench.playing[0]?.(false);
  expect(bench.now()).toEqual({ state: 'listening', result: 'failed' });
});

test.each(['recording', 'playing'] as const)(
  '[TALK134] a talk that begins ends a test that is %s, and is a talk as ever',
  async (state) => {
    const bench = await openTest();
    await bench.record(state === 'recording' ? 1_000 : TEST_MS);
    expect(bench.now().state).toBe(state);
    bench.room.press();
    await settle();
    expect([bench.now(), bench.open(), bench.playing]).toEqual([{ state: 'off', result: 'interrupted' }, [], []]);
    expect([bench.room.getSnapshot().talk.state, bench.isMicOpen()]).toEqual(['talking', true]);
    bench.test.start();
    expect(bench.now().state).toBe('off');
    bench.room.release();
    await bench.clock.advance(TEST_MS);
    expect([bench.now().state, bench.isMicOpen()]).toEqual(['listening', false]);
  },
);

test('[TALK134] out of sight nothing is open, and back in sight the test can be made again', async () => {
  const bench = await openTest();
  await bench.record(1_000);
  bench.show(false);
  expect([bench.now(), bench.open()]).toEqual([{ state: 'off', result: 'interrupted' }, []]);
  bench.show(true);
  expect([bench.now(), bench.open().length]).toEqual([{ state: 'listening', result: 'interrupted' }, 1]);
  await bench.record();
  expect(bench.now().state).toBe('playing');
});

test('[TALK134] a device that is unplugged in the middle ends the test, and the next one is heard', async () => {
  const bench = await openTest();
  await bench.record(1_000);
  bench.microphones.plug('headset');
  bench.microphones.current().end();
  expect([bench.now(), bench.open()]).toEqual([{ state: 'off', result: 'interrupted' }, []]);
  await settle();
  expect(bench.now()).toEqual({ state: 'listening', result: 'interrupted' });
  expect(bench.open().map(({ deviceId }) => deviceId)).toEqual(['headset']);
});

test('[TALK134] another microphone that is chosen is the one that is heard', async () => {
  const bench = await openTest();
  await bench.room.selectMicrophone('headset');
  expect(bench.open().map(({ deviceId }) => deviceId)).toEqual(['headset']);
});

test('[TALK134] one that something else mutes is off until it is back', async () => {
  const bench = await openTest();
  bench.microphones.current().mute();
  await bench.clock.advance(1_000);
  expect([bench.now().state, bench.open()]).toEqual(['off', []]);
  bench.microphones.current().mute(false);
  expect(bench.now().state).toBe('listening');
});

test('[TALK134] without a permission nothing is open, and a yes is taken up', async () => {
  const room = await openRoom({ isAskingForMicrophone: true });
  const bench = await openTest(room);
  expect([bench.now().state, bench.test.level()]).toEqual(['off', 0]);
  room.microphones.answer();
  await settle();
  expect(bench.now().state).toBe('listening');
});

test('[TALK134] the end of the stay, or of the settings in the middle of a test, leaves nothing open', async () => {
  const left = await openTest();
  await left.record(1_000);
  left.room.close();
  expect([left.now().state, left.open()]).toEqual(['off', []]);
  const shut = await openTest();
  await shut.record();
  shut.test.close();
  await shut.clock.advance(TEST_MS);
  expect([shut.now().state, shut.open(), shut.playing]).toEqual(['off', [], []]);
});
