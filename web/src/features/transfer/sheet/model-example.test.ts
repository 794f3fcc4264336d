import { expect, test } from 'vitest';
import de from '#src/locales/de/exports.json';
import en from '#src/locales/en/exports.json';
import fr from '#src/locales/fr/exports.json';
import { isModelExample } from './model-example.ts';

test.each([
  ['fr', fr],
  ['en', en],
  ['de', de],
])('the example row of the model in %s is known', (_language, { file }) => {
  const example = { row: 2, identifier: file.exampleIdentifier, password: file.examplePassword };
  expect(isModelExample(example)).toBe(true);
  expect(isModelExample({ ...example, password: 'another' })).toBe(false);
  expect(isModelExample({ ...example, identifier: 'someone@example.org' })).toBe(false);
});

test('a row without login and password is no example', () => {
  expect(isModelExample({ row: 2, name: 'Équipe Nord' })).toBe(false);
});
