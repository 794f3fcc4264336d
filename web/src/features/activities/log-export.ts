import type { AnswerStream } from '#src/shared/api/api.ts';
import { createListeners } from '#src/shared/listeners.ts';
import { saveFile } from '#src/shared/save-file.ts';
import type { SnapshotSource } from '#src/shared/use-snapshot.ts';
import type { LogWorkbookWords } from './log-columns.ts';
import type { FromLogWorker, ToLogWorker } from './log-worker.ts';

/** `total` is undefined until the server has said it. */
export type ExportProgress = { done: number; total: number | undefined } & (
  | { phase: 'running' | 'saving' | 'finished' | 'cancelled' }
  | { phase: 'failed'; error: unknown }
);

export const isUnderWay = ({ phase }: ExportProgress): boolean => phase === 'running' || phase === 'saving';

export interface LogExport extends SnapshotSource<ExportProgress> {
  /** Cancels the export; nothing of the file stays. */
  cancel(): void;
}

export interface LogExportDeps {
  open: (signal: AbortSignal) => Promise<AnswerStream>;
  file: LogFile;
}

/** The stream ended before all entries had come. */
export class ExportCutShort extends Error {
  override readonly name = 'ExportCutShort';
}

/** React rerenders at most this often, ms. */
const TELL_MS = 100;

/** Starts an export: from the server's stream to a file, no faster than the file takes it. */
export function startLogExport({ open, file }: LogExportDeps): LogExport {
  const listeners = createListeners();
  const stop = new AbortController();
  let progress: ExportProgress = { phase: 'running', done: 0, total: undefined };
  let toldAt = 0;
  const tell = (next: ExportProgress, isUrgent = true) => {
    progress = next;
    if (!isUrgent && performance.now() - toldAt < TELL_MS) return;
    toldAt = performance.now();
    listeners.notify();
  };

  const run = async () => {
    const { total, parts } = await open(stop.signal);
    tell({ phase: 'running', done: 0, total });
    for await (const part of parts) {
      const done = await file.write(part);
      stop.signal.throwIfAborted();
      tell({ phase: 'running', done, total }, false);
    }
    // The last line, which may have no end, is counted when the file is finished.
    if (total !== undefined && progress.done < total) throw new ExportCutShort();
    tell({ ...progress, phase: 'saving' });
    await file.finish();
    tell({ ...progress, phase: 'finished' });
  };
  run().catch((error: unknown) => {
    const { done, total } = progress;
    tell(stop.signal.aborted ? { phase: 'cancelled', done, total } : { phase: 'failed', done, total, error });
    return file.drop().catch(() => undefined);
  });

  return {
    cancel: () => stop.abort(),
    getSnapshot: () => progress,
    subscribe: (listener) => listeners.add(listener),
  };
}

/** The target of an export. */
interface LogFile {
  /** Writes the next part, once the one before is done. Returns how many entries the file has by now. */
  write(part: Uint8Array<ArrayBuffer>): Promise<number>;
  /** Completes the file. */
  finish(): Promise<void>;
  /** Discards the file; nothing of it stays. */
  drop(): Promise<void>;
}

/** Counts the entries in a CSV so far: lines outside of quotes, without the header (RFC 4180). */
export function createLineCounter(): (part: Uint8Array) => number {
  const [quote, newLine] = [0x22, 0x0a];
  let isQuoted = false;
  let lines = 0;
  return (part) => {
    for (const byte of part) {
      if (byte === quote) isQuoted = !isQuoted;
      else if (byte === newLine && !isQuoted) lines += 1;
    }
    return Math.max(0, lines - 1);
  };
}

/** The part of File System Access that is used here; TypeScript's library has no picker. */
interface FilePicker {
  showSaveFilePicker?: (options: { suggestedName: string }) => Promise<{
    createWritable(): Promise<{
      write(part: Uint8Array<ArrayBuffer>): Promise<void>;
      close(): Promise<void>;
      abort(): Promise<void>;
    }>;
  }>;
}

/**
 * Opens a file that is written part by part: straight to the disk where the browser can, else kept and downloaded at
 * the end.
 * @returns undefined when the user chose no file
 */
export async function openTextFile(name: string, picker = globalThis as FilePicker): Promise<LogFile | undefined> {
  const count = createLineCounter();
  if (picker.showSaveFilePicker !== undefined) {
    try {
      const disk = await (await picker.showSaveFilePicker({ suggestedName: name })).createWritable();
      return {
        async write(part) {
          await disk.write(part);
          return count(part);
        },
        finish: () => disk.close(),
        drop: () => disk.abort(),
      };
    } catch (cause) {
      if (cause instanceof DOMException && cause.name === 'AbortError') return undefined;
      // Forbidden here, such as in a frame. Goes on as if the browser had no picker.
    }
  }
  const parts: Uint8Array<ArrayBuffer>[] = [];
  return {
    async write(part) {
      parts.push(part);
      return count(part);
    },
    async finish() {
      saveFile(new Blob(parts, { type: 'text/csv' }), name);
    },
    async drop() {
      parts.length = 0;
    },
  };
}

/** Opens a workbook, made in a worker and downloaded at the end. */
export async function openWorkbook(name: string, words: LogWorkbookWords): Promise<LogFile> {
  const worker = new Worker(new URL('./log-worker.ts', import.meta.url), { type: 'module' });
  let isBroken = false;
  // One question at a time: each part waits for the answer to the one before.
  let waiting: { resolve(answer: NonNullable<FromLogWorker>): void; reject(error: Error): void } | undefined;
  const fail = () => {
    isBroken = true;
    waiting?.reject(new Error('The workbook could not be written.'));
  };
  worker.addEventListener('error', fail);
  worker.addEventListener('message', ({ data }: MessageEvent<FromLogWorker>) =>
    data === null ? fail() : waiting?.resolve(data),
  );
  const ask = (message: ToLogWorker, transfer: Transferable[] = []) =>
    new Promise<NonNullable<FromLogWorker>>((resolve, reject) => {
      waiting = { resolve, reject };
      if (isBroken) fail();
      else worker.postMessage(message, transfer);
    });
  await ask({ words });
  return {
    async write(part) {
      const answer = await ask({ part }, [part.buffer]);
      return 'rows' in answer ? answer.rows : 0;
    },
    async finish() {
      const answer = await ask('end');
      worker.terminate();
      if ('file' in answer) saveFile(answer.file, name);
    },
    async drop() {
      worker.terminate();
    },
  };
}
