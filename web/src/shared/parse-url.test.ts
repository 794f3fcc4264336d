import { expect, test } from 'vitest';
import { parseUrl } from './parse-url.ts';

test('an address is parsed as the browser reads it, also from a base', () => {
  expect(parseUrl('https://pressel.example/a b')?.href).toBe('https://pressel.example/a%20b');
  expect(parseUrl('../c', 'https://pressel.example/a/b')?.pathname).toBe('/c');
});

test.each(['', '/path', 'https://', 'http://a b/', 'https://pressel.example:99999'])(
  '"%s" alone is no address',
  (text) => {
    expect(parseUrl(text)).toBeNull();
  },
);
