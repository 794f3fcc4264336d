import Papa from 'papaparse';

/** Possible delimiters; the first is the default. */
const DELIMITERS = [';', ',', '\t'] as const;

/**
 * Decodes a CSV file: UTF-16 or UTF-8 by byte order mark, UTF-8 without one if well-formed, else windows-1252, which
 * Excel uses in Western Europe.
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

/** All records as text cells, including empty lines, so that row numbers match the file. */
export function parseCsv(bytes: Uint8Array): string[][] {
  const text = decodeText(bytes);
  const delimiter = delimiterOf(text);
  const { data } = Papa.parse<string[]>(text, { delimiter });
  // Excel hides the 'sep=' line; it becomes an empty row here, to keep the numbering.
  if (/^sep=.\r?\n/iu.test(text)) data[0] = [];
  return data;
}
