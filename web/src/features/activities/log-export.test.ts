// @vitest-environment node
import { unzipSync } from 'fflate/browser';
import { describe, expect, test, vi } from 'vitest';
import { activityOf } from '#test/log-double.ts';
import { SHEET_COLUMNS } from './log-columns.ts';
import {
  createLineCounter,
  ExportCutShort,
  type ExportProgress,
  type LogExport,
  openTextFile,
  startLogExport,
} from './log-export.ts';
import { createLogSheet, createLogWorkbook } from './log-sheet.ts';

const bytesOf = (text: string) => new TextEncoder().encode(text);
const textsOf = async (file: Blob): Promise<Record<string, string>> => {
  const files = unzipSync(new Uint8Array(await file.arrayBuffer()));
  return Object.fromEntries(Object.entries(files).map(([path, bytes]) => [path, new TextDecoder().decode(bytes)]));
};
const cellsOf = (xml = '') =>
  [...xml.matchAll(/<row>(.*?)<\/row>/gsu)].map(([, row = '']) =>
    [...row.matchAll(/<c s="\d"(?:\/>| t="inlineStr"><is><t xml:space="preserve">(.*?)<\/t>)/gsu)].map(
      ([, text = '']) => text,
    ),
  );

describe('[LOGS14] the workbook', () => {
  test('has every entry as text, wherever the stream was cut', async () => {
    const acts = new Proxy({}, { get: (_, type) => `act ${String(type)}` }) as never;
    const entries = [
      activityOf(2, { user: { id: activityOf(1).id, firstName: '', display_name: '=1+1 & <b> 🎧' } }),
      activityOf(1, { type: 'user_export', channel: null, details: { count: 3 } }),
    ];
    const workbook = createLogWorkbook({
      sheet: 'Journal',
      header: [...SHEET_COLUMNS],
      acts,
      timeZone: 'Europe/Paris',
    });
    const bytes = bytesOf(entries.map((entry) => `${JSON.stringify(entry)}\n`).join(''));
    let count = 0;
    for (let at = 0; at < bytes.length; at += 7) count = workbook.add(bytes.slice(at, at + 7));
    expect(count).toBe(2);
    const files = await textsOf(workbook.end());
    expect(Object.keys(files)).toEqual(
      expect.arrayContaining(['[Content_Types].xml', '_rels/.rels', 'xl/workbook.xml']),
    );
    expect(files['xl/workbook.xml']).toContain('<sheet name="Journal" ');
    const [header, first, second] = cellsOf(files['xl/worksheets/sheet1.xml']);
    expect(header).toEqual([...SHEET_COLUMNS]);
    expect(first?.slice(0, 5)).toEqual([
      '2026-11-01 03:00:00',
      'act message_send',
      '=1+1 &amp; &lt;b&gt; 🎧',
      '',
      'Canal 2',
    ]);
    expect(second?.slice(4, 8)).toEqual(['', '{&quot;count&quot;:3}', '', 'user_export']);
  });

  test('goes on in another sheet where one is full', async () => {
    const sheet = createLogSheet({ name: 'Log', header: ['n'], widths: [9], maxRows: 3 });
    for (let n = 1; n <= 5; n += 1) sheet.addRow([String(n)]);
    const files = await textsOf(sheet.end());
    expect(cellsOf(files['xl/worksheets/sheet1.xml'])).toEqual([['n'], ['1'], ['2']]);
    expect(cellsOf(files['xl/worksheets/sheet3.xml'])).toEqual([['n'], ['5']]);
    expect(files['xl/workbook.xml']).toContain('<sheet name="Log 3" sheetId="3" r:id="rId3"/>');
    expect(files['[Content_Types].xml']).toContain('/xl/worksheets/sheet3.xml');
  });

  test('refuses what is no entry', () => {
    const workbook = createLogWorkbook({ sheet: 'x', header: [], acts: {} as never, timeZone: 'UTC' });
    expect(() => workbook.add(bytesOf('{"type":"login"}\n'))).toThrow();
  });
});

test('[LOGS14] lines within quotes are no entries', () => {
  const count = createLineCounter();
  expect(count(bytesOf('a,b\r\n'))).toBe(0);
  expect(count(bytesOf('1,"x\r\n'))).toBe(0);
  expect(count(bytesOf('y ""z"""\r\n2,'))).toBe(1);
  expect(count(bytesOf('w\r\n'))).toBe(2);
});

describe('[LOGS13] an export', () => {
  const fileDouble = () => {
    const written: string[] = [];
    return {
      written,
      write: vi.fn(async (part: Uint8Array) => written.push(new TextDecoder().decode(part))),
      finish: vi.fn(async () => {}),
      drop: vi.fn(async () => {}),
    };
  };
  async function* partsOf(...texts: string[]) {
    for (const text of texts) yield bytesOf(text);
  }
  const until = (run: LogExport, phase: ExportProgress['phase']) =>
    vi.waitFor(() => expect(run.getSnapshot().phase).toBe(phase));

  test('writes part by part, tells how far it is, and finishes', async () => {
    const file = fileDouble();
    const run = startLogExport({ file, open: async () => ({ total: 2, parts: partsOf('a', 'b') }) });
    await until(run, 'finished');
    expect(file.written).toEqual(['a', 'b']);
    expect(run.getSnapshot()).toEqual({ phase: 'finished', done: 2, total: 2 });
    expect(file.drop).not.toHaveBeenCalled();
  });

  test('cancelled, it ends the connection and leaves no file', async () => {
    const file = fileDouble();
    let signal: AbortSignal | undefined;
    const run = startLogExport({
      file,
      open: async (given) => {
        signal = given;
        const stopped = new Promise<never>((_, reject) => given.addEventListener('abort', () => reject(given.reason)));
        return {
          total: 9,
          parts: (async function* () {
            yield bytesOf('a');
            await stopped;
          })(),
        };
      },
    });
    await vi.waitFor(() => expect(run.getSnapshot().done).toBe(1));
    run.cancel();
    await until(run, 'cancelled');
    expect(signal?.aborted).toBe(true);
    expect(file.drop).toHaveBeenCalledOnce();
    expect(file.finish).not.toHaveBeenCalled();
  });

  test('that ends before all entries came is no export', async () => {
    const file = fileDouble();
    const run = startLogExport({ file, open: async () => ({ total: 3, parts: partsOf('a') }) });
    await until(run, 'failed');
    expect(run.getSnapshot()).toMatchObject({ error: expect.any(ExportCutShort), done: 1, total: 3 });
    expect(file.finish).not.toHaveBeenCalled();
    expect(file.drop).toHaveBeenCalledOnce();
  });

  test('goes straight to the disk where the browser can; no choice of a file is no export', async () => {
    const disk = { write: vi.fn(async () => {}), close: vi.fn(async () => {}), abort: vi.fn(async () => {}) };
    const file = await openTextFile('log.csv', {
      showSaveFilePicker: async () => ({ createWritable: async () => disk }),
    });
    expect(await file?.write(bytesOf('a\r\n1\r\n'))).toBe(1);
    await file?.finish();
    expect(disk.close).toHaveBeenCalledOnce();
    const cancelled = new DOMException('', 'AbortError');
    expect(await openTextFile('log.csv', { showSaveFilePicker: () => Promise.reject(cancelled) })).toBeUndefined();
  });
});
