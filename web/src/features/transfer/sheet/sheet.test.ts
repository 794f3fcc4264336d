import { expect, test } from 'vitest';
import { toSheet } from './sheet.ts';

test('[IMP2] the header is found below titles and notes, and rows keep their numbers', () => {
  const sheet = toSheet([
    ['Liste du personnel', null, null],
    [],
    ['Prénom', 'Nom', 'Adresse e-mail'],
    ['Léa', 'Öz', 'lea@example.org'],
    [null],
    ['Hugo', 'Petit', 'hugo@example.org'],
  ]);
  expect(sheet.headers).toEqual(['Prénom', 'Nom', 'Adresse e-mail']);
  expect(sheet.rows.map(({ row }) => row)).toEqual([4, 6]);
});

test.each([
  [
    'headers that say nothing',
    [
      ['Bezeichnung', 'Notiz'],
      ['Alias', 'x'],
    ],
  ],
  [
    'a row that names as many fields',
    [
      ['Nom', 'Prénom'],
      ['Nom', 'Alias'],
    ],
  ],
  ['a single word that could be a header', [['Bezeichnung'], ['Canal 1']]],
])('[IMP2] the first row stays the header over %s', (_what, table) => {
  expect(toSheet(table).headers).toEqual(table[0]);
});

test('a column without a header is kept when a row has something in it', () => {
  const sheet = toSheet([['Nom', null, null], ['Öz', 'secret', null], ['Petit']]);
  expect(sheet.headers).toEqual(['Nom', '']);
  expect(sheet.rows.map(({ cells }) => cells)).toEqual([
    ['Öz', 'secret'],
    ['Petit', null],
  ]);
});
