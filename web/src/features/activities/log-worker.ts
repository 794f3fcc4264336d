import type { LogWorkbookWords } from './log-columns.ts';
import { createLogWorkbook, type LogWorkbook } from './log-sheet.ts';

/** The messages to the worker; it answers each once. */
export type ToLogWorker = { words: LogWorkbookWords } | { part: Uint8Array<ArrayBuffer> } | 'end';
/** `rows`: how many there are so far. Null: the worker failed. */
export type FromLogWorker = { rows: number } | { file: Blob } | null;

let workbook: LogWorkbook | undefined;

function answer(message: ToLogWorker): FromLogWorker {
  if (message === 'end') return workbook === undefined ? null : { file: workbook.end() };
  if ('part' in message) return workbook === undefined ? null : { rows: workbook.add(message.part) };
  workbook = createLogWorkbook(message.words);
  return { rows: 0 };
}

/** Makes the workbook of the log away from the page. */
self.addEventListener('message', (event: MessageEvent<ToLogWorker>) => {
  try {
    self.postMessage(answer(event.data));
  } catch {
    self.postMessage(null);
  }
});
