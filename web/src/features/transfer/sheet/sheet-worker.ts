import { readSheets } from './read-sheet.ts';
import { SheetError, type SheetReading, type SheetRequest } from './sheet.ts';

/** Reads files in a worker: one message with the bytes and how to read them, one answer. */
self.addEventListener('message', async ({ data }: MessageEvent<SheetRequest>) => {
  let reading: SheetReading;
  try {
    reading = { ok: true, sheets: await readSheets(data.bytes, data.options) };
  } catch (error) {
    reading = { ok: false, fault: error instanceof SheetError ? error.fault : 'unreadable' };
  }
  self.postMessage(reading);
});
