import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { machineNames } from '#src/addresses/hosts.ts';
import { fingerprintOf } from './certificate.ts';
import { selfSignedSource } from './self-signed.ts';

let dataDir: string;
let now: Date;
let addresses: string[];
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'pressel-tls-'));
  now = new Date('2026-12-01T12:00:00Z');
  addresses = ['192.168.1.23', 'fd00::23'];
});
afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

const source = () =>
  selfSignedSource({
    dataDir,
    machine: async () => ({ names: ['depot.local', 'depot'], addresses }),
    now: () => now,
  });
const days = (count: number) => new Date(now.getTime() + count * 86_400_000);

test('TLS2: the certificate is for all names and addresses of the machine, and holds for some 13 months', async () => {
  const { facts } = await source().first();
  for (const name of ['depot.local', 'depot', 'localhost']) expect(facts.checkHost(name)).toBe(name);
  for (const address of ['192.168.1.23', 'fd00::23', '127.0.0.1', '::1']) expect(facts.checkIP(address)).toBe(address);
  expect(facts.checkHost('other.local')).toBeUndefined();
  expect(facts.verify(facts.publicKey)).toBe(true);
  expect(facts.ca).toBe(false);
  expect(facts.validFromDate.getTime()).toBeLessThan(now.getTime());
  expect(facts.validToDate.getTime() - facts.validFromDate.getTime()).toBe(397 * 86_400_000);
});

test('TLS3: it is kept over a restart, in a file that only its owner may read', async () => {
  const made = await source().first();
  expect(fingerprintOf(await source().first())).toBe(fingerprintOf(made));
  expect(statSync(join(dataDir, 'tls/self-signed.pem')).mode & 0o777).toBe(0o600);
  expect(statSync(join(dataDir, 'tls')).mode & 0o777).toBe(0o700);
});

test('TLS3: it is renewed when the machine gets an address, not when it loses one', async () => {
  const made = await source().first();
  addresses = ['192.168.1.23'];
  expect(await source().renew(made)).toBeNull();
  addresses = ['10.0.0.7'];
  const renewed = await source().renew(made);
  expect(renewed?.facts.checkIP('10.0.0.7')).toBe('10.0.0.7');
  expect(fingerprintOf(await source().first())).toBe(renewed?.facts.fingerprint256);
});

test.each([
  ['Büro-PC', 'xn--bro-pc-3ya.local'],
  ['Léas-MacBook.fritz.box', 'xn--las-macbook-bbb.fritz.box'],
  ['', 'localhost'],
  ['a b', 'localhost'],
  ['(none)', 'localhost'],
  ['1', 'localhost'],
])('TLS3: on a machine called %j it is not made anew each time', async (machine, name) => {
  const made = selfSignedSource({
    dataDir,
    machine: async () => ({ names: machineNames(machine), addresses }),
    now: () => now,
  });
  const first = await made.first();
  expect(await made.renew(first)).toBeNull();
  expect(first.facts.checkHost(name)).toBe(name);
  expect(first.facts.subjectAltName?.split(', ').filter((entry) => !/^(?:DNS:[\w.-]+|IP .*)$/u.test(entry))).toEqual(
    [],
  );
});

test('TLS3: it is renewed a month before it ends', async () => {
  const made = await source().first();
  now = days(365);
  expect(await source().renew(made)).toBeNull();
  now = days(3);
  expect(fingerprintOf((await source().renew(made)) ?? made)).not.toBe(fingerprintOf(made));
});

test('TLS3: a file that is damaged is replaced, and is private again', async () => {
  const path = join(dataDir, 'tls/self-signed.pem');
  await source().first();
  rmSync(path);
  writeFileSync(path, 'no certificate', { mode: 0o644 });
  const { facts } = await source().first();
  expect(facts.checkHost('depot')).toBe('depot');
  expect(statSync(path).mode & 0o777).toBe(0o600);
});
