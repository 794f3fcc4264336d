import type { TextSheet } from './transfer-sheets.ts';
import { makeWorkbook } from './workbook.ts';

/** Makes workbooks in a worker: one message with the sheets, one answer with the file. */
self.addEventListener('message', async (event: MessageEvent<readonly TextSheet[]>) => {
  try {
    self.postMessage(await makeWorkbook(event.data));
  } catch {
    self.postMessage(null);
  }
});
