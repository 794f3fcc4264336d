import { expect, test } from 'vitest';
import { fitsName, readOrder } from './palette.rules.ts';

const FRENCH = { call: 'appeler', enter: 'entrer' };
const GERMAN = { call: 'anrufen', enter: 'betreten' };

test.each([
  ['Léa', FRENCH, undefined, 'Léa'],
  ['  ', FRENCH, undefined, ''],
  ['appeler', FRENCH, undefined, 'appeler'],
  ['Appeler ', FRENCH, 'call', ''],
  ['APPELER  Léa Martin ', FRENCH, 'call', 'Léa Martin'],
  ['entrer nord', FRENCH, 'enter', 'nord'],
  ['Lea anrufen', GERMAN, 'call', 'Lea'],
  ['anrufen Lea', GERMAN, 'call', 'Lea'],
  ['Nord betreten ', GERMAN, 'enter', 'Nord'],
  ['Anrufenberg', GERMAN, undefined, 'Anrufenberg'],
] as const)('[LIST14] %j is an order or a name', (text, verbs, verb, wanted) => {
  expect(readOrder(text, verbs)).toEqual({ verb, wanted });
});

test.each([
  ['Léa Martin', 'lea', true],
  ['Léa Martin', 'mart', true],
  ['Léa Martin', 'léa m', true],
  ['Anne-Laure Petit', 'laure', true],
  ['Marco Rossi', 'co', false],
  ['Léa Martin', ' ', false],
])('[LIST14] %s is meant by %j: %s', (name, wanted, isMeant) => {
  expect(fitsName(name, wanted)).toBe(isMeant);
});
