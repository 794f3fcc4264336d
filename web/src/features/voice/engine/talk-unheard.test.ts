import { expect, test } from 'vitest';
import { settle } from '#test/fake-clock.ts';
import { denied, granted, holdAnswers, queued, sent } from '#test/floor-replies.ts';
import { type Bench, floorOf, openRoom } from '#test/voice-bench.ts';
import { ANSWER_WAIT_MS, UNHEARD_SHOWN_MS } from './talk-control.ts';

/** The tone for a talk that nobody heard, as the fake web audio writes it. */
const UNHEARD = '392,294,196';

const talk = ({ room }: Bench) => room.getSnapshot().talk;

test('[TALK83] a press without an answer for a second says so, and goes on if the answer comes', async () => {
  const bench = await openRoom();
  const answer = holdAnswers(bench);
  bench.room.press();
  await bench.clock.advance(ANSWER_WAIT_MS - 1);
  expect(talk(bench)).toMatchObject({ state: 'asking', late: false });
  await bench.clock.advance(1);
  expect(talk(bench)).toMatchObject({ state: 'asking', open: true, late: true });
  expect(bench.isMicOpen()).toBe(true);
  await answer(granted({ seq: 1 }));
  expect(talk(bench).state).toBe('talking');
  bench.room.release();
  await bench.clock.advance(200);
  expect(talk(bench)).toEqual({ state: 'idle' });
  expect(bench.audio.tones).not.toContain(UNHEARD);
});

test.each([
  ['an open microphone', []],
  ['a taken floor', ['bob']],
])('[TALK84] a press that ends without an answer, with %s: says that nobody heard it', async (_name, talkers) => {
  const bench = await openRoom({ others: ['bob'] });
  bench.signalling.emit('floor_changed', floorOf(2, talkers));
  holdAnswers(bench);
  bench.room.press();
  await bench.clock.advance(2_500);
  bench.room.release();
  await bench.clock.advance(200);
  expect(bench.isMicOpen()).toBe(false);
  expect(talk(bench)).toEqual({ state: 'unheard' });
  expect(bench.audio.tones.slice(-1)).toEqual([UNHEARD]);
  expect(sent(bench)).toEqual(['request 1', 'release 2']);
  await bench.clock.advance(UNHEARD_SHOWN_MS);
  expect(talk(bench)).toEqual({ state: 'idle' });
});

test('[TALK84] a window that loses the focus meanwhile does not take the word away', async () => {
  const bench = await openRoom();
  holdAnswers(bench);
  bench.room.press();
  await bench.clock.advance(1_500);
  bench.room.stop();
  bench.room.stop();
  expect(talk(bench)).toEqual({ state: 'unheard' });
});

test.each([
  ['granted', 'idle', granted],
  ['denied', 'unheard', denied],
  ['queued', 'unheard', queued],
  ['lost', 'unheard', () => 'lost' as const],
] as const)('[TALK84] a short press whose answer comes after its end, %s: %s', async (_name, shown, reply) => {
  const bench = await openRoom();
  const answer = holdAnswers(bench);
  bench.room.press();
  await bench.clock.advance(100);
  bench.room.release();
  await bench.clock.advance(200);
  expect(talk(bench)).toEqual({ state: 'idle' });
  await answer(reply({ seq: 1 }));
  await bench.clock.advance(1_000);
  expect(talk(bench)).toEqual({ state: shown });
  expect(bench.audio.tones.filter((tone) => tone === UNHEARD)).toHaveLength(shown === 'unheard' ? 1 : 0);
  expect(bench.isMicOpen()).toBe(false);
});

test('[TALK84] a short press that is never answered says so a second after it began', async () => {
  const bench = await openRoom();
  holdAnswers(bench);
  bench.room.press();
  bench.room.release();
  await bench.clock.advance(ANSWER_WAIT_MS);
  expect(talk(bench)).toEqual({ state: 'unheard' });
  holdAnswers(bench);
  bench.room.press();
  expect(talk(bench)).toMatchObject({ state: 'asking', late: false });
});

test('[TALK84] a link that is lost before the answer: nobody heard, whether still pressed or not', async () => {
  const bench = await openRoom();
  holdAnswers(bench);
  bench.room.press();
  bench.signalling.setLink('down');
  expect(talk(bench)).toMatchObject({ state: 'denied', reason: 'unanswered' });
  bench.room.release();
  bench.signalling.setLink('up');
  await settle();
  bench.room.press();
  bench.room.release();
  bench.signalling.setLink('down');
  expect(talk(bench)).toEqual({ state: 'unheard' });
  expect(bench.audio.tones).toEqual([UNHEARD, UNHEARD]);
  bench.room.close();
  await bench.clock.advance(1_000);
  expect(bench.clock.pending()).toBe(0);
});
