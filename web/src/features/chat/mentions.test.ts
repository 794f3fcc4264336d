import { expect, test } from 'vitest';
import { isMentioned, mentionOf, mentionParts, nameBegun } from './mentions.ts';

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
