import { expect, test } from 'vitest';
import { sharedOrigin } from './server-origin.ts';

const LAN = 'https://192.168.1.23:3000';

test.each([
  ['https://localhost:3000', LAN, LAN],
  ['https://127.0.0.1:3000', LAN, LAN],
  ['https://[::1]:3000', LAN, LAN],
  ['https://10.0.0.5:3000', LAN, 'https://10.0.0.5:3000'],
  ['https://depot.local:3000', LAN, 'https://depot.local:3000'],
  ['http://localhost:3000', null, 'http://localhost:3000'],
  ['https://localhost.example.org', LAN, 'https://localhost.example.org'],
])('TLS7: a page at %s, whose server names %s, hands on %s', (page, address, handed) => {
  expect(sharedOrigin(new URL(page), address)).toBe(handed);
});
