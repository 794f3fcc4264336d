import { expect, test } from 'vitest';
import type { ImportField, JudgedRow } from '../sheet/import-kinds.ts';
import { rowsAlike } from './alike.tsx';

const judgedOf = (field: ImportField, texts: readonly string[], faulty: readonly number[] = []): JudgedRow[] =>
  texts.map((text, row) => {
    const isFaulty = faulty.includes(row);
    return {
      row,
      cells: { [field]: text },
      state: isFaulty ? 'rejected' : 'good',
      faults: isFaulty ? [{ field: 'mapRight', code: 'bad_map_right' }] : [],
    };
  });

test('rows are alike that hold what the corrected cell held', () => {
  const judged = judgedOf('mapRight', ['vrai', 'oui', 'non', 'oui'], [1, 2, 3]);
  expect(rowsAlike(judged, { row: 0, field: 'mapRight', before: 'oui', after: 'vrai' })).toEqual([1, 3]);
});

test('a correction that is still at fault is not offered', () => {
  const judged = judgedOf('mapRight', ['ja', 'oui'], [0, 1]);
  expect(rowsAlike(judged, { row: 0, field: 'mapRight', before: 'oui', after: 'ja' })).toEqual([]);
});

test('unique fields are never offered to other rows', () => {
  const judged = judgedOf('identifier', ['a@b.fr', 'x', 'x']);
  expect(rowsAlike(judged, { row: 0, field: 'identifier', before: 'x', after: 'a@b.fr' })).toEqual([]);
});

test.each([
  ['lastName', []],
  ['mapRight', [1]],
] as const)('empty cells of %s are alike: %j', (field, alike) => {
  const judged = judgedOf(field, ['vrai', '']);
  expect(rowsAlike(judged, { row: 0, field, before: '', after: 'vrai' })).toEqual(alike);
});
