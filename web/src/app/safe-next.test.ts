import { expect, test } from 'vitest';
import { safeNext } from './safe-next.ts';

const ORIGIN = 'https://pressel.example';

test.each(['/channelsList', '/groupCallView/a%2Fb', '/usersList?q=x&page=2'])(
  '%s is an address to come back to',
  (next) => {
    expect(safeNext(next, ORIGIN)).toBe(next);
  },
);

test.each([
  '//evil.example/x',
  '/\\evil.example',
  '/\t/evil.example',
  'https://evil.example',
  'javascript:alert(1)',
  '/..//evil.example',
  '/signin?next=/x',
  '/Signup',
  '/',
  '',
  undefined,
  { to: '/x' },
])('%s is not', (next) => {
  expect(safeNext(next, ORIGIN)).toBeUndefined();
});
