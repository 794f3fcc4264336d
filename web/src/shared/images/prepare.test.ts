import { expect, test } from 'vitest';
import { createPreparer } from './prepare.ts';
import type { Preparation } from './shrink.ts';

const READY: Preparation = { ok: true, image: { blob: new Blob(['x']), width: 2, height: 1 } };
const HERE: Preparation = { ok: true, image: { blob: new Blob(['y']), width: 4, height: 2 } };

function start(act: (worker: EventTarget) => void) {
  let isTerminated = false;
  class WorkerDouble extends EventTarget {
    postMessage = () => act(this);
    terminate = () => {
      isTerminated = true;
    };
  }
  const openWorker = () => new WorkerDouble() as unknown as Worker;
  const prepare = createPreparer({ openWorker, prepareHere: async () => HERE, maxMs: 20 });
  return { prepare, isTerminated: () => isTerminated };
}

test('[CHATS42] an image is prepared in a worker, which ends with it', async () => {
  const { prepare, isTerminated } = start((worker) =>
    worker.dispatchEvent(new MessageEvent('message', { data: READY })),
  );
  expect(await prepare(new Blob(), new AbortController().signal)).toBe(READY);
  expect(isTerminated()).toBe(true);
});

test('[CHATS42] without a link the worker has no code: the page does it', async () => {
  const { prepare, isTerminated } = start((worker) => worker.dispatchEvent(new Event('error')));
  expect(await prepare(new Blob(), new AbortController().signal)).toBe(HERE);
  expect(isTerminated()).toBe(true);
});

test('[CHATS42] one that takes too long, or is not wanted any more, ends', async () => {
  const { prepare, isTerminated } = start(() => {});
  expect(await prepare(new Blob(), new AbortController().signal)).toEqual({ ok: false, fault: 'unreadable' });
  expect(isTerminated()).toBe(true);
  const ending = new AbortController();
  const cancelled = start(() => ending.abort());
  expect(await cancelled.prepare(new Blob(), ending.signal)).toEqual({ ok: false, fault: 'unreadable' });
});
