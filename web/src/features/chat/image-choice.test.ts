import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { PrepareImage } from '#src/shared/images/prepare.ts';
import type { ImageFault, Preparation } from '#src/shared/images/shrink.ts';
import { openImageChoice, SIZE_FAULT_MS } from './image-choice.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const file = (name: string) => new File(['x'], name);
const READY: Preparation = { ok: true, image: { blob: new Blob(['x']), width: 2, height: 1 } };
const settle = () => vi.advanceTimersByTimeAsync(0);

test.each<[ImageFault, boolean]>([
  ['size', false],
  ['type', true],
  ['animated', true],
  ['unreadable', true],
])('[CHATS40] a fault «%s» stays until another image is chosen: %s', async (fault, stays) => {
  const choice = openImageChoice(async () => ({ ok: false, fault }));
  choice.take([file('a.png')]);
  await settle();
  expect(choice.getSnapshot()).toEqual({ state: 'empty', fault });
  await vi.advanceTimersByTimeAsync(SIZE_FAULT_MS);
  expect(choice.getSnapshot()).toEqual({ state: 'empty', fault: stays ? fault : undefined });
});

test('[CHATS40] of several files none is taken', () => {
  const choice = openImageChoice(async () => READY);
  choice.take([file('a.png'), file('b.png')]);
  expect(choice.getSnapshot()).toEqual({ state: 'empty', fault: 'many' });
});

test('[CHATS40] the last chosen one counts, whichever is ready first', async () => {
  const answers: ((answer: Preparation) => void)[] = [];
  const prepare: PrepareImage = () => new Promise((resolve) => answers.push(resolve));
  const choice = openImageChoice(prepare);
  choice.take([file('first.png')]);
  choice.take([file('second.png')]);
  answers[1]?.(READY);
  await settle();
  answers[0]?.({ ok: false, fault: 'unreadable' });
  await settle();
  expect(choice.getSnapshot()).toMatchObject({ state: 'ready', name: 'second.png' });
});
