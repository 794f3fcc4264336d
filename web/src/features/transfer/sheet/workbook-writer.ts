import type { TextSheet } from './transfer-sheets.ts';

const WRITE_MAX_MS = 60_000;

/** Makes a workbook in a worker. */
export async function writeWorkbook(sheets: readonly TextSheet[]): Promise<Blob> {
  const worker = new Worker(new URL('./workbook-worker.ts', import.meta.url), { type: 'module' });
  try {
    return await new Promise<Blob>((resolve, reject) => {
      const fail = () => reject(new Error('The workbook could not be written.'));
      const timer = setTimeout(fail, WRITE_MAX_MS);
      worker.addEventListener('message', (event: MessageEvent<Blob | null>) => {
        clearTimeout(timer);
        if (event.data === null) fail();
        else resolve(event.data);
      });
      worker.addEventListener('error', fail);
      worker.postMessage(sheets);
    });
  } finally {
    worker.terminate();
  }
}
