import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'drizzle-orm';
import type { FastifyInstance } from 'fastify';
import { describe, expect, inject, onTestFinished, test } from 'vitest';
import { checkDisk, createReadiness } from '#src/processes/readiness.ts';
import { alone } from './alone.ts';
import { buildTestApp } from './build-test-app.ts';
import { openTestDatabase } from './test-database.ts';

const WELL = { draining: 'ok', admission: 'ok', database: 'ok', migrations: 'ok', disk: 'ok' };

alone('each process is ready by itself').describe('/readyz [OPS5]', () => {
  async function start(steady: () => number = () => performance.now()) {
    const database = await openTestDatabase();
    let isAway = false;
    let pings = 0;
    const t = await buildTestApp({
      database: {
        ...database,
        async ping() {
          pings += 1;
          if (isAway) throw new Error('connect ECONNREFUSED db.internal:5432');
          await database.ping();
        },
      },
      steadyNow: steady,
    });
    onTestFinished(async () => {
      await t.close();
      await database.close();
    });
    return { t, database, setAway: (away: boolean) => (isAway = away), pings: () => pings };
  }

  test('names what it looked at, without a secret', async () => {
    const { t } = await start();
    const answer = await t.app.inject({ url: '/readyz' });
    expect([answer.statusCode, answer.json()]).toEqual([200, { status: 'ready', checks: WELL }]);
    expect(answer.headers['cache-control']).toBe('no-store');
  });

  test('[PROC103] is 503 until people are admitted', async () => {
    const database = await openTestDatabase();
    const answers: unknown[] = [];
    let app: FastifyInstance | undefined;
    const t = await buildTestApp({
      beforeListening(listening) {
        app = listening;
      },
      database: {
        ...database,
        async serve(begin) {
          const answer = await app?.inject({ url: '/readyz' });
          answers.push(answer?.statusCode, answer?.json().checks.admission);
          await begin(true);
        },
      },
    });
    onTestFinished(async () => {
      await t.close();
      await database.close();
    });
    expect(answers).toEqual([503, 'failed']);
  });

  test('is 503 while the database is away, says so once in the log, and heals', async () => {
    let steady = 0;
    const { t, setAway } = await start(() => steady);
    const ask = async () => {
      steady += 1_000;
      const { statusCode, body } = await t.app.inject({ url: '/readyz' });
      return { statusCode, body, json: JSON.parse(body) };
    };
    setAway(true);
    const away = await ask();
    expect(away.statusCode).toBe(503);
    expect(away.json).toMatchObject({ success: false, code: 'unavailable', checks: { ...WELL, database: 'failed' } });
    expect(away.body).not.toContain('internal:5432');
    await ask();
    expect(t.logLines.filter(({ msg }) => msg === 'not_ready')).toMatchObject([{ check: 'database' }]);
    setAway(false);
    expect((await ask()).statusCode).toBe(200);
    expect(t.logLines.filter(({ msg }) => msg === 'ready_again')).toHaveLength(1);
  });

  test('is 503 where migrations are missing: an older backup was put in under it', async () => {
    const { t, database } = await start();
    const last = sql`(select max(id) from drizzle.__drizzle_migrations)`;
    const taken = await database.db.execute(
      sql`delete from drizzle.__drizzle_migrations where id = ${last} returning *`,
    );
    const [row] = taken.rows as { id: number; hash: string; created_at: string }[];
    const answer = await t.app.inject({ url: '/readyz' });
    await database.db.execute(
      sql`insert into drizzle.__drizzle_migrations values (${row?.id}, ${row?.hash}, ${row?.created_at})`,
    );
    expect([answer.statusCode, answer.json().checks]).toEqual([503, { ...WELL, migrations: 'failed' }]);
  });

  test('costs one look a second, however many ask', async () => {
    let steady = 0;
    const { t, pings } = await start(() => steady);
    await Promise.all(Array.from({ length: 50 }, () => t.app.inject({ url: '/readyz' })));
    expect(pings()).toBe(1);
    steady += 999;
    await t.app.inject({ url: '/readyz' });
    expect(pings()).toBe(1);
    steady += 1;
    await t.app.inject({ url: '/readyz' });
    expect(pings()).toBe(2);
  });
});

test('/healthz asks for nothing but the database, so that nobody restarts a process for a full disk [OPS4]', async () => {
  const t = await buildTestApp();
  onTestFinished(() => t.close());
  const answer = await t.app.inject({ url: '/healthz' });
  expect([answer.statusCode, answer.json()]).toEqual([200, { status: 'ok' }]);
});

describe('checks [OPS5]', () => {
  test('one that hangs has failed after its time, and holds up no other', async () => {
    const readiness = createReadiness({ warn: () => undefined, info: () => undefined }, () => 0, 10);
    readiness.require('redis', () => new Promise(() => undefined));
    readiness.require('database', async () => undefined);
    expect(await readiness.report()).toEqual({ isReady: false, checks: { redis: 'failed', database: 'ok' } });
  });

  test('one that is only mentioned takes no client away', async () => {
    const readiness = createReadiness({ warn: () => undefined, info: () => undefined }, () => 0);
    readiness.require('database', async () => undefined);
    readiness.mention('redis', async () => Promise.reject(new Error('away')));
    expect(await readiness.report()).toEqual({ isReady: true, checks: { database: 'ok', redis: 'failed' } });
  });

  test.skipIf(inject('redis') === null)('of several processes mention the Redis that they share', async () => {
    const t = await buildTestApp({ config: { redisUrl: inject('redis') } });
    onTestFinished(() => t.close());
    expect((await t.app.inject({ url: '/readyz' })).json().checks).toEqual({ ...WELL, cut_off: 'ok', redis: 'ok' });
  });

  test('of the disk: a folder that can be written to, with room, and nothing is left there', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'pressel-disk-'));
    onTestFinished(() => rm(dir, { recursive: true }));
    await checkDisk(dir);
    expect(await readdir(dir)).toEqual([]);
    await expect(checkDisk(dir, Number.MAX_SAFE_INTEGER)).rejects.toThrow(/bytes left/u);
    await writeFile(join(dir, 'file'), '');
    await expect(checkDisk(join(dir, 'file'))).rejects.toThrow(/EEXIST|ENOTDIR/u);
  });
});
