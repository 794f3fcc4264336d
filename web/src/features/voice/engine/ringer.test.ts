import { expect, test } from 'vitest';
import { createFakeAudio } from '#test/fake-audio.ts';
import { createFakeClock } from '#test/fake-clock.ts';
import { createRinger } from './web-audio.ts';

test('[RING14] it rings until it is told otherwise, and plays nothing before', async () => {
  const clock = createFakeClock();
  const audio = createFakeAudio();
  const ringer = createRinger({ clock, sound: audio.webAudio });
  ringer.sound(null);
  expect(audio.tones).toEqual([]);
  ringer.sound('incoming');
  await clock.advance(6_500);
  expect(audio.tones).toHaveLength(3);
  ringer.sound('over');
  await clock.advance(10_000);
  expect([audio.tones.length, clock.pending()]).toEqual([4, 0]);
  ringer.sound('outgoing');
  expect(clock.pending()).toBe(1);
  ringer.close();
  ringer.sound('incoming');
  expect(clock.pending()).toBe(0);
});

test('[RING14] a page that was not touched when it rang first rings once it was', async () => {
  const clock = createFakeClock();
  const audio = createFakeAudio();
  audio.setRunning(false);
  audio.isBlocked = true;
  const ringer = createRinger({ clock, sound: audio.webAudio });
  ringer.sound('incoming');
  expect(audio.webAudio.isBlocked()).toBe(true);
  audio.isBlocked = false;
  await clock.advance(3_500);
  expect(audio.webAudio.isBlocked()).toBe(false);
  ringer.close();
});
