import { expect, test } from 'vitest';
import { textParts } from './links.ts';

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
