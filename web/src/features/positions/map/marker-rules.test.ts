import { POSITION_STALE_MS } from '@pressel/contract/limits';
import { expect, test } from 'vitest';
import { ageOf, isStale, markerLabel } from './marker-rules.ts';

test.each([
  ['CAM', 'Camille Roux', 'CAM'],
  ['Faucon', 'Camille Roux', 'FAN'],
  ['é l o ï', '', 'ÉLÏ'],
  ['', 'Camille Roux', 'CR'],
  ['   ', 'Bo', 'B'],
  ['', 'Sophie Dubois', 'SD'],
  ['Z', 'Zoé', 'Z'],
  ['🦊fuchs', '', '🦊FS'],
  ['e\u0301toile', '', 'E\u0301TE'],
  ['', '', '?'],
])('[POS20] pseudo %j, name %j: %j', (pseudo, name, label) => expect(markerLabel(pseudo, name)).toBe(label));

test.each([['Solos'], ['sós'], ['S o S'], ['Pavillon'], ['Feu'], ['Fédou'], ['Nordost'], ['Tobit'], ['Aid']])(
  '[POS37] the label of %j is no call for help, in no language',
  (pseudo) => {
    const label = markerLabel(pseudo, '').normalize('NFD').replaceAll(/\p{M}/gu, '');
    expect(label).not.toBe('');
    expect(['SOS', 'PAN', 'FEU', 'NOT', 'TOT', 'AID']).not.toContain(label);
  },
);

test('[POS37] only the label that would be one is shorter', () => {
  expect(markerLabel('Solos', '')).toBe('SO');
  expect(markerLabel('Feu', '')).toBe('FE');
  expect(markerLabel('Solo', '')).toBe('SOO');
});

test('[POS22] a position is stale after ten minutes', () => {
  expect(isStale(POSITION_STALE_MS)).toBe(false);
  expect(isStale(POSITION_STALE_MS + 1)).toBe(true);
});

test.each([
  [-5, { unit: 'now' }],
  [59_999, { unit: 'now' }],
  [60_000, { unit: 'minutes', count: 1 }],
  [3_599_999, { unit: 'minutes', count: 59 }],
  [3_600_000, { unit: 'hours', count: 1 }],
  [86_400_000 * 3 + 1, { unit: 'days', count: 3 }],
])('%d ms are %j', (ms, age) => expect(ageOf(ms)).toEqual(age));
