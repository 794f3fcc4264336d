import { describe, expect, test } from 'vitest';
import { channelId, userId } from './ids.ts';
import { cleanName, isStreamSafe, isVisible, leftTrim, plainText, requiredText, roomKey, typedName } from './text.ts';

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

  test.each(['\u0301\u0301', ' \u0300 ', '\u20e3', '\ufffc \ufffc'])(
    'is more than marks without a letter: %j',
    (text) => expect(isVisible(text)).toBe(false),
  );

  test.each(['a', '.', '中', 'e\u0301', 'कि', 'ا', '🏳️‍🌈', '\u0600'])('%j is some', (text) =>
    expect(isVisible(text)).toBe(true),
  );
});

describe('[NAME1] a name', () => {
  test.each(INVISIBLE.filter(([what]) => !what.includes('space')))('keeps no %s', (_what, character) => {
    expect(typedName(`No${character}rd`)).toMatch(/^No ?rd$/u);
    expect(typedName(character)).toBe('');
  });

  test.each([
    ['Eve\u2069\u202ezyx', 'Evezyx'],
    ['\u202aAna\u202c', 'Ana'],
    [' R\toe\r\n1\u2028', 'R oe  1 '],
    ['a\u200db\u200cc\ufe0f1\u200d2', 'abc12'],
    ['\u202e\u00a0x', 'x'],
    ['e\u200b\u0301', 'é'],
  ])('%j is kept as %j', (typed, kept) => expect(typedName(typed)).toBe(kept));

  test.each([
    ['Persian with a non-joiner', 'می\u200cخواهم'],
    ['Sinhala with a joiner', 'ශ\u0dca\u200dරී'],
    ['a Malayalam letter at the end of a word', 'അവന\u0d4d\u200d'],
    ['Hebrew', 'דנה כהן'],
    ['a family', '👨\u200d👩\u200d👧 Feu'],
    ['a firefighter of a skin tone', '👩🏽\u200d🚒'],
    ['a rainbow flag', '🏳\ufe0f\u200d🌈'],
    ['a heart in fire', '❤\ufe0f\u200d🔥'],
    ['a keycap', 'Équipe 1\ufe0f\u20e3'],
    ['the flag of Scotland', '🏴\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f}'],
    ['the registered form of a Japanese name', '葛\u{e0100}城'],
    ['Mongolian', 'ᠪᠣᠯ\u180bᠠ'],
  ])('may be %s', (_what, name) => expect(typedName(name)).toBe(name.normalize('NFC')));

  test('has the key that it had, and is cleaned by going through it once', () => {
    for (const [, character] of INVISIBLE) {
      for (const around of ['ab', 'من', '👨👩', '葛ᠠ', '1\u20e3', 'e\u0301']) {
        const [first = '', ...rest] = around;
        const typed = `${first}${character}\u200d${rest.join('')}`;
        expect(roomKey(typedName(typed))).toBe(roomKey(typed));
        expect(typedName(typedName(typed))).toBe(typedName(typed));
      }
    }
  });

  test('takes no longer the more there is to remove', () => {
    // A quadratic way would take minutes.
    for (const part of ['م\u200c', '\u{1f3f4}\u{e0067}', 'a\u202e', '\u200d']) {
      expect(cleanName(part.repeat(50_000)).length).toBeLessThanOrEqual(150_000);
    }
  });
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
