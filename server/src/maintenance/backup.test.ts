import type { PathLike } from 'node:fs';
import { appendFile, cp, mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { openDatabase } from '#src/db/connect.ts';
import { lockProcesses } from '#src/db/processes-lock.ts';
import { disk } from '#src/db/restored-files.ts';
import { type LogFilter, readLog } from '#src/features/activities/log.repository.ts';
import { findNames } from '#src/features/activities/log-names.ts';
import { uuidV7 } from '#src/shared/ids.ts';
import { urlOf } from '#test/test-database.ts';
import { waitUntil } from '#test/wait-until.ts';
import { LAST_BACKUP, writeBackup } from './backup.ts';
import type { Installation } from './connect.ts';
import { MANIFEST } from './manifest.ts';
import { restoreBackup } from './restore.ts';

/** Ends a restore as a power cut would: at this step of those that remove or rename folders of the uploads. */
const powerCut = { at: Number.POSITIVE_INFINITY, steps: [] as string[] };
function stepBefore<Args extends [path: PathLike, ...unknown[]]>(name: string, act: (...args: Args) => Promise<void>) {
  return async (...args: Args) => {
    if (powerCut.steps.length >= powerCut.at) throw new Error('Power cut');
    powerCut.steps.push(`${name} ${basename(String(args[0]))}`);
    return act(...args);
  };
}

describe('a backup of a server’s database', () => {
  let dir: string;
  let kept: string;
  let names: string[];
  let one: Installation;
  beforeEach(async () => {
    vi.spyOn(disk, 'rename').mockImplementation(stepBefore('rename', rename));
    vi.spyOn(disk, 'rm').mockImplementation(stepBefore('rm', rm));
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
    vi.restoreAllMocks();
    Object.assign(powerCut, { at: Number.POSITIVE_INFINITY, steps: [] });
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
  async function makeInstallation(place: string): Promise<Installation> {
    const name = `pressel_${uuidV7().replaceAll('-', '')}`;
    await ask(administration, `create database ${name} template pressel_template`);
    names.push(name);
    return { dataDir: join(dir, place), databaseUrl: urlOf(name), s3: null };
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

  test('holds the files that people uploaded', async () => {
    await cp(import.meta.dirname, join(one.dataDir, 'files/chat'), { recursive: true });
    await writeFile(join(one.dataDir, 'files/chat/half.webp.part'), 'still being written');
    await backUp();
    const two = await makeInstallation('two');
    await cp(join(one.dataDir, 'files/chat/tables.ts'), join(two.dataDir, 'files/of-before.ts'));
    await restoreBackup(two, kept, { replace: false });
    expect(await readdir(join(two.dataDir, 'files/chat'))).toEqual(await readdir(import.meta.dirname));
    expect(await readdir(two.dataDir)).toEqual(['files']);
    expect(await readdir(join(two.dataDir, 'files'))).toEqual(['chat']);
  });

  describe('whose restore is cut', () => {
    /** A restore of Zoë and her upload over Later and theirs, cut at a step. */
    async function cutRestore(at: number): Promise<void> {
      await mkdir(join(one.dataDir, 'files'), { recursive: true });
      await writeFile(join(one.dataDir, 'files/of-zoe'), '');
      await backUp();
      await ask(one, "update users set first_name = 'Later'");
      await rm(join(one.dataDir, 'files/of-zoe'));
      await writeFile(join(one.dataDir, 'files/of-later'), '');
      Object.assign(powerCut, { at, steps: [] });
      await expect(restoreBackup(one, kept, { replace: true })).rejects.toThrow('Power cut');
      powerCut.at = Number.POSITIVE_INFINITY;
    }
    const start = async () => {
      const database = await openDatabase({ connectionString: String(one.databaseUrl) }, () => undefined, one.dataDir);
      await database.close();
    };
    const present = async () => [await people(one), await readdir(join(one.dataDir, 'files'))];
    const AFTER = [[ZOE], ['of-zoe']];
    const BEFORE = [[{ ...ZOE, first_name: 'Later' }], ['of-later']];

    test.each([
      [0, BEFORE],
      [1, BEFORE],
      [2, AFTER],
      [3, AFTER],
      [4, AFTER],
      [5, AFTER],
    ])('at its step %i has rows and files of one time from the next start on', async (at, expected) => {
      await cutRestore(at);
      await start();
      expect(await present()).toEqual(expected);
      if (expected === AFTER) expect(await readdir(one.dataDir)).toEqual(['files', LAST_BACKUP]);
      await writeFile(join(one.dataDir, 'files/new'), '');
      await start();
      expect(await readdir(join(one.dataDir, 'files'))).toContain('new');
    });

    test('has no more steps than those', async () => {
      await mkdir(join(one.dataDir, 'files'), { recursive: true });
      await backUp();
      powerCut.steps = [];
      await restoreBackup(one, kept, { replace: true });
      expect(powerCut.steps).toEqual([
        ...['rm files.restored', 'rm files.replaced'],
        ...['rm files.replaced', 'rename files', 'rename files.restored', 'rm files.replaced'],
      ]);
    });

    test('is ended by a backup, and by another restore, before they begin', async () => {
      await cutRestore(3);
      const later = join(dir, 'later');
      expect((await writeBackup(one, later, '2.0.2')).files.map(({ file }) => file)).toEqual(['files/of-zoe']);
      await rm(kept, { recursive: true });
      await cutRestore(3);
      await withManifest({ tables: [] })();
      await expect(restoreBackup(one, kept, { replace: true })).rejects.toThrow('it has no table');
      expect(await present()).toEqual(AFTER);
    });
  });

  test('is one moment of it, whatever is written while it is made', async () => {
    const writer = new pg.Client({ connectionString: String(one.databaseUrl) });
    await writer.connect();
    // Of the tables one of the first; that of users comes later.
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
      await ask(administration, `create database ${name}`);
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
    await backUp();
    const connection = { connectionString: String(one.databaseUrl) };
    const start = () =>
      lockProcesses({ ...{ connection, isShared: false, waits: { startMs: 0, retakeMs: 0 } }, ...unwatched });
    const unwatched = { onTrouble: () => undefined, onLost: () => undefined };
    vi.spyOn(disk, 'rm').mockImplementationOnce(async () => {
      await expect(start()).rejects.toThrow('a restore or a move works on the database');
    });
    await restoreBackup(one, kept, { replace: true });
    expect(disk.rm).toHaveBeenCalled();
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
