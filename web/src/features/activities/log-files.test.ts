import { afterEach, expect, test, vi } from 'vitest';
import type { LogWorkbookWords } from './log-columns.ts';
import { openWorkbook } from './log-export.ts';
import type { FromLogWorker, ToLogWorker } from './log-worker.ts';

afterEach(() => vi.unstubAllGlobals());

/** Replaces the worker of an export by a fake that counts its listeners. */
function stubLogWorker(answer: (message: ToLogWorker) => FromLogWorker | 'crash') {
  let listening = 0;
  class Counting extends EventTarget {
    override addEventListener(...args: Parameters<EventTarget['addEventListener']>): void {
      listening += 1;
      super.addEventListener(...args);
    }
    override removeEventListener(...args: Parameters<EventTarget['removeEventListener']>): void {
      listening -= 1;
      super.removeEventListener(...args);
    }
    async postMessage(message: ToLogWorker): Promise<void> {
      const data = answer(message);
      this.dispatchEvent(data === 'crash' ? new Event('error') : new MessageEvent('message', { data }));
    }
    terminate(): void {}
  }
  vi.stubGlobal('Worker', Counting);
  return () => listening;
}
const part = () => new Uint8Array(8);
const WORDS = {} as LogWorkbookWords;

test('a long export listens to its worker no more often than a short one', async () => {
  let rows = 0;
  const listening = stubLogWorker((message) => ({
    rows: typeof message === 'object' && 'part' in message ? ++rows : 0,
  }));
  const file = await openWorkbook('log.xlsx', WORDS);
  const few = listening();
  for (let count = 1; count <= 2_000; count += 1) expect(await file.write(part())).toBe(count);
  expect(listening()).toBe(few);
});

test('a part that the worker can’t write, or crashes over, fails', async () => {
  const answers: (FromLogWorker | 'crash')[] = [{ rows: 0 }, null, 'crash'];
  stubLogWorker(() => answers.shift() ?? null);
  const file = await openWorkbook('log.xlsx', WORDS);
  await expect(file.write(part())).rejects.toThrow('could not be written');
  await expect(file.write(part())).rejects.toThrow('could not be written');
});
