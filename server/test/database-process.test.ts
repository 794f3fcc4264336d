import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { readPostmaster } from '#src/db/embedded/postmaster.ts';
import { withDatabase } from '#src/maintenance/connect.ts';
import { readyServer, type ServerRun, startServer } from './start-server.ts';
import { copyDataFolder, makeGivenDatabase } from './test-database.ts';
import { waitUntil } from './wait-until.ts';

/** How the server process runs its own database. */
describe('the database of the process', { timeout: 240_000 }, () => {
  let dataDir: string;
  let folder: string;
  let runs: ServerRun[];
  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'pressel-database-'));
    folder = join(dataDir, 'postgres');
    runs = [];
  });
  afterEach(async () => {
    for (const { child } of runs) child.kill('SIGKILL');
    await Promise.all(runs.map(({ ended }) => ended));
    await waitUntil(() => !existsSync(join(folder, 'postmaster.pid')));
    await rm(dataDir, { recursive: true, force: true });
  });
  const start = (): ServerRun => {
    const run = startServer({ DATA_DIR: dataDir });
    runs.push(run);
    return run;
  };

  test('ends with it, in order or killed', async () => {
    const first = start();
    await readyServer(first);
    expect(await readPostmaster(folder)).toMatchObject({ isReady: true });
    first.child.kill('SIGTERM');
    expect(await first.ended).toBe(0);
    expect(await readdir(dataDir)).toEqual(['postgres']);
    expect(await readPostmaster(folder)).toBeNull();

    const second = start();
    await readyServer(second);
    second.child.kill('SIGKILL');
    await second.ended;
    await waitUntil(async () => (await readPostmaster(folder)) === null);
  });

  test('of two processes that start at once exactly one has it, the other is told so in a sentence', async () => {
    await copyDataFolder(dataDir);
    const first = start();
    await readyServer(first);
    first.child.kill('SIGKILL');
    await first.ended;
    const both = [start(), start()];
    await Promise.race(both.map(({ ended }) => ended));
    const [loser, winner] = both[0]?.child.exitCode === null ? both.toReversed() : both;
    if (loser === undefined || winner === undefined) throw new Error('Two were started');
    expect(loser.errors()).toBe(
      `The data directory ${dataDir} is in use by process ${winner.child.pid}. Stop it, or set DATA_DIR.\n`,
    );
    const { origin } = await readyServer(winner);
    expect((await fetch(`${origin}/healthz`)).status).toBe(200);
  });

  test('is not made anew beside the data of an earlier Pressel', async () => {
    await mkdir(join(dataDir, 'db'));
    await writeFile(join(dataDir, 'db/PG_VERSION'), '17\n');
    const run = start();
    expect(await run.ended).toBe(1);
    expect(run.errors()).toMatch(/^\S+\/db holds the data of an earlier Pressel, which this one cannot read\. .*\n$/u);
    expect(await readdir(dataDir)).toEqual(['db']);
  });

  test('that is damaged is told in a sentence, without a stack', async () => {
    await mkdir(folder);
    await writeFile(join(folder, 'PG_VERSION'), '18\n');
    const run = start();
    expect(await run.ended).toBe(1);
    expect(run.errors()).toMatch(/^\S+ is not a whole database any more: .*\n$/u);
    expect(await readFile(join(folder, 'PG_VERSION'), 'utf8')).toBe('18\n');
  });

  // `base/5` is the database `postgres` of a new cluster.
  test.each(['base/5', 'base/5/PG_VERSION', 'global/pg_filenode.map'])(
    'whose server starts and that does not open without its %s is told in a sentence, without a stack',
    async (part) => {
      await copyDataFolder(dataDir);
      await rm(join(folder, part), { recursive: true });
      const run = start();
      expect(await run.ended).toBe(1);
      // Comes after the database's own lines.
      expect(run.errors()).toMatch(/(?:^|\n)The database in \S+ can't be opened: .* restore a backup.*\n$/u);
      expect(run.errors()).not.toMatch(/^ +at /mu);
    },
  );

  test.each(['secrets', 'servers', 'users'])(
    'that opens without its %s is told in the same sentence, without a stack and without what was to be stored',
    async (table) => {
      await copyDataFolder(dataDir);
      const [file] = await withDatabase({ dataDir, databaseUrl: null }, async (client) => {
        const { rows } = await client.query<{ path: string }>('select pg_relation_filepath($1::regclass) as path', [
          table,
        ]);
        return rows.map(({ path }) => path);
      });
      await rm(join(folder, String(file)));
      const run = start();
      expect(await run.ended).toBe(1);
      expect(run.errors()).toMatch(
        /(?:^|\n)The database in \S+ can't be opened: could not open .* restore a backup.*\n$/u,
      );
      expect(run.errors()).not.toMatch(/^ +at |params|insert into/mu);
    },
  );
});

describe('a database of DATABASE_URL', { timeout: 240_000 }, () => {
  test('[PROC20] [PROC21] serves one process that has no REDIS_URL, and the next one as soon as that is killed', async () => {
    const databaseUrl = await makeGivenDatabase();
    const dataDir = await mkdtemp(join(tmpdir(), 'pressel-given-'));
    const runs: ServerRun[] = [];
    onTestFinished(async () => {
      for (const { child } of runs) child.kill('SIGKILL');
      await Promise.all(runs.map(({ ended }) => ended));
      await rm(dataDir, { recursive: true, force: true });
    });
    const start = (): ServerRun => {
      const run = startServer({ DATA_DIR: dataDir, DATABASE_URL: databaseUrl });
      runs.push(run);
      return run;
    };
    const first = start();
    const { origin } = await readyServer(first);
    const second = start();
    expect(await second.ended).toBe(1);
    expect(second.errors()).toBe(
      'Another Pressel, a restore or a move works on the database of DATABASE_URL. Stop it, or set the same REDIS_URL for both.\n',
    );
    expect((await fetch(`${origin}/healthz`)).status).toBe(200);
    first.child.kill('SIGKILL');
    const next = start();
    expect((await fetch(`${(await readyServer(next)).origin}/healthz`)).status).toBe(200);
  });
});
