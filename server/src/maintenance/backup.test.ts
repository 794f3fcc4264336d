import { execFileSync } from 'node:child_process';
import { appendFile, mkdir, mkdtemp, open, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, inject, test } from 'vitest';
import { openDatabase } from '#src/db/connect.ts';
import { PROCESSES_LOCK } from '#src/db/locks.ts';
import { lockProcesses } from '#src/db/processes-lock.ts';
import { takeRestoredFiles } from '#src/db/restored-files.ts';
import { type LogFilter, readLog } from '#src/features/activities/log.repository.ts';
import { findNames } from '#src/features/activities/log-names.ts';
import { uuidV7 } from '#src/shared/ids.ts';
import { ownFolder } from '#test/s3-server.ts';
import { copyStatement, urlOf } from '#test/test-database.ts';
import { waitUntil } from '#test/wait-until.ts';
import { MANIFEST, writeBackup } from './backup.ts';
import type { Installation } from './connect.ts';
import { moveDatabase } from './move-database.ts';
import { restoreBackup } from './restore.ts';
import { type FileLocation, withFiles } from './stored-files.ts';

/** A test's own bucket; null where there is no S3 server. */
const bucketOf = () => {
  const s3 = inject('s3');
  return s3 === null ? null : ownFolder(s3);
};

describe('a backup of a server’s database', () => {
  let dir: string;
  let kept: string;
  let names: string[];
  let one: Installation;
  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), 'pressel-backup-'));
    kept = join(dir, 'kept');
    names = [];
    one = await makeInstallation('one');
    await ask(
      one,
      `insert into users (id, identifier, first_name, last_name, password_hash, role)
      values ('${uuidV7()}', 'zoe@example.org', 'Zoë', E'Tab\\tand\\\\N', '-', 'admin')`,
    );
  });
  afterEach(async () => {
    for (const name of names) await ask(administration, `drop database ${name}`);
    await rm(dir, { recursive: true, force: true });
  });

  const administration = { databaseUrl: urlOf('postgres') };
  const ask = async ({ databaseUrl }: Pick<Installation, 'databaseUrl'>, statement: string) => {
    const client = new pg.Client({ connectionString: String(databaseUrl) });
    await client.connect();
    const { rows } = await client.query(statement);
    await client.end();
    return rows;
  };
  async function makeInstallation(place: string, s3: FileLocation['s3'] = null): Promise<Installation> {
    const name = `pressel_${uuidV7().replaceAll('-', '')}`;
    await ask(administration, copyStatement(name));
    names.push(name);
    return { dataDir: join(dir, place), databaseUrl: urlOf(name), s3 };
  }
  const people = (installation: Installation) => ask(installation, 'select first_name, last_name from users');
  const ZOE = { first_name: 'Zoë', last_name: 'Tab\tand\\N' };
  const backUp = () => writeBackup(one, kept, '2.0.2');

  test('is restored into an empty one as it was, search texts and all', async () => {
    const { tables } = await backUp();
    expect(tables.map(({ name }) => name)).not.toContain('sessions');
    const two = await makeInstallation('two');
    await restoreBackup(two, kept, { replace: false });
    expect(await people(two)).toEqual([ZOE]);
    const [found] = await ask(two, "select count(*)::int as n from users where strpos(search_text, 'zoe') > 0");
    expect(found).toEqual({ n: 1 });
  });

  test('[LOG8] brings the log back with its numbers, its names and what was deleted of it', async () => {
    await ask(
      one,
      `insert into activities (id, type, is_audit, user_id, user_first_name, user_display_name, target_id, target_name, channel_id, channel_name, created_at)
      select gen_random_uuid(), case when n % 3 = 0 then 'role_change' else 'login' end, n % 3 = 0,
        ('01900000-0000-7000-8000-00000000000' || n % 4)::uuid, 'Zoë', 'Zoë ' || n % 4, ('01900000-0000-7000-8000-00000000000' || n % 2)::uuid,
        'Bo', ('01900000-0000-7000-9000-00000000000' || n % 5)::uuid, 'Nord ' || n % 5, now() - n * interval '7 hours'
      from generate_series(1, 300) n`,
    );
    await ask(one, "insert into activity_horizon values (1, now() - interval '20 days')");
    const two = await makeInstallation('two');
    const logOf = async (installation: Installation) => {
      const database = await openDatabase({ connectionString: String(installation.databaseUrl) }, () => undefined);
      const { db } = database;
      const pages = [];
      for (const filter of [
        { scope: 'all' },
        { scope: 'audit' },
        { scope: 'spec', channelId: '01900000-0000-7000-9000-000000000003' },
        { scope: 'all', userId: '01900000-0000-7000-8000-000000000001' },
        { scope: 'all', types: ['login'] },
        { scope: 'all', named: await findNames(db, 'nord 2') },
        { scope: 'all', named: await findNames(db, 'zoe 3') },
      ] satisfies LogFilter[]) {
        pages.push(await readLog(db, { ...filter, start: 5, limit: 10 }));
      }
      await database.close();
      return pages;
    };
    const before = await logOf(one);
    expect(before[0]?.total).toBe(68);
    expect(before.map(({ rows }) => rows.length).every((count) => count > 0)).toBe(true);
    await backUp();
    await restoreBackup(two, kept, { replace: false });
    expect(await logOf(two)).toEqual(before);
  });

  test('[HIST4] keeps what is left of the history of users who are deleted, and whose it is', async () => {
    const [{ id } = { id: '' }] = await ask(one, 'select id from users');
    await ask(one, `insert into user_positions values ('${id}', now(), 48, 2)`);
    await ask(one, 'delete from users');
    await backUp();
    const two = await makeInstallation('two');
    await restoreBackup(two, kept, { replace: false });
    const left = 'select owner_id, kind from erasures join user_positions on user_id = owner_id';
    expect(await ask(two, left)).toEqual([{ owner_id: id, kind: 'user' }]);
  });

  /** All files of an installation, by name. */
  const filesOf = (installation: FileLocation) =>
    withFiles(installation, async (files) => {
      const found: Record<string, string> = {};
      for await (const piece of files.list('')) {
        for (const { name } of piece) found[name] = await text((await files.get(name))?.stream ?? Readable.from([]));
      }
      return found;
    });
  const put = (installation: FileLocation, content: Record<string, string>) =>
    withFiles(installation, async (files) => {
      for (const [name, words] of Object.entries(content)) await files.put(name, Buffer.from(words));
    });
  const OWNER = 'messages/installation';
  const UPLOADS = { [OWNER]: 'zoe', 'messages/a.webp': 'image', 'photos/deeper/b': 'é', 'messages/empty': '' };

  describe.each([
    ['a folder', 'a folder'],
    ['a folder', 'a bucket'],
    ['a bucket', 'a folder'],
    ['a bucket', 'a bucket'],
  ])('[FILE30] with its files in %s', (from, to) => {
    test(`is restored with its files in ${to}`, async ({ skip }) => {
      const bucket = bucketOf();
      if (bucket === null && [from, to].includes('a bucket')) return skip('No S3 server');
      const place = (kind: string) => (kind === 'a folder' ? null : bucketOf());
      const source = { ...one, s3: place(from) };
      await put(source, UPLOADS);
      const { files } = await writeBackup(source, kept, '2.0.2');
      expect(files.map(({ file }) => file).sort()).toEqual(
        Object.keys(UPLOADS)
          .map((name) => `files/${name}`)
          .sort(),
      );
      const two = await makeInstallation('two', place(to));
      await put(two, { 'messages/a.webp': 'image', 'messages/of-before.webp': 'x' });
      await restoreBackup(two, kept, { replace: false });
      expect(await people(two)).toEqual([ZOE]);
      // The server's sweep removes files without a row.
      expect(await filesOf(two)).toEqual({ ...UPLOADS, 'messages/of-before.webp': 'x' });
    });
  });

  test('leaves out files that are still being written, and those of others', async () => {
    await put(one, UPLOADS);
    for (const part of ['half.webp.part', 'half.webp.1a2b3c4d.part'])
      await writeFile(join(one.dataDir, 'files/messages', part), 'still being written');
    await writeFile(join(one.dataDir, 'files/messages/holiday photo.jpg'), '');
    expect((await backUp()).files).toHaveLength(Object.keys(UPLOADS).length);
  });

  test('[FILE31] does not replace files of another installation, unless that is asked for', async () => {
    await put(one, UPLOADS);
    await backUp();
    const two = await makeInstallation('two');
    await put(two, { [OWNER]: 'other', 'messages/c.webp': 'theirs' });
    await expect(restoreBackup(two, kept, { replace: false })).rejects.toThrow('are of another installation');
    expect(await filesOf(two)).toEqual({ [OWNER]: 'other', 'messages/c.webp': 'theirs' });
    expect(await people(two)).toEqual([]);
    await restoreBackup(two, kept, { replace: true });
    expect(await filesOf(two)).toMatchObject(UPLOADS);
  });

  describe('[FILE31] whose restore is cut', () => {
    const LATER = { [OWNER]: 'later', 'messages/empty': '', 'messages/c.webp': 'of later' };
    beforeEach(async () => {
      await put(one, UPLOADS);
      await backUp();
      await ask(one, "update users set first_name = 'Later'");
      await rm(join(one.dataDir, 'files'), { recursive: true });
      await put(one, LATER);
    });
    const start = async () => {
      const database = await openDatabase({ connectionString: String(one.databaseUrl) }, () => undefined);
      const taking = withFiles(one, (files) => takeRestoredFiles(database.db, files.put));
      await taking.finally(database.close);
    };
    const owner = async () => (await filesOf(one))[OWNER];

    test('before its rows are stored, leaves the rows and every file of before', async () => {
      const { tables } = JSON.parse(await readFile(join(kept, MANIFEST), 'utf8'));
      await withManifest({ tables: tables.map((table: object) => ({ ...table, rows: 2 })) })();
      await expect(restoreBackup(one, kept, { replace: true })).rejects.toThrow('rows of 2');
      await start();
      expect(await people(one)).toMatchObject([{ first_name: 'Later' }]);
      expect(await filesOf(one)).toMatchObject(LATER);
    });

    /** Makes the owner file unwritable, which cuts a restore. */
    async function cutRestore(): Promise<void> {
      const path = join(one.dataDir, 'files', OWNER);
      await rename(path, `${path}-aside`);
      await mkdir(path);
      await expect(restoreBackup(one, kept, { replace: true })).rejects.toThrow('EISDIR');
      await rm(path, { recursive: true });
      await rename(`${path}-aside`, path);
      expect(await people(one)).toEqual([ZOE]);
      expect(await filesOf(one)).toEqual({ ...UPLOADS, ...LATER });
    }

    test('after its rows are stored, ends at the next start, once', async () => {
      await cutRestore();
      await expect(moveDatabase(one, urlOf('nowhere'), () => undefined)).rejects.toThrow('A restore was interrupted');
      await start();
      expect(await filesOf(one)).toMatchObject(UPLOADS);
      await put(one, { [OWNER]: 'new' });
      await start();
      expect(await owner()).toBe('new');
    });

    test('after its rows are stored, ends before the next backup begins', async () => {
      await cutRestore();
      await writeBackup(one, join(dir, 'later'), '2.0.2');
      expect(await readFile(join(dir, 'later/files', OWNER), 'utf8')).toBe('zoe');
    });

    test('by an earlier version is begun anew', async () => {
      await ask(one, 'create table drizzle.restored_files ()');
      await expect(start()).rejects.toThrow('Restore the backup again, with --replace');
      await restoreBackup(one, kept, { replace: true });
      await start();
    });
  });

  test('is one moment of it, whatever is written while it is made', async () => {
    const writer = new pg.Client({ connectionString: String(one.databaseUrl) });
    await writer.connect();
    // `activities` is one of the first tables; `users` comes later.
    await writer.query('begin; lock table activities');
    const backingUp = backUp();
    const isWaiting = "select 1 from pg_locks where relation = 'activities'::regclass and not granted";
    await waitUntil(async () => (await ask(one, isWaiting)).length > 0);
    await writer.query("update users set first_name = 'Later'; commit");
    await writer.end();
    await backingUp;
    const two = await makeInstallation('two');
    await restoreBackup(two, kept, { replace: false });
    expect(await people(two)).toEqual([ZOE]);
  });

  test('replaces accounts only when that is asked for', async () => {
    await backUp();
    await ask(one, "update users set first_name = 'Later'");
    await expect(restoreBackup(one, kept, { replace: false })).rejects.toThrow('--replace');
    expect(await people(one)).toMatchObject([{ first_name: 'Later' }]);
    await restoreBackup(one, kept, { replace: true });
    expect(await people(one)).toEqual([ZOE]);
  });

  test.each(['create table public.invoices as select 1 as n', 'create view public.invoices as select 1 as n'])(
    'is not restored over what is not Pressel’s: %s',
    async (made) => {
      await backUp();
      const name = `pressel_${uuidV7().replaceAll('-', '')}`;
      await ask(administration, `create database ${name} strategy file_copy`);
      names.push(name);
      const other = { dataDir: join(dir, 'other'), databaseUrl: urlOf(name), s3: null };
      await ask(other, made);
      for (const replace of [false, true]) {
        await expect(restoreBackup(other, kept, { replace })).rejects.toThrow('are not Pressel’s');
      }
      expect(await ask(other, 'select n from invoices')).toEqual([{ n: 1 }]);
      await ask(other, 'drop schema public cascade; create schema public');
      await restoreBackup(other, kept, { replace: false });
      expect(await people(other)).toEqual([ZOE]);
    },
  );

  test('is not restored while somebody is connected', async () => {
    await backUp();
    const client = new pg.Client({ connectionString: String(one.databaseUrl) });
    await client.connect();
    await expect(restoreBackup(one, kept, { replace: true })).rejects.toThrow('Stop Pressel');
    await client.end();
    expect(await people(one)).toEqual([ZOE]);
  });

  test('[PROC20] lets no Pressel start while it is restored', async () => {
    await put(one, UPLOADS);
    await backUp();
    const connection = { connectionString: String(one.databaseUrl) };
    const start = () =>
      lockProcesses({ ...{ connection, isShared: false, waits: { startMs: 0, retakeMs: 0 } }, ...unwatched });
    const unwatched = { onTrouble: () => undefined, onLost: () => undefined };
    // A file that nobody has written yet: the restore waits where it compares files.
    const pipe = join(one.dataDir, 'files/messages/a.webp');
    await rm(pipe);
    execFileSync('mkfifo', [pipe]);
    const restoring = restoreBackup(one, kept, { replace: true });
    const locked = `select 1 from pg_locks l join pg_database d on d.oid = l.database
      where l.locktype = 'advisory' and l.objid = ${PROCESSES_LOCK} and d.datname = '${names[0]}'`;
    await waitUntil(async () => (await ask(administration, locked)).length > 0);
    const writer = await open(pipe, 'w');
    await expect(start()).rejects.toThrow('a restore or a move works on the database');
    await writer.close();
    await restoring;
    await (await start()).release();
  });

  const withManifest = (change: object) => async () => {
    const file = join(kept, MANIFEST);
    await writeFile(file, JSON.stringify({ ...JSON.parse(await readFile(file, 'utf8')), ...change }));
  };
  test.each([
    ['without its list', () => rm(join(kept, MANIFEST)), 'no whole backup'],
    ['whose list is no list', withManifest({ tables: 'x' }), 'damaged'],
    ['with a table that was changed', () => appendFile(join(kept, 'tables/users.copy'), 'x'), 'is not what it was'],
    ['without a table', () => rm(join(kept, 'tables/channels.copy')), 'is missing'],
    ['of a newer Pressel', withManifest({ migrations: 1_000 }), 'made by a newer Pressel'],
    [
      'that names files outside of it',
      withManifest({ files: [{ file: 'files/../../x', bytes: 0, sha256: '' }] }),
      'damaged',
    ],
    [
      'that names files outside of it behind a line break',
      withManifest({ files: [{ file: 'files/a\n/../../../x', bytes: 0, sha256: '' }] }),
      'of another kind',
    ],
    ['whose list leaves tables out', withManifest({ tables: [] }), 'it has no table'],
  ])('%s is refused, and what is there stays', async (_what, damage, sentence) => {
    await backUp();
    await damage();
    await expect(restoreBackup(one, kept, { replace: true })).rejects.toThrow(sentence);
    expect(await people(one)).toEqual([ZOE]);
  });

  test('that fails half-way leaves everything as it was', async () => {
    const { tables } = await backUp();
    const users = tables.find(({ name }) => name === 'users');
    await withManifest({ tables: tables.map((table) => (table === users ? { ...table, rows: 2 } : table)) })();
    await expect(restoreBackup(one, kept, { replace: true })).rejects.toThrow('has 1 rows of 2');
    expect(await people(one)).toEqual([ZOE]);
  });

  test('is written into no folder that is there, and of no database that is not', async () => {
    await expect(writeBackup(one, dir, '2.0.2')).rejects.toThrow('is there already');
    await expect(writeBackup(one, join(one.dataDir, 'files', 'kept'), '2.0.2')).rejects.toThrow('outside of it');
    await expect(writeBackup(one, join(dir, 'missing', 'kept'), '2.0.2')).rejects.toThrow('is not there');
    await expect(writeBackup({ ...one, databaseUrl: null }, kept, '2.0.2')).rejects.toThrow('There is no database');
    expect(await readdir(dir)).toEqual([]);
  });
});
