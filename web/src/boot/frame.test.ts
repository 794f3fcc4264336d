import { expect, test } from 'vitest';
import page from '../../index.html?raw';

test('the page holds no script of its own', () => {
  expect([...page.matchAll(/<script[^>]*>/gu)].map(([tag]) => tag)).toEqual([
    '<script type="module" src="/src/boot/boot.ts">',
  ]);
  expect(page).not.toMatch(/ on\w+=/u);
});
