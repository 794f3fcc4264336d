import Papa from 'papaparse';

/** What may stand between two cells; the first wins when the header shows none. */
const DELIMITERS = [';', ',', '\t'] as const;

/**
 * The text of a CSV file: UTF-16 and UTF-8 by their marks, UTF-8 without a mark when it is well-formed, else
 * windows-1252, in which Excel saves in Western Europe.
 */
export function decodeText(bytes: Uint8Array): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return new TextDecoder('utf-16le').decode(bytes);
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return new TextDecoder('utf-16be').decode(bytes);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder('windows-1252').decode(bytes);
  }
}

/** The delimiter that the header has most of, quoted text left out. Excel's own 'sep=;' line says it outright. */
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

/** Every record as cells of text, empty lines included, so that numbers of rows are those of the file. */
export function parseCsv(bytes: Uint8Array): string[][] {
  const text = decodeText(bytes);
  const delimiter = delimiterOf(text);
  const { data } = Papa.parse<string[]>(text, { delimiter });
  // The line that names the delimiter is not shown by Excel: it stays as an empty one, to keep the count.
  if (/^sep=.\r?\n/iu.test(text)) data[0] = [];
  return data;
}
