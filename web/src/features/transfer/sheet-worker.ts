import { readSheets } from './read-sheet.ts';
import { SheetError, type SheetReading } from './sheet.ts';

/** Reads files in a worker: one message with the bytes, one answer. */
self.addEventListener('message', async (event: MessageEvent<Uint8Array<ArrayBuffer>>) => {
  let reading: SheetReading;
  try {
    reading = { ok: true, sheets: await readSheets(event.data) };
  } catch (error) {
    reading = { ok: false, fault: error instanceof SheetError ? error.fault : 'unreadable' };
  }
  self.postMessage(reading);
});
