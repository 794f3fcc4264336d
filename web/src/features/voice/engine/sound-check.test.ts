import type { ParticipantId } from '@pressel/contract/ids';
import { expect, test } from 'vitest';
import { settle } from '#test/fake-clock.ts';
import { ok } from '#test/fake-signalling.ts';
import { CHANNEL, floorOf, openRoom } from '#test/voice-bench.ts';
import { SOUND_FLOOR, SOUNDLESS_AFTER_MS } from './levels.ts';

/** Three falling tones. */
const UNHEARD = '392,294,196';

/** A room whose microphone is this loud (rms, share of full scale), and whose meter follows the test's clock. */
const open = async (loudness: number) => {
  const bench = await openRoom({ others: ['bob'] });
  bench.audio.measured = () => bench.clock.now() / 1_000;
  bench.audio.loudness = loudness;
  const isSoundless = () => bench.room.getSnapshot().isSoundless;
  const talk = async () => {
    bench.room.press();
    await settle();
    expect(bench.room.getSnapshot().talk.state).toBe('talking');
  };
  return { ...bench, isSoundless, talk };
};

test('[TALK122] a talk that stays silent for 2 s is told so, once and by a tone, and goes on', async () => {
  const { clock, audio, room, isSoundless, isMicOpen, talk } = await open(0);
  await talk();
  await clock.advance(SOUNDLESS_AFTER_MS - 1);
  expect(isSoundless()).toBe(false);
  await clock.advance(1);
  expect(isSoundless()).toBe(true);
  await clock.advance(10_000);
  expect(audio.tones.filter((tone) => tone === UNHEARD)).toHaveLength(1);
  expect([room.getSnapshot().talk.state, isMicOpen()]).toEqual(['talking', true]);
  room.release();
  await clock.advance(200);
  expect([room.getSnapshot().talk.state, isSoundless()]).toEqual(['idle', false]);
});

test.each([
  ['the quietest signal that was measured behind the filters of a browser', 1.2e-7],
  ['a room at -96 dB', 3e-6],
  ['a voice', 0.05],
])('[TALK122] %s is a microphone that works', async (_name, loudness) => {
  const { clock, isSoundless, talk } = await open(loudness);
  await talk();
  await clock.advance(10_000);
  expect(isSoundless()).toBe(false);
});

test('[TALK122] the filters that fade out after a sound don’t put it off', async () => {
  const { clock, isSoundless, talk } = await open(SOUND_FLOOR / 2);
  await talk();
  await clock.advance(SOUNDLESS_AFTER_MS);
  expect(isSoundless()).toBe(true);
});

test('[TALK122] the first sound takes it back, and after it a pause is a pause', async () => {
  const { clock, audio, isSoundless, talk } = await open(0);
  await talk();
  await clock.advance(3_000);
  expect(isSoundless()).toBe(true);
  audio.loudness = 0.01;
  await clock.advance(250);
  expect(isSoundless()).toBe(false);
  audio.loudness = 0;
  await clock.advance(10_000);
  expect(isSoundless(), 'what removes noise may cut a pause to nothing').toBe(false);
});

test('[TALK122] a short talk, and the wait for the floor, are told nothing', async () => {
  const { clock, room, signalling, isSoundless, talk } = await open(0);
  await talk();
  await clock.advance(1_500);
  room.release();
  await clock.advance(5_000);
  expect(isSoundless()).toBe(false);
  signalling.emit('floor_changed', floorOf(2, ['bob']));
  signalling.answer('floor_request', ({ seq }) =>
    ok<'floor_request'>({ type: 'queued', channelId: CHANNEL, seq, position: 1, size: 1 }),
  );
  room.press();
  await clock.advance(5_000);
  expect(isSoundless()).toBe(false);
});

test('[TALK122] a talk that is continued in its tail is the same talk', async () => {
  const { clock, audio, room, isSoundless, talk } = await open(0.05);
  await talk();
  await clock.advance(500);
  audio.loudness = 0;
  room.release();
  await clock.advance(100);
  room.press();
  await clock.advance(5_000);
  expect([room.getSnapshot().talk.state, isSoundless()]).toEqual(['talking', false]);
});

test.each([
  ['the browser measures nothing', { isMeasuring: false }],
  ['the measuring stands still', { measured: () => 7 }],
])('[TALK122] where %s nothing is said', async (_name, change) => {
  const { clock, audio, isSoundless, talk } = await open(0);
  Object.assign(audio, change);
  await talk();
  await clock.advance(10_000);
  expect(isSoundless()).toBe(false);
});

test('[TALK122] the level that is shown is read of the same meter', async () => {
  const { clock, room, isSoundless, talk } = await open(0);
  await talk();
  for (let read = 0; read < 20; read += 1) {
    expect(room.level('self' as ParticipantId)).toBe(0);
    await clock.advance(125);
  }
  expect(isSoundless()).toBe(true);
  room.close();
  expect(clock.pending()).toBe(0);
});
