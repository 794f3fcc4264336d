import { describe, expect, test } from 'vitest';
import { channelId, userId } from './ids.ts';
import { isStreamSafe, isVisible, leftTrim, plainText, requiredText, roomKey } from './text.ts';

const INVISIBLE = [
  ['zero-width space', '\u200b'],
  ['zero-width joiner', '\u200d'],
  ['left-to-right mark', '\u200e'],
  ['right-to-left mark', '\u200f'],
  ['right-to-left override', '\u202e'],
  ['word joiner', '\u2060'],
  ['isolate', '\u2066'],
  ['Arabic letter mark', '\u061c'],
  ['byte order mark', '\ufeff'],
  ['soft hyphen', '\u00ad'],
  ['Hangul filler', '\u3164'],
  ['empty braille pattern', '\u2800'],
  ['grapheme joiner', '\u034f'],
  ['variation selector', '\ufe0f'],
  ['annotation mark', '\ufff9'],
  ['bell', '\u0007'],
  ['delete', '\u007f'],
  ['no-break space', '\u00a0'],
  ['ideographic space', '\u3000'],
  ['tab', '\t'],
  ['line separator', '\u2028'],
] as const;

describe('the key of a room', () => {
  test.each([
    ['Équipe de nuit', 'Équipedenuit'],
    ['  a \t b\n', 'ab'],
    ['قناة الشمال', 'قناةالشمال'],
    ['🚒 Feu', '🚒Feu'],
    ['Case', 'Case'],
    ['case', 'case'],
    ['  ', ''],
  ])('of %j is %j', (name, key) => expect(roomKey(name)).toBe(key));

  test.each(INVISIBLE)('does not change by a %s', (_what, character) => {
    expect(roomKey(`No${character}rd${character}`)).toBe('Nord');
  });

  test('is the same for both ways of typing an accent, also with something invisible between', () => {
    expect(roomKey('e\u0301te\u0301')).toBe('été');
    expect(roomKey('e\u200b\u0301te \u0301')).toBe('été');
  });

  test.each(['e \u0301', 'a\u200b\u0301', '\u1100 \u1161', 'Å\u00a0\u212b', '\u2126'])('is its own key: %j', (name) =>
    expect(roomKey(roomKey(name))).toBe(roomKey(name)),
  );
});

describe('visible text', () => {
  test.each(INVISIBLE)('is more than a %s', (_what, character) => {
    expect(isVisible(character.repeat(3))).toBe(false);
    expect(isVisible(`${character}a`)).toBe(true);
  });

  test.each(['\u0301\u0301', ' \u0300 ', '\u20e3'])('is more than marks without a letter: %j', (text) =>
    expect(isVisible(text)).toBe(false),
  );

  test.each(['a', '.', '中', 'e\u0301', 'कि', 'ا', '🏳️‍🌈', '\u0600'])('%j is some', (text) =>
    expect(isVisible(text)).toBe(true),
  );
});

describe('text as it is sent', () => {
  test('loses leading white space and keeps the rest', () => {
    expect(leftTrim(' \u00a0\ta b ')).toBe('a b ');
    expect(leftTrim('')).toBe('');
  });

  test('is composed before its length is looked at', () => {
    expect(plainText(3).safeParse('e\u0301e\u0301e\u0301').data).toBe('ééé');
    expect(plainText(3).safeParse('aaaa').success).toBe(false);
  });

  test.each(['a\u0000b', '\ud800', 'x\udc00'])('is refused when PostgreSQL could not store it: %j', (text) => {
    expect(plainText(10).safeParse(text).error?.issues[0]?.message).toBe('unstorable');
  });

  test('may be required', () => {
    expect(requiredText(5).safeParse(' \u200f').success).toBe(false);
    expect(requiredText(5).safeParse(' x').data).toBe('x');
  });
});

test.each([userId, channelId])('ids in capitals are the same ids', (id) => {
  const text = '01900000-0000-7000-8000-00000000abcd';
  expect(id.parse(text.toUpperCase())).toBe(text);
  expect(id.safeParse(`{${text}}`).success).toBe(false);
});

test('a text whose marks would take long to sort is told from one that is written', () => {
  expect(isStreamSafe('e\u0301'.repeat(1_000))).toBe(true);
  expect(isStreamSafe(`o${'\u0301'.repeat(30)}`)).toBe(true);
  expect(isStreamSafe(`o${'\u0301'.repeat(31)}`)).toBe(false);
});
