import { expect, test } from 'vitest';
import { nearNames } from './near-names.ts';

const KNOWN = ['Poste de secours', 'Sud', 'Équipe Nord', 'Équipe Sud', 'Ambulances', 'Canal 1', 'Canal 2', '🎧'];

test.each([
  ['sud', ['Sud']],
  ['SÛD', ['Sud']],
  ['equipe nord', ['Équipe Nord']],
  ['Ambulance', ['Ambulances']],
  ['Equipes Sud', ['Équipe Sud']],
  ['Le poste de secours', ['Poste de secours']],
  ['ste de secours', ['Poste de secours']],
  ['Poste de secoursss', ['Poste de secours']],
  ['Pöste te segours', ['Poste de secours']],
  ['Posde te segours', []],
  ['Oste de secourse', ['Poste de secours']],
  ['Sub', []],
  ['Canal 3', []],
  ['🎧🎧', []],
  ['Lille', []],
])('[IMP30] near %j is %j', async (name, near) => {
  expect(await nearNames([name], KNOWN)).toEqual(near.length === 0 ? [] : [{ name, near }]);
});

test('[IMP30] thousands of names and very long ones are no burden', async () => {
  const known = Array.from({ length: 3_000 }, (_, at) => `Channel ${at} ${'x'.repeat(80)}`);
  expect(await nearNames(Array(10_000).fill('y'.repeat(400)), known)).toEqual([]);
});
