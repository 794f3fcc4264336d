import { expect, test } from 'vitest';
import { reachOf } from './address-code.tsx';

test.each([
  ['https://pressel.example.org', 'everywhere'],
  ['https://192.168.178.23:3000', 'everywhere'],
  ['http://192.168.178.23:3000', 'noMicrophone'],
  ['http://localhost:3000', 'thisComputer'],
  ['https://console.localhost', 'thisComputer'],
  ['http://127.0.0.1:3000', 'thisComputer'],
  ['http://[::1]:3000', 'thisComputer'],
  ['https://localhost.example.org', 'everywhere'],
])('what another device can do with %s: %s', (address, reach) => {
  expect(reachOf(new URL(address))).toBe(reach);
});
