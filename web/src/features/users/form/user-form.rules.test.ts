import { describe, expect, test } from 'vitest';
import { userOf } from '#test/samples.ts';
import {
  deltaAfter,
  differencesOf,
  faultsOfEdit,
  faultsOfNew,
  isChanged,
  isMismatch,
  NO_USER,
  pickedOf,
  summaryOf,
  type UserValues,
  valuesOf,
  withChoices,
} from './user-form.rules.ts';

const good: UserValues = {
  ...NO_USER,
  firstName: 'Léa',
  lastName: 'Martin',
  login: 'lea@example.org',
  password: 'secret',
  repetition: 'secret',
};

test.each<[string, Partial<UserValues>, object, string | undefined]>([
  ['nothing', {}, {}, undefined],
  ['blanks for a first name', { firstName: ' \u00a0\u200b' }, { firstName: 'required' }, 'empty'],
  ['no last name', { lastName: '' }, { lastName: 'required' }, 'empty'],
  ['a blank login', { login: '  ' }, { login: 'required' }, 'empty'],
  ['one character as a login', { login: 'x' }, { login: 'loginTooShort' }, 'marked'],
  ['51 characters as a login', { login: `${'a'.repeat(39)}@example.org` }, { login: 'loginTooLong' }, 'marked'],
  ['a login that is no address', { login: 'lea' }, { login: 'invalidEmail' }, 'marked'],
  ['a blank password', { password: '  ', repetition: '  ' }, { password: 'blankPassword' }, 'empty'],
  ['two different passwords', { repetition: 'Secret' }, { repetition: 'mismatch' }, 'mismatch'],
  ['a password that is not repeated', { repetition: '' }, { repetition: 'mismatch' }, 'mismatch'],
  ['a name of 101 characters', { pseudo: 'x'.repeat(101) }, { pseudo: 'tooLong' }, 'marked'],
  ['a phone number of 41 characters', { phone: '0'.repeat(41) }, { phone: 'tooLong' }, 'marked'],
  ['a character that can not be stored', { lastName: 'a\u0000' }, { lastName: 'unreadable' }, 'marked'],
  [
    'something empty beside two passwords',
    { firstName: '', repetition: 'x' },
    { firstName: 'required', repetition: 'mismatch' },
    'empty',
  ],
  ['a password of one character, which is only advised against', { password: '1', repetition: '1' }, {}, undefined],
  ['a name from right to left', { firstName: 'فاطمة الزهراء' }, {}, undefined],
])('a new user with %s', (_, part, faults, summary) => {
  const found = faultsOfNew({ ...good, ...part });
  expect(found).toEqual(faults);
  expect(summaryOf(found)).toBe(summary);
});

test.each<[string, Partial<UserValues>, object]>([
  ['no password keeps the old one', { password: '', repetition: '' }, {}],
  ['a repetition alone', { password: '', repetition: 'x' }, { repetition: 'mismatch' }],
  ['a new password has to be repeated', { repetition: '' }, { repetition: 'mismatch' }],
  ['a blank password is none', { password: ' ', repetition: ' ' }, { password: 'blankPassword' }],
  ['the login is not looked at', { login: '' }, {}],
])('an edit: %s', (_, part, faults) => {
  expect(faultsOfEdit({ ...good, ...part })).toEqual(faults);
});

test('a mismatch is told as soon as there is something to compare', () => {
  expect(isMismatch({ password: 'secret', repetition: '' })).toBe(false);
  expect(isMismatch({ password: 'secret', repetition: 's' })).toBe(true);
  expect(isMismatch({ password: 'secret', repetition: 'secret' })).toBe(false);
});

describe('two edits of one account', () => {
  const before = userOf(2, 'Léa', 'Martin');
  const now = { ...before, version: 2, lastName: 'Petit', phone_number: '01', mapRight: true };

  test('what nobody else touched is no difference, and neither is what both changed alike', () => {
    const form = { ...valuesOf(before), firstName: 'Lea', lastName: ' Petit' };
    expect(differencesOf(before, now, form).map(({ field }) => field)).toEqual(['phone', 'mapRight']);
  });

  test('theirs is taken where the form had changed nothing; where both did, one must choose', () => {
    const form = { ...valuesOf(before), lastName: 'Durand' };
    const differences = differencesOf(before, now, form);
    expect(differences).toEqual([
      { field: 'lastName', theirs: 'Petit', mine: 'Durand', choice: undefined },
      { field: 'phone', theirs: '01', mine: '', choice: 'theirs' },
      { field: 'mapRight', theirs: true, mine: false, choice: 'theirs' },
    ]);
    expect(withChoices(form, differences)).toMatchObject({ lastName: 'Durand', phone: '01', mapRight: true });
  });
});

test('white space before a name changes nothing', () => {
  const user = userOf(2, 'Léa', 'Martin');
  expect(isChanged({ ...valuesOf(user), firstName: '  Léa' }, user)).toBe(false);
  expect(isChanged({ ...valuesOf(user), password: 'x' }, user)).toBe(true);
});

test('ticking and unticking leaves only what differs from before, also when others change channels meanwhile', () => {
  const none = { added: new Set<string>(), removed: new Set<string>() };
  const once = deltaAfter(new Set(['a', 'b']), none, ['b', 'c', 'd'], true);
  expect([...once.added]).toEqual(['c', 'd']);
  const twice = deltaAfter(new Set(['a', 'b']), once, ['a', 'd'], false);
  expect([[...twice.added], [...twice.removed]]).toEqual([['c'], ['a']]);
  expect([...pickedOf(new Set(['a', 'b', 'e']), twice)]).toEqual(['b', 'e', 'c']);
});
