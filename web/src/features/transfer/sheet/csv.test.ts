// @vitest-environment node
import { describe, expect, test } from 'vitest';
import { decodeText, delimiterOf, parseCsv } from './csv.ts';
import { AS_FOUND } from './sheet.ts';

const utf8 = (text: string) => new TextEncoder().encode(text);
const utf16 = (text: string, isLittle: boolean) => {
  const bytes = new Uint8Array(2 + text.length * 2);
  const view = new DataView(bytes.buffer);
  view.setUint16(0, 0xfeff, isLittle);
  for (let at = 0; at < text.length; at += 1) view.setUint16(2 + at * 2, text.charCodeAt(at), isLittle);
  return bytes;
};

describe('the text of a CSV file', () => {
  test.each([
    ['UTF-8', utf8('Léa;Ümit;🎧')],
    ['UTF-8 with its mark', utf8('\ufeffLéa;Ümit;🎧')],
    ['UTF-16, little end first', utf16('Léa;Ümit;🎧', true)],
    ['UTF-16, big end first', utf16('Léa;Ümit;🎧', false)],
  ])('is read in %s', (_, bytes) => {
    expect(decodeText(bytes)).toBe('Léa;Ümit;🎧');
  });

  test('is windows-1252 when it is not UTF-8, as Excel saves it', () => {
    expect(decodeText(Uint8Array.of(0x4c, 0xe9, 0x61, 0x3b, 0x80))).toBe('Léa;€');
  });
});

describe('the delimiter', () => {
  test.each([
    ['a;b,c;d', ';'],
    ['a,b,c', ','],
    ['a\tb\tc', '\t'],
    ['"a;b;c",d', ','],
    ['name', ';'],
    ['\n\na,b', ','],
    ['sep=|\na|b', '|'],
    ['"two\nlines, really",x\n1;2;3', ','],
  ])('of %j is %j', (text, delimiter) => {
    expect(delimiterOf(text)).toBe(delimiter);
  });
});

test('quotes, line breaks in cells, empty lines and the line that names the delimiter keep their places', () => {
  const { table, strayQuote } = parseCsv(utf8('sep=,\r\na,b\r\n"x ""y"", z","two\r\nlines"\r\n\r\n007,=1+1\r\n'));
  expect(strayQuote).toBeUndefined();
  expect(table).toEqual([[], ['a', 'b'], ['x "y", z', 'two\nlines'], [''], ['007', '=1+1'], ['']]);
});

describe('[IMP22] a quote that swallows lines', () => {
  const people = (quoted: number, text: string) =>
    [
      'Nom;Prénom;Login',
      ...Array.from({ length: 200 }, (_, at) => `N${at};${at === quoted ? text : 'P'};${at}@x.org`),
    ].join('\n');

  test('is named by its line when it is never closed, and read as a letter when asked', () => {
    const bytes = utf8(people(50, '"Léa'));
    const { table, lines, strayQuote } = parseCsv(bytes);
    expect({ records: table.length, lines, strayQuote }).toEqual({ records: 52, lines: 201, strayQuote: 52 });
    const letters = parseCsv(bytes, { ...AS_FOUND, quotes: 'letters' });
    expect(letters.table).toHaveLength(201);
    expect(letters.table[51]).toEqual(['N50', '"Léa', '50@x.org']);
    expect(letters.strayQuote).toBeUndefined();
  });

  test('is named when another stray quote closes it some lines below', () => {
    expect(parseCsv(utf8(people(50, '"Léa').replace('N52;P', 'N52;P"'))).strayQuote).toBe(52);
  });

  test('is named on the last line, and not seen in a cell of two lines', () => {
    expect(parseCsv(utf8('a;b\n1;"2')).strayQuote).toBe(2);
    expect(parseCsv(utf8('a;b;c\n1;"two\nlines";3')).strayQuote).toBeUndefined();
  });
});

test('encoding and separator are those that were chosen', () => {
  const bytes = Uint8Array.of(0x4c, 0xe9, 0x2c, 0x62, 0x3b, 0x63);
  expect(parseCsv(bytes, { ...AS_FOUND, encoding: 'windows-1252', delimiter: ',' }).table).toEqual([['Lé', 'b;c']]);
});
