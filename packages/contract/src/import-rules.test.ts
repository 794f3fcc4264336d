import { describe, expect, test, vi } from 'vitest';
import {
  cellText,
  createUserJudge,
  joinChannelNames,
  judgeChannelRows,
  judgeUserRows,
  type KnownUsers,
  parseMapRight,
  passwordText,
  splitChannelNames,
} from './import-rules.ts';
import { IMPORT_MAX_ROWS } from './limits.ts';
import { roomKey } from './text.ts';
import type { UserRow } from './transfer.ts';

const known: KnownUsers = {
  identifiers: new Set(['ana@example.org']),
  channelKeys: new Set(['Nord', 'Équipe1', '__proto__', 'a;b']),
  passwordMinLength: 3,
};
const good: UserRow = {
  firstName: 'Zoë',
  lastName: 'Ø',
  identifier: 'zoe@example.org',
  pseudo: 'Echo',
  password: 'secret',
  mapRight: 'VRAI',
  canal: 'Nord',
};
const verdictOf = (row: UserRow, more: Partial<KnownUsers> = {}) =>
  judgeUserRows([row], { ...known, ...more })[0]?.verdict;
const faultsOf = (change: UserRow) => {
  const verdict = verdictOf({ ...good, ...change });
  return verdict?.state === 'rejected' ? verdict.faults : verdict?.state;
};

test('a cell of nothing but marks, which take long to put in order, is judged without ordering them', () => {
  const marks = `a${'\u0315\u0316'.repeat(49_000)}`;
  const normalize = vi.spyOn(String.prototype, 'normalize');
  expect(faultsOf({ firstName: marks, canal: marks })).toEqual([
    { field: 'firstName', code: 'too_long' },
    { field: 'canal', code: 'unknown_channel', names: [marks] },
  ]);
  const ordered = normalize.mock.contexts.map((text) => String(text).length);
  normalize.mockRestore();
  expect(Math.max(0, ...ordered)).toBeLessThan(1_000);
});

describe('[IMP3] the text of a cell', () => {
  test.each([
    ['a text', 'Ana', 'Ana'],
    ['spaces around', '  Ana ', 'Ana'],
    [
      'no-break, narrow, ideographic and zero-width spaces around',
      '\u00a0\u202f\u3000\u200bAna\u2060\ufeff\u2009',
      'Ana',
    ],
    ['tabs and line ends around', '\t\r\nAna\u2028\u0085', 'Ana'],
    ['spaces inside', 'Ana  Lucía\u00a0Ruiz', 'Ana  Lucía\u00a0Ruiz'],
    ['an accent apart from its letter', 'Zoe\u0308', 'Zoë'],
    ['emoji', ' 👩‍🚒 ', '👩‍🚒'],
    ['right-to-left text', ' \u05d3\u05e0\u05d9\u05d0\u05dc ', '\u05d3\u05e0\u05d9\u05d0\u05dc'],
    ['a formula, which is a text', '=1+1', '=1+1'],
    ['a whole number', 33612345678, '33612345678'],
    ['a fraction', 1.5, '1.5'],
    ['true', true, 'true'],
    ['false', false, 'false'],
    ['nothing', null, ''],
    ['no cell', undefined, ''],
    ['only spaces', ' \u00a0\u3000', ''],
  ])('%s', (_what, cell, text) => {
    expect(cellText(cell)).toBe(text);
  });

  test.each([
    ['spaces around', ' secret\u00a0', ' secret\u00a0'],
    ['an accent apart from its letter', 'e\u0301', 'e\u0301'],
    ['a number', 1234, '1234'],
    ['a truth value, which each Excel shows in its language', true, ''],
    ['only spaces', ' \u00a0\t', ''],
    ['only marks that show nothing', '\u200b\u200e', ''],
    ['nothing', null, ''],
  ])('of a password stays as typed: %s', (_what, cell, text) => {
    expect(passwordText(cell)).toBe(text);
  });
});

describe('[IMP7] the map right', () => {
  test.each([
    ['true', true],
    ['TRUE', true],
    ['vrai', true],
    ['VRAI', true],
    [' true ', true],
    ['\u00a0VRAI\u3000', true],
    [true, true],
    ['false', false],
    ['FALSE', false],
    ['faux', false],
    ['FAUX', false],
    [false, false],
    ['Vrai', true],
    ['WAHR', true],
    ['FALSCH', false],
    ['Oui', true],
    ['non', false],
    ['yes', true],
    ['No', false],
    ['ja', true],
    ['Nein', false],
    ['1', true],
    [1, true],
    [0, false],
    [2, null],
    ['peut-être', null],
    ['=TRUE()', null],
    ['constructor', null],
    ['', null],
    [null, null],
  ])('of %j is %j', (cell, right) => {
    expect(parseMapRight(cell)).toBe(right);
  });
});

describe('[IMP4] channel names in one cell', () => {
  test.each([
    ['Nord', ['Nord']],
    ['Nord;Sud', ['Nord', 'Sud']],
    [' Nord ;\u00a0Sud ', ['Nord', 'Sud']],
    [';;Nord; ;', ['Nord']],
    ['"a;b";Nord', ['a;b', 'Nord']],
    ['Nord; "a;b" ;Sud', ['Nord', 'a;b', 'Sud']],
    ['"le ""bon"" canal"', ['le "bon" canal']],
    ['" Nord "', [' Nord ']],
    ['"Nord;Sud', ['"Nord', 'Sud']],
    ['"Nord" Est;Sud', ['"Nord" Est', 'Sud']],
    ['le "bon" canal', ['le "bon" canal']],
    ['""', []],
    ['" ";Nord', ['Nord']],
    ['Équipe 1, jour', ['Équipe 1, jour']],
    ['', []],
  ])('%j are %j', (cell, names) => {
    expect(splitChannelNames(cell)).toEqual(names);
  });

  test.each([
    ['plain', ['Nord', 'Sud']],
    ['semicolons', ['a;b', ';', ';;x']],
    ['quotes', ['"', '""', '"a"', 'a"', '"a', 'a";"b']],
    ['both', ['";"', ';"', '";', '"";""']],
    ['spaces around', [' a', 'a\u00a0', '\ta ']],
    ['line ends', ['a\nb', 'a\r\n;b']],
    ['commas and pipes', ['a,b', 'a|b']],
    ['formulas', ['=1+1', '@x', '-1', '+1']],
    ['other scripts', ['👩‍🚒', '\u05d3\u05e0', '北']],
    ['none', []],
  ])('are the same after one cell and back: %s', (_what, names) => {
    expect(splitChannelNames(joinChannelNames(names))).toEqual(names);
  });

  test('take time that grows with the cell alone, whatever quotes it is made of', () => {
    const patterns = ['"', '""', '"""', '";', '"";', '""";', '"x;', ' ";"";', ' ', '; "'];
    for (const pattern of patterns) {
      const cell = pattern.repeat(100_000 / pattern.length);
      expect(splitChannelNames(cell).length).toBeLessThanOrEqual(100_000);
    }
  });
});

describe('a row of users', () => {
  test('is good when its cells are, and is read', () => {
    const row = {
      ...good,
      row: 7,
      identifier: ' Zoe@Example.org ',
      canal: ' N ord ; équipe 9;Nord',
      phoneNumber: ' +33 6 ',
      role: 'Admin',
    };
    expect(judgeUserRows([row], { ...known, channelKeys: new Set(['Nord', 'équipe9']) })).toEqual([
      {
        row: 7,
        cells: {
          firstName: 'Zoë',
          lastName: 'Ø',
          identifier: 'Zoe@Example.org',
          pseudo: 'Echo',
          password: 'secret',
          mapRight: 'VRAI',
          canal: 'N ord ; équipe 9;Nord',
          phoneNumber: '+33 6',
          role: 'Admin',
        },
        verdict: {
          state: 'good',
          user: {
            firstName: 'Zoë',
            lastName: 'Ø',
            identifier: 'Zoe@Example.org',
            pseudo: 'Echo',
            password: 'secret',
            mapRight: true,
            channelKeys: ['Nord', 'équipe9'],
            phoneNumber: '+33 6',
            role: 'admin',
          },
        },
      },
    ]);
  });

  test.each([
    ['no channel', { canal: '' }],
    ['no canal cell', { canal: undefined }],
    ['a formula for a name', { firstName: '=1+1' }],
    ['numbers for a name and a password', { pseudo: 12, password: 123456 }],
    [
      'names of prototypes',
      { firstName: '__proto__', lastName: 'constructor', pseudo: 'toString', canal: '__proto__' },
    ],
    ['the longest name', { firstName: 'x'.repeat(100) }],
    ['the longest password', { password: 'x'.repeat(128) }],
    ['a channel name in quotes', { canal: '"a;b"' }],
    ['a channel whose accents are apart', { canal: 'E\u0301quipe 1' }],
    ['real booleans', { mapRight: false }],
  ])('may have %s', (_what, change) => {
    expect(verdictOf({ ...good, ...change })).toMatchObject({ state: 'good' });
  });

  test.each([
    ['no first name', { firstName: null }, 'firstName', 'missing'],
    ['a last name of spaces', { lastName: ' \u00a0\u2003' }, 'lastName', 'missing'],
    ['a pseudo that shows nothing', { pseudo: '\u200e' }, 'pseudo', 'missing'],
    ['no login', { identifier: undefined }, 'identifier', 'missing'],
    ['a password of spaces', { password: '  ' }, 'password', 'missing'],
    ['no map right', { mapRight: '' }, 'mapRight', 'missing'],
    ['another word for the map right', { mapRight: 'carte' }, 'mapRight', 'bad_map_right'],
    ['a number for the map right', { mapRight: 2 }, 'mapRight', 'bad_map_right'],
    ['a line break in the password', { password: 'sec\nret' }, 'password', 'line_break'],
    ['a login that is no address', { identifier: 'zoe' }, 'identifier', 'bad_login'],
    ['a login with a space', { identifier: 'zo e@example.org' }, 'identifier', 'bad_login'],
    ['a login of a prototype', { identifier: '__proto__' }, 'identifier', 'bad_login'],
    ['too long a login', { identifier: `${'z'.repeat(40)}@example.org` }, 'identifier', 'too_long'],
    ['too long a name', { firstName: 'x'.repeat(101) }, 'firstName', 'too_long'],
    ['too long a pseudo', { pseudo: '👩‍🚒'.repeat(30) }, 'pseudo', 'too_long'],
    ['too long a password', { password: 'x'.repeat(129) }, 'password', 'too_long'],
    ['too short a password', { password: 'ab' }, 'password', 'password_too_short'],
    ['a truth value for a password', { password: true }, 'password', 'not_text'],
    ['a fraction for a password', { password: 0.125 }, 'password', 'not_text'],
    ['a password that lost its last digits', { password: 1e16 }, 'password', 'not_text'],
    ['half an emoji', { lastName: '\ud83d' }, 'lastName', 'unreadable'],
    ['NUL in a channel name', { canal: 'No\u0000rd' }, 'canal', 'unreadable'],
  ])('[IMP3 IMP6 IMP7 IMP8] is rejected for %s', (_what, change, field, code) => {
    expect(faultsOf(change)).toContainEqual({ field, code });
  });

  test('[IMP11] is told all its faults at once, unknown channels by name', () => {
    expect(faultsOf({ firstName: '', mapRight: 'x', canal: 'Nord;Ouest; "x;y" ;Ou est' })).toEqual([
      { field: 'firstName', code: 'missing' },
      { field: 'mapRight', code: 'bad_map_right' },
      { field: 'canal', code: 'unknown_channel', names: ['Ou est', 'x;y'] },
    ]);
  });

  test.each([
    ['as it is', {}, 'existing'],
    ['in other letters', { identifier: ' ANA@example.org' }, 'existing'],
    ['without password, as in an export', { password: '' }, 'existing'],
    ['without password and pseudo', { password: '', pseudo: '' }, 'existing'],
    ['with a channel that is gone', { canal: 'Ouest' }, 'existing'],
    ['without first name', { firstName: '' }, 'rejected'],
    ['without map right', { mapRight: '' }, 'rejected'],
  ])('[IMP10] whose login exists, %s, is %s', (_what, change, state) => {
    expect(verdictOf({ ...good, identifier: 'ana@example.org', ...change })?.state).toBe(state);
  });
});

describe('several rows of users', () => {
  const statesOf = (...changes: UserRow[]) =>
    judgeUserRows(
      changes.map((change) => ({ ...good, ...change })),
      known,
    ).map(({ verdict }) => verdict.state);

  test.each([
    ['the same twice', [{}, {}], ['good', 'repeated']],
    ['the same, other spaces', [{}, { firstName: ' Zoe\u0308\u00a0' }], ['good', 'repeated']],
    ['the same, another word for the map right', [{}, { mapRight: true }], ['good', 'repeated']],
    ['the same, login in other letters', [{}, { identifier: 'ZOE@example.org' }], ['good', 'repeated']],
    ['the same six fields', [{}, { canal: '' }], ['good', 'repeated']],
    ['one login, other names', [{}, { firstName: 'Ana' }], ['good', 'rejected']],
    ['a rejected one twice', [{ pseudo: '' }, { pseudo: '' }], ['rejected', 'repeated']],
    [
      'an existing one twice',
      [{ identifier: 'ana@example.org' }, { identifier: 'ana@example.org' }],
      ['existing', 'repeated'],
    ],
    ['passwords that differ by a space', [{}, { password: 'secret ' }], ['good', 'rejected']],
    [
      'cells that only look alike together',
      [
        { firstName: 'a","b', lastName: 'c' },
        { firstName: 'a', lastName: 'b","c' },
      ],
      ['good', 'rejected'],
    ],
  ])('%s', (_what, changes, states) => {
    expect(statesOf(...changes)).toEqual(states);
  });

  test('[IMP9] a second row of one login says so, and rows without login do not', () => {
    const verdicts = judgeUserRows(
      [good, { ...good, firstName: 'Ana' }, { ...good, identifier: '' }, { ...good, identifier: '', pseudo: 'x' }],
      known,
    ).map(({ verdict }) => (verdict.state === 'rejected' ? verdict.faults : verdict.state));
    expect(verdicts).toEqual([
      'good',
      [{ field: 'identifier', code: 'duplicate' }],
      [{ field: 'identifier', code: 'missing' }],
      [{ field: 'identifier', code: 'missing' }],
    ]);
  });

  test('are numbered as in the sheet, else from 1', () => {
    expect(judgeUserRows([{}, { row: 9 }, {}], known).map(({ row }) => row)).toEqual([1, 9, 3]);
  });

  test('as many as one import takes: each is looked up a fixed number of times', () => {
    let lookUps = 0;
    const counting = (keys: Iterable<string>): ReadonlySet<string> => {
      const set = new Set(keys);
      const has = set.has.bind(set);
      set.has = (key) => {
        lookUps += 1;
        return has(key);
      };
      return set;
    };
    const judge = createUserJudge({
      ...known,
      identifiers: counting(known.identifiers),
      channelKeys: counting(known.channelKeys),
    });
    const states = new Set<string>();
    for (let index = 0; index < IMPORT_MAX_ROWS; index += 1) {
      states.add(judge({ ...good, identifier: `u${index}@example.org` }, index).verdict.state);
    }
    expect([[...states], lookUps]).toEqual([['good'], IMPORT_MAX_ROWS * 2]);
  });
});

describe('[IMP12 IMP13] rows of channels', () => {
  const judge = (...names: (string | number | boolean | null)[]) =>
    judgeChannelRows(
      names.map((name) => ({ name })),
      { channelKeys: new Set(['Nord', 'true']) },
    ).map(({ verdict }) => (verdict.state === 'rejected' ? verdict.faults[0]?.code : verdict.state));

  test.each([
    ['a name', ['Ouest'], ['good']],
    ['a name of a prototype', ['__proto__', 'constructor'], ['good', 'good']],
    ['a formula', ['=1+1'], ['good']],
    ['a number', [12], ['good']],
    ['one that exists', ['Nord'], ['existing']],
    ['one whose room exists', [' N\u00a0o rd'], ['existing']],
    ['a boolean whose word exists', [true], ['existing']],
    ['other letters, which is another name', ['nord'], ['good']],
    ['the same twice', ['Ouest', 'Ou est'], ['good', 'repeated']],
    ['the same with accents apart', ['Équipe', 'E\u0301quipe'], ['good', 'repeated']],
    ['an existing one twice', ['Nord', 'Nord'], ['existing', 'repeated']],
    ['nothing', ['', null, ' \u3000'], ['missing', 'missing', 'missing']],
    ['nothing to be seen', ['\u200e'], ['missing']],
    ['names that addresses fold away', ['.', '. .'], ['reserved', 'reserved']],
    ['too long', ['x'.repeat(101)], ['too_long']],
    ['the longest', ['x'.repeat(100)], ['good']],
    ['half an emoji', ['a\ud83d'], ['unreadable']],
  ])('%s', (_what, names, verdicts) => {
    expect(judge(...names)).toEqual(verdicts);
  });

  test('a good one comes with its key', () => {
    expect(judgeChannelRows([{ name: ' Équipe  de nuit ' }], { channelKeys: new Set() })[0]).toEqual({
      row: 1,
      cells: { name: 'Équipe  de nuit' },
      verdict: { state: 'good', channel: { name: 'Équipe  de nuit', key: roomKey('Équipe de nuit') } },
    });
  });
});
