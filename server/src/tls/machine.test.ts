import { decodeQR } from 'qr/decode.js';
import { expect, test } from 'vitest';
import { contactOf, describeMachine, selfSignedNotes } from './machine.ts';

const machine = { names: ['depot.local', 'depot'], addresses: ['192.168.1.23', '172.17.0.1', 'fd00::23'] };
const SELF = { publicUrl: null, tls: { kind: 'self' }, host: '0.0.0.0' } as const;

test.each([
  [{}, 3000, 'https://192.168.1.23:3000', 'https://192.168.1.23:3000'],
  [{}, 443, 'https://192.168.1.23', 'https://192.168.1.23'],
  [{ publicUrl: 'https://radio.example.org' }, 3000, 'https://radio.example.org', 'https://radio.example.org'],
  [{ tls: { kind: 'off' as const } }, 3000, 'http://0.0.0.0:3000', null],
  [{ tls: { kind: 'off' as const }, host: '::1' }, 3000, 'http://[::1]:3000', null],
])('TLS7: %j on port %i is said to be at %s, and other devices use %s', (config, port, origin, shared) => {
  expect(contactOf({ ...SELF, ...config }, port, machine)).toMatchObject({ origin, shared });
});

test('TLS7: without a network only this machine can use it', () => {
  const contact = contactOf({ ...SELF, host: '127.0.0.1' }, 3000, { names: ['depot'], addresses: [] });
  expect(contact).toEqual({ origin: 'https://127.0.0.1:3000', others: [], shared: null });
});

test.each([
  [SELF, 'http://192.168.1.23:443'],
  [{ ...SELF, publicUrl: 'https://radio.example.org' }, 'http://radio.example.org:443'],
])('TLS5: the code leads to the port of https also where the address has none: %j', (config, address) => {
  expect(decodeQR(photograph(selfSignedNotes(contactOf(config, 443, machine), 'AB:CD')))).toBe(address);
});

test('TLS3, TLS5: the notes name every address and the fingerprint, and their code leads to plain http', () => {
  const notes = selfSignedNotes(contactOf(SELF, 3000, machine), 'AB:CD');
  expect(notes).toContain('Also at https://depot.local:3000, https://172.17.0.1:3000, https://[fd00::23]:3000');
  expect(notes).toContain('SHA-256 fingerprint: AB:CD\n');
  expect(decodeQR(photograph(notes))).toBe('http://192.168.1.23:3000');
});

test('a machine lists what it listens on: nothing on loopback, one address if it is given', async () => {
  expect((await describeMachine('127.0.0.1')).addresses).toEqual([]);
  expect((await describeMachine('192.0.2.7')).addresses).toEqual(['192.0.2.7']);
  for (const address of (await describeMachine('0.0.0.0')).addresses) expect(address).toMatch(/^\d+(?:\.\d+){3}$/u);
});

/** The terminal's code as a camera sees it: a character is half a module wide and shows two modules, one above the other. */
function photograph(notes: string): { width: number; height: number; data: Uint8Array } {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the colours of a terminal begin with one
  const plain = notes.replace(/\u001B\[[\d;]*m/gu, '');
  const lines = plain.split('\n').filter((line) => /[█▀▄]/u.test(line));
  const scale = 4;
  const size = (lines[0]?.length ?? 0) * scale;
  const data = new Uint8Array(size * size * 4).fill(255);
  const isLight = (x: number, y: number) => {
    const character = lines[Math.floor(y / 2)]?.[x];
    return character === '█' || character === (y % 2 === 0 ? '▀' : '▄');
  };
  for (let y = 0; y < size; y++) {
    for (let x = 0; x < size; x++) {
      if (!isLight(Math.floor(x / scale), Math.floor(y / scale)))
        data.fill(0, (y * size + x) * 4, (y * size + x) * 4 + 3);
    }
  }
  return { width: size, height: size, data };
}
