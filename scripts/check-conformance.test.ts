import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { countsOf, faultsOf, type Repository, readRepository, TABLE } from './check-conformance.ts';

const FILES: Record<string, string> = {
  'web/src/talk.ts': "export const says = 'Appuyez\u00a0!';",
  'web/src/talk.test.ts': "// [TALK9] is elsewhere\ntest('[TALK1] a press on an idle floor talks', () => {});",
};
const repository: Repository = {
  read: (path) => FILES[path],
  decisions: new Map([['001', '001-departures.md']]),
  calls: ['POST /user/api/login'],
  events: ['sends join_room'],
};
const LOGIN = '| `POST /user/api/login` | `web/src/talk.ts` | `web/src/talk.test.ts` [TALK1] |';
const JOIN = '| sends `join_room` | `web/src/talk.ts` | `web/src/talk.test.ts` "idle floor" |';
const faultsWith = (...rows: string[]) =>
  faultsOf(['| what | where | shown by |', '|---|---|---|', ...rows].join('\n'), repository);

test('the table holds, and nothing of the contract lacks a row', async () => {
  const table = readFileSync(join(import.meta.dirname, '..', TABLE), 'utf8');
  expect(faultsOf(table, await readRepository())).toEqual([]);
});

test('rows of each kind hold, and are counted', () => {
  const rows = [
    LOGIN,
    JOIN,
    '| the words | `web/src/talk.ts` "Appuyez !" | no test |',
    '| a relay | `web/src/talk.ts` `says` | departs [001]: it is another one; `web/src/talk.test.ts` [TALK1] |',
    '| a lamp | | differs: it is a sound |',
    '| `POST /user/api/getmyfriendlists` | | not built |',
  ];
  expect(faultsWith(...rows)).toEqual([]);
  expect(countsOf(rows.join('\n'))).toEqual({ shown: 2, departs: 1, differs: 1, 'no test': 1, 'not built': 1 });
});

test.each([
  ['a file that is missing', '| x | `web/src/gone.ts` | no test |', 'there is no file web/src/gone.ts'],
  [
    'a missing test file',
    '| x | `web/src/talk.ts` | `web/src/gone.test.ts` "x" |',
    'there is no file web/src/gone.test.ts',
  ],
  [
    'a title that is missing',
    '| x | `web/src/talk.ts` | `web/src/talk.test.ts` "says all" |',
    'web/src/talk.test.ts has no test of says all',
  ],
  [
    'a rule that only a comment names',
    '| x | `web/src/talk.ts` | `web/src/talk.test.ts` [TALK9] |',
    'web/src/talk.test.ts has no test of TALK9',
  ],
  [
    'a rule whose number begins alike',
    '| x | `web/src/talk.ts` | `web/src/talk.test.ts` [TALK] [TALK10] |',
    'web/src/talk.test.ts has no test of TALK10',
  ],
  [
    'words that are not on the screen',
    '| x | `web/src/talk.ts` "Parlez !" | no test |',
    'web/src/talk.ts has no place with Parlez !',
  ],
  [
    'a test file without a title',
    '| x | `web/src/talk.ts` | `web/src/talk.test.ts` |',
    'which test of web/src/talk.test.ts?',
  ],
  ['a test that is none', '| x | `web/src/talk.ts` | `web/src/talk.ts` "says" |', 'web/src/talk.ts is no test'],
  ['a decision that is missing', '| x | | departs [099]: for a reason |', 'there is no decision 099'],
  ['a departure without a decision', '| x | | departs: for a reason |', 'it must name its decision'],
  ['a row that does not say how it is shown', '| x | `web/src/talk.ts` | |', 'the last cell must begin with'],
  ['a row that does not say where it is', '| x | | no test |', 'where is it?'],
  ['a row of four cells', '| x | `web/src/talk.ts` | no test | really |', 'a row has three cells'],
  [
    'a call that is no more',
    '| `POST /user/api/gone` | `web/src/talk.ts` | no test |',
    'the contract has no such thing',
  ],
])('%s is a fault, told with its line', (_what, row, words) => {
  const [fault, ...others] = faultsWith(LOGIN, JOIN, row);
  expect(fault).toContain(`${TABLE}:5: `);
  expect(fault).toContain(words);
  expect(others).toEqual([]);
});

test('a call and an event without a row are faults, and so is one that was built meanwhile', () => {
  expect(faultsWith()).toEqual([
    `${TABLE}: POST /user/api/login of the contract has no row`,
    `${TABLE}: sends join_room of the contract has no row`,
  ]);
  expect(faultsWith(JOIN, '| `POST /user/api/login` | | not built |')).toEqual([
    `${TABLE}:4: \`POST /user/api/login\`: it is in the contract by now`,
  ]);
});
