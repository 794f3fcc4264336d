import type { AnswerStream } from '#src/shared/api/api.ts';
import { createListeners } from '#src/shared/listeners.ts';
import type { SnapshotSource } from '#src/shared/use-snapshot.ts';
import type { LogFile } from './log-files.ts';

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
