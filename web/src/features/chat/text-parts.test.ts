import { expect, test } from 'vitest';
import { isMentioned, mentionOf, mentionParts, nameBegun, textParts } from './text-parts.ts';

const links = (text: string) => textParts(text).flatMap(({ text: shown, href }) => (href === undefined ? [] : [shown]));

test.each([
  ['voir https://example.org.', ['https://example.org']],
  ['(https://example.org/a_(b))', ['https://example.org/a_(b)']],
  [
    'HTTP://EXAMPLE.ORG/x?y=1#z, et http://192.168.0.1:8080/',
    ['HTTP://EXAMPLE.ORG/x?y=1#z', 'http://192.168.0.1:8080/'],
  ],
  ['« https://example.org/é »', ['https://example.org/é']],
  ['https://', []],
  ['xhttps://example.org', []],
  ['javascript:alert(1) data:text/html,x file:///etc/passwd ftp://x', []],
  ['https://bank.example@evil.example/', []],
  ['<a href="https://example.org">x</a>', ['https://example.org']],
  // These characters reverse the reading direction: this address would look like one of bank.example.
  ['https://evil.example/\u202e/elpmaxe.knab//:sptth', ['https://evil.example/']],
  ['pas de lien', []],
  ['', []],
])('[CHATS8] the links of «%s»', (text, expected) => {
  expect(links(text)).toEqual(expected);
  expect(
    textParts(text)
      .map((part) => part.text)
      .join(''),
  ).toBe(text);
  for (const { href } of textParts(text)) if (href !== undefined) expect(href).toMatch(/^https?:\/\//u);
});

test('[CHATS8] marks after an address belong to the sentence, however many', () => {
  const [address, marks] = ['https://example.org/'.repeat(200), ')'.repeat(4_000)];
  expect(textParts(address + marks).map((part) => part.text)).toEqual([address, marks]);
});

test('marks in the middle of an address are part of it, however many', () => {
  const text = `https://example.org/${'.'.repeat(3_900)}a`;
  expect(textParts(text).map((part) => part.text)).toEqual([text]);
});

const ME = { firstName: 'Zoé', lastName: 'Le Gall', display_name: 'PC 1' };

test.each([
  ['@PC 1', true],
  ['@pc\u00a01 à l’écoute ?', true],
  ['(@PC 1)', true],
  ['@PC 1, @PC 2', true],
  ['Vu par @Zoé Le Gall.', true],
  ['@zoe le gall', true],
  ['@ZOE', true],
  ['@Zoé!', true],
  ['@Zoe\u0301', true],
  ['@PC 12', false],
  ['@PC 1b', false],
  ['@Zoé-Anne', false],
  ['@Zoé’s', false],
  ['@Zoé\u00a0Martin', false],
  ['@Zoélie', false],
  ['zoé@zoé.example', false],
  ['@@Zoé', false],
  ['PC 1', false],
  ['@', false],
])('[CHATS58] «%s» names the reader: %s', (text, isIt) => {
  expect(isMentioned(text, ME)).toBe(isIt);
});

test('[CHATS58] what is chosen from the list names that person and nobody whose name begins alike', () => {
  const chosen = `${mentionOf('Zoé Martin')} arrive`;
  expect(chosen).toBe('@Zoé\u00a0Martin arrive');
  expect(isMentioned(chosen, { firstName: 'Zoé', lastName: 'Martin', display_name: 'Zoé Martin' })).toBe(true);
  expect(isMentioned(chosen, ME)).toBe(false);
});

test.each(['@Noé et @PC 1 : a@b.c @', 'rien', '', '@@@@', '@\ud83d\ude00', `${'@'.repeat(4_000)}`])(
  '[CHATS58] the pieces of «%s» joined are the text',
  (text) => {
    expect(
      mentionParts(text, ME)
        .map((part) => part.text)
        .join(''),
    ).toBe(text);
  },
);

test.each([
  ['@', { at: 0, begun: '' }],
  ['Lu @Zo', { at: 3, begun: 'Zo' }],
  ['(@Zo', { at: 1, begun: 'Zo' }],
  ['vu,@', { at: 3, begun: '' }],
  ['a@b', undefined],
  ['@Zo é', undefined],
  ['@@', undefined],
  ['Lu', undefined],
])('[CHATS59] at the end of «%s» a name is being written: %o', (text, begun) => {
  expect(nameBegun(text)).toEqual(begun);
});
