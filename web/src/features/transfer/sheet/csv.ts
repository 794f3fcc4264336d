import Papa from 'papaparse';
import { AS_FOUND, type ReadOptions } from './sheet.ts';

/** Possible delimiters; the first is the default. */
const DELIMITERS = [';', ',', '\t'] as const;
/** The number of records that tell how many cells a record has. */
const HEAD_RECORDS = 20;

/** A text file as records of cells, with possible faults of its reading. */
export interface CsvTable {
  /** All records, including empty lines, so that their numbers are those of Excel. */
  table: string[][];
  /** The number of lines in the file that aren't empty. */
  lines: number;
  /**
   * The line, from 1, of a quote that is never closed, or that closes so late that a cell holds whole lines of the
   * file. Undefined when there is none.
   */
  strayQuote: number | undefined;
}

/**
 * Decodes a CSV file: UTF-16 or UTF-8 by byte order mark, UTF-8 without one if well-formed, else windows-1252, which
 * Excel uses in Western Europe.
 */
export function decodeText(bytes: Uint8Array, encoding: ReadOptions['encoding'] = 'found'): string {
  if (encoding !== 'found') return new TextDecoder(encoding).decode(bytes);
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return new TextDecoder('utf-16le').decode(bytes);
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return new TextDecoder('utf-16be').decode(bytes);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder('windows-1252').decode(bytes);
  }
}

/** The most frequent delimiter outside quotes in the header, or the one declared by Excel's 'sep=;' line. */
export function delimiterOf(text: string): string {
  const said = /^sep=(.)\r?\n/iu.exec(text)?.[1];
  if (said !== undefined) return said;
  const counts = new Map<string, number>(DELIMITERS.map((delimiter) => [delimiter, 0]));
  let isQuoted = false;
  for (const character of firstRecordOf(text)) {
    if (character === '"') isQuoted = !isQuoted;
    const count = counts.get(character);
    if (!isQuoted && count !== undefined) counts.set(character, count + 1);
  }
  return DELIMITERS.reduce((best, one) => ((counts.get(one) ?? 0) > (counts.get(best) ?? 0) ? one : best));
}

function firstRecordOf(text: string): string {
  const start = text.search(/\S/u);
  if (start === -1) return '';
  let isQuoted = false;
  for (let at = start; at < text.length; at += 1) {
    const character = text[at];
    if (character === '"') isQuoted = !isQuoted;
    if (!isQuoted && (character === '\n' || character === '\r')) return text.slice(start, at);
  }
  return text.slice(start);
}

/** Reads a text file. Never fails: any text is a table of some kind. */
export function parseCsv(bytes: Uint8Array, options: ReadOptions = AS_FOUND): CsvTable {
  // Makes all line ends the same, so that lines are counted alike inside and outside of quotes.
  const text = decodeText(bytes, options.encoding).replace(/\r\n?/gu, '\n');
  const delimiter = options.delimiter === 'found' ? delimiterOf(text) : options.delimiter;
  // NUL stands for no quote at all, because a file with a NUL was refused before.
  const quoteChar = options.quotes === 'letters' ? '\u0000' : '"';
  const { data, errors } = Papa.parse<string[]>(text, { delimiter, quoteChar, newline: '\n' });
  // Excel hides the 'sep=' line; it becomes an empty row here, to keep the numbering.
  if (/^sep=.\n/iu.test(text)) data[0] = [];
  const isUnclosed = errors.some(({ code }) => code === 'MissingQuotes');
  return { table: data, lines: countLines(text), strayQuote: strayQuoteOf(data, delimiter, isUnclosed) };
}

const countLines = (text: string): number => text.match(/\S[^\n]*/gu)?.length ?? 0;

/** Returns the line of the first cell that took in as many separators as a record has, over several lines. */
function strayQuoteOf(table: readonly (readonly string[])[], delimiter: string, isUnclosed: boolean) {
  const separators = Math.max(...table.slice(0, HEAD_RECORDS).map((record) => record.length - 1));
  let line = 1;
  for (const [index, record] of table.entries()) {
    const isCut = isUnclosed && index === table.length - 1;
    for (const cell of record) {
      const breaks = countOf(cell, '\n');
      if (breaks > 0 && (isCut || countOf(cell, delimiter) >= separators)) return line;
      line += breaks;
    }
    if (isCut) return line;
    line += 1;
  }
  return undefined;
}

const countOf = (text: string, part: string): number => text.split(part).length - 1;
