import { IMPORT_FILE_MAX_BYTES } from '@pressel/contract/limits';
import type { ReadOptions, SheetReading, SheetRequest } from './sheet.ts';

/** Time limit for reading a file; ten thousand rows take about a second. */
export const READ_MAX_MS = 20_000;

export type SheetReader = (file: Blob, options: ReadOptions, signal: AbortSignal) => Promise<SheetReading>;

export interface SheetReaderDeps {
  openWorker: () => Worker;
  maxMs?: number;
}

/** Reads each file in a worker of its own, which is terminated afterwards: a hanging file doesn't block the page. */
export function createSheetReader({ openWorker, maxMs = READ_MAX_MS }: SheetReaderDeps): SheetReader {
  return async (file, options, signal) => {
    if (file.size > IMPORT_FILE_MAX_BYTES) return { ok: false, fault: 'too_large' };
    let bytes: Uint8Array<ArrayBuffer>;
    try {
      bytes = new Uint8Array(await file.arrayBuffer());
    } catch {
      // The file was moved, changed or deleted since it was chosen.
      return { ok: false, fault: 'unreadable' };
    }
    const worker = openWorker();
    try {
      return await new Promise<SheetReading>((resolve) => {
        const timer = setTimeout(() => resolve({ ok: false, fault: 'too_slow' }), maxMs);
        const end = (reading: SheetReading): void => {
          clearTimeout(timer);
          resolve(reading);
        };
        worker.addEventListener('message', (event: MessageEvent<SheetReading>) => end(event.data));
        worker.addEventListener('error', () => end({ ok: false, fault: 'unreadable' }));
        const stop = () => end({ ok: false, fault: 'unreadable' });
        // The user may have stopped it while its bytes were read.
        if (signal.aborted) stop();
        signal.addEventListener('abort', stop);
        worker.postMessage({ bytes, options } satisfies SheetRequest, [bytes.buffer]);
      });
    } finally {
      worker.terminate();
    }
  };
}

/** The reader with a real worker. */
export const browserSheetReader = (): SheetReader =>
  createSheetReader({
    openWorker: () => new Worker(new URL('./sheet-worker.ts', import.meta.url), { type: 'module' }),
  });
