import { IMPORT_FILE_MAX_BYTES } from '@pressel/contract/limits';
import { expect, test } from 'vitest';
import { AS_FOUND, type SheetReading } from './sheet.ts';
import { createSheetReader } from './sheet-reader.ts';

/** A fake worker with a given answer, or none. */
class FakeWorker extends EventTarget {
  isTerminated = false;
  readonly answer: SheetReading | undefined;

  constructor(answer?: SheetReading) {
    super();
    this.answer = answer;
  }
  postMessage(): void {
    if (this.answer) this.dispatchEvent(new MessageEvent('message', { data: this.answer }));
  }
  terminate(): void {
    this.isTerminated = true;
  }
}

const file = new File(['name\nNord'], 'x.csv');
const readerOf = (worker: FakeWorker, maxMs = 1_000) =>
  createSheetReader({ openWorker: () => worker as unknown as Worker, maxMs });

test('a worker ends with the file it has read', async () => {
  const sheets = [{ name: '', sheet: { headers: ['name'], rows: [] } }];
  const worker = new FakeWorker({ ok: true, sheets });
  expect(await readerOf(worker)(file, AS_FOUND, new AbortController().signal)).toEqual({ ok: true, sheets });
  expect(worker.isTerminated).toBe(true);
});

test('a file that takes too long is given up, and its worker with it', async () => {
  const worker = new FakeWorker();
  expect(await readerOf(worker, 5)(file, AS_FOUND, new AbortController().signal)).toEqual({
    ok: false,
    fault: 'too_slow',
  });
  expect(worker.isTerminated).toBe(true);
});

test('stopping ends the worker at once', async () => {
  const worker = new FakeWorker();
  const stop = new AbortController();
  const reading = readerOf(worker)(file, AS_FOUND, stop.signal);
  stop.abort();
  expect((await reading).ok).toBe(false);
  expect(worker.isTerminated).toBe(true);
});

test('a file that is too large is not even opened', async () => {
  const large = new File([], 'x.xlsx');
  Object.defineProperty(large, 'size', { value: IMPORT_FILE_MAX_BYTES + 1 });
  const read = createSheetReader({
    openWorker: () => {
      throw new Error('opened');
    },
  });
  expect(await read(large, AS_FOUND, new AbortController().signal)).toEqual({ ok: false, fault: 'too_large' });
});
