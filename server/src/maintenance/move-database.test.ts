import { execFileSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, inject, test } from 'vitest';
import { lockProcesses } from '#src/db/processes-lock.ts';
import { uuidV7 } from '#src/shared/ids.ts';
import { ask, CONTENT, makeEmptyDatabase, readValue, SILENT, startOn } from '#test/installations.ts';
import { makeGivenDatabase, urlOf } from '#test/test-database.ts';
import { writeBackup } from './backup.ts';
import type { Installation } from './connect.ts';
import { moveBack, moveDatabase, unfitness, withoutPassword } from './move-database.ts';
import { restoreBackup } from './restore.ts';
import type { FileLocation } from './stored-files.ts';

let dir: string;
let source: Installation & FileLocation;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'pressel-move-'));
  source = { dataDir: join(dir, 'data'), databaseUrl: await makeGivenDatabase(), s3: null };
  await ask(source.databaseUrl, CONTENT);
});
afterEach(() => rm(dir, { recursive: true, force: true }));

const nameOf = (url: string) => new URL(url).pathname.slice(1);

async function move(url: string, from = source) {
  const lines: string[] = [];
  const moved = await moveDatabase(from, url, (line) => lines.push(line));
  return { ...moved, lines };
}
const text = (url: string | null) => readValue(url, `string_agg(u::text, ',' order by id) from users u`);

test('[FILE20] everything is there as it was, sessions, keys and the numbers of sequences too, and is served', async () => {
  const target = await makeEmptyDatabase();
  const before = await text(source.databaseUrl);
  const { rows, lines, address } = await move(target);
  expect(lines).toEqual(expect.arrayContaining(['users: 20 rows', 'activities: 300 rows', 'Comparing both sides.']));
  expect(address).toBe(target);
  expect(rows).toBeGreaterThan(300);
  for (const url of [target, source.databaseUrl]) {
    expect(await text(url)).toBe(before);
    expect(await readValue(url, 'token_hash from sessions')).toBe('hash');
    expect(await readValue(url, `encode(key, 'hex') from secrets where name = 'files'`)).toBe('00ff5c');
    expect(await readValue(url, 'sum(n)::int from activity_deltas')).toBe(300);
    expect(await readValue(url, 'last_value::int from outbox_id_seq')).toBe(7);
  }
  await startOn(target);
  // Triggers work again.
  await ask(target, `insert into activities (id, type, created_at) values (gen_random_uuid(), 'login', now())`);
  expect(await readValue(target, 'sum(n)::int from activity_deltas')).toBe(301);
  expect(await readValue(target, `search_text from users where identifier = '1@example.org'`)).toContain('zoe');
});

test('[FILE23] nobody goes on with the database from before by mistake, until that is asked for', async () => {
  const target = await makeEmptyDatabase();
  await move(target);
  const moved = /^This installation was moved to \S+ on \d{4}-\d\d-\d\d\. Set DATABASE_URL to that\..*move-back/u;
  await expect(startOn(source.databaseUrl)).rejects.toThrow(moved);
  await expect(writeBackup(source, join(dir, 'kept'), '2.0.2')).rejects.toThrow(moved);
  expect((await move(target)).lines).toEqual([]);
  await expect(move(await makeEmptyDatabase())).rejects.toThrow('was moved to');
  await startOn(target);

  await moveBack(source);
  await startOn(source.databaseUrl);
  await expect(moveBack(source)).rejects.toThrow('Nothing was moved away');
  await expect(move(target)).rejects.toThrow('is not empty');
});

test('[FILE23] a restore puts a backup of the new database back into the old one', async () => {
  const target = await makeEmptyDatabase();
  await move(target);
  await ask(target, `update users set first_name = 'Later'`);
  await writeBackup({ ...source, databaseUrl: target }, join(dir, 'kept'), '2.0.2');
  await restoreBackup(source, join(dir, 'kept'), { replace: true });
  await startOn(source.databaseUrl);
  expect(await readValue(source.databaseUrl, 'first_name from users limit 1')).toBe('Later');
});

test('[FILE22] a move that ended between its last two steps is ended by the same command', async () => {
  const target = await makeEmptyDatabase();
  await move(target);
  const identity = `(select encode(sha256(string_agg(key, '' order by name)), 'hex') from secrets)`;
  const tables = `(select array_agg(tablename::text) from pg_tables where schemaname = 'public')`;
  await ask(target, `create table drizzle.half_moved as select ${identity} as source, ${tables} as whole`);
  for (const url of [source.databaseUrl, target]) await expect(startOn(url)).rejects.toThrow('moved');
  const { lines } = await move(target);
  expect(lines[0]).toMatch(/^(\d+) of \1 tables were brought before/u);
  await startOn(target);
  await expect(startOn(source.databaseUrl)).rejects.toThrow('was moved to');
});

describe('[FILE21] a target that is none', () => {
  test.each([
    ['a table', 'create table invoices ()', 'it has public.invoices'],
    ['a view of another program', 'create schema shop; create view shop.all as select 1 as n', 'it has shop."all"'],
    [
      'a function',
      `create function fold_text(text) returns text language sql as 'select 1'`,
      'it has public.fold_text',
    ],
    ['a type', `create type mood as enum ('good'); create type public.other as (a int)`, 'has public.mood and 1 more'],
  ])('is refused with %s, which stays', async (_what, made, sentence) => {
    const target = await makeEmptyDatabase();
    await ask(target, made);
    await expect(move(target)).rejects.toThrow(sentence);
    expect(await readValue(target, `to_regnamespace('drizzle')`)).toBeNull();
    await startOn(source.databaseUrl);
  });

  test('is refused with another Pressel, a part of another one, and the one to move', async () => {
    await expect(move(await makeGivenDatabase())).rejects.toThrow('is not empty');
    const half = await makeEmptyDatabase();
    await ask(
      half,
      `create schema drizzle; create table drizzle.half_moved as select 'x' as source, '{}'::text[] as whole`,
    );
    await expect(move(half)).rejects.toThrow('a part of another installation');
    await expect(move(String(source.databaseUrl))).rejects.toThrow('it is the one to move from');
    const used = await makeEmptyDatabase();
    const connection = { connectionString: used };
    const lock = await lockProcesses({ connection, isShared: true, ...SILENT });
    await expect(move(used)).rejects.toThrow('A Pressel works on the database to move to');
    await lock.release();
    await startOn(source.databaseUrl);
  });

  test('is refused where it can’t be reached, is in no Unicode, or gives no rights', async () => {
    const { host, port } = inject('cluster');
    const role = `mover_${uuidV7().replaceAll('-', '')}`;
    await ask(urlOf('postgres'), `create role ${role} login`);
    const target = await makeEmptyDatabase();
    const asRole = `postgres://${role}:secret@localhost:${port}/${nameOf(target)}?host=${encodeURIComponent(String(host))}`;
    const refused = await move(asRole).catch((error: Error) => error.message);
    expect(refused).toBe(
      `The role ${role} may make no tables in the database ${nameOf(target)}: make it the owner (alter database ${nameOf(target)} owner to ${role}).`,
    );
    await ask(target, `alter database ${nameOf(target)} owner to ${role}`);
    expect((await move(asRole)).address).toBe(asRole.replace('secret', '***'));
    await ask(
      target,
      `alter database ${nameOf(target)} owner to current_user; reassign owned by ${role} to current_user; drop owned by ${role}; drop role ${role}`,
    );
    await moveBack(source);

    await expect(move(urlOf('nowhere'))).rejects.toThrow(
      `can't be opened: database "nowhere" does not exist. Correct the address`,
    );
    await expect(move('postgres://a:secret@localhost:1/x')).rejects.toThrow(/can't be opened: .*ECONNREFUSED/u);
    for (const wrong of ['mysql://a:b@c/d', 'data', ''])
      await expect(move(wrong)).rejects.toThrow('The address must be');
    await expect(move(await makeEmptyDatabase(`encoding 'LATIN1' locale_provider libc locale 'C'`))).rejects.toThrow(
      'is in LATIN1',
    );
    const frozen = await makeEmptyDatabase();
    await ask(frozen, `alter database ${nameOf(frozen)} set default_transaction_read_only = on`);
    await expect(move(frozen)).rejects.toThrow('takes no changes');
    await startOn(source.databaseUrl);
  });

  test.each([
    [{ version: 14 }, 'is PostgreSQL 14: take 15 or newer'],
    [{ isReadOnly: true }, 'not a replica'],
    [{}, null],
  ])('is told by what it says of itself: %j', (change, sentence) => {
    const fit = { version: 15, encoding: 'UTF8', isReadOnly: false, role: 'r', name: 'n', mayCreate: true };
    const said = unfitness({ ...fit, ...change });
    if (sentence === null) expect(said).toBeNull();
    else expect(said).toContain(sentence);
  });

  test('has an address that is shown without its password', () => {
    expect(withoutPassword('postgres://a:b@c:5/d?sslmode=require')).toBe('postgres://a:***@c:5/d?sslmode=require');
    expect(withoutPassword('postgresql://a@c/d?password=b')).toBe('postgresql://a@c/d?password=***');
  });
});

test('[FILE24] an installation that somebody works on is not moved, nor one that is not there', async () => {
  const target = await makeEmptyDatabase();
  const connection = { connectionString: String(source.databaseUrl) };
  const lock = await lockProcesses({ connection, isShared: true, ...SILENT });
  await expect(move(target)).rejects.toThrow('Stop Pressel, then try again');
  await lock.release();
  await expect(move(target, { ...source, dataDir: join(dir, 'none'), databaseUrl: null })).rejects.toThrow(
    'There is no database',
  );
  expect(await readValue(target, `to_regnamespace('drizzle')`)).toBeNull();
});

test.each([
  ['a value', `update users set last_name = 'x' where identifier like '7@%'`, 'users (another content)'],
  ['a row too few', 'delete from sessions', 'sessions (1 rows, and 0)'],
  ['a byte of a key', `update secrets set key = '\\x00fe5c' where name = 'files'`, 'secrets (another content)'],
  ['the last digits of a number', 'update last_positions set lat = 48.856614', 'last_positions (another content)'],
  ['a sequence', `select setval('outbox_id_seq', 6)`, 'outbox_id_seq'],
])('[FILE20] what differs in the end is found, and moved anew: %s', async (_what, tampering, sentence) => {
  const target = await makeEmptyDatabase();
  // In a separate process, because the move goes on as soon as it has said that it compares.
  const tamper = `const { Client } = require('pg'); const client = new Client(process.argv[1]);
    client.connect().then(() => client.query(process.argv[2])).then(() => client.end())`;
  const moving = moveDatabase(source, target, (line) => {
    if (line === 'Comparing both sides.') execFileSync(process.execPath, ['-e', tamper, target, tampering]);
  });
  await expect(moving).rejects.toThrow(`Both sides differ in ${sentence}. Run the same command again: it begins anew.`);
  await expect(startOn(target)).rejects.toThrow('holds a part');
  await startOn(source.databaseUrl);
  await move(target);
  expect(await text(target)).toBe(await text(source.databaseUrl));
  await startOn(target);
});
