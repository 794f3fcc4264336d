import { expect, test } from 'vitest';
import { deBefore } from './elision.ts';

test.each([
  ['Nord', 'de Nord'],
  ['Ambulances', 'd’Ambulances'],
  ['Équipe Nord', 'd’Équipe Nord'],
  ['Œuvre', 'd’Œuvre'],
  ['« Est »', 'd’« Est »'],
  ['\u2068Ida\u2069', 'd’\u2068Ida\u2069'],
  ['Yves', 'd’Yves'],
  ['Yann', 'de Yann'],
  ['Hugo', 'de Hugo'],
  ['2e équipe', 'de 2e équipe'],
  ['🚑 Urgences', 'd’🚑 Urgences'],
  ['מוקד', 'de מוקד'],
  ['', 'de '],
])('before «%s» stands «%s»', (name, words) => expect(deBefore(name)).toBe(words));
