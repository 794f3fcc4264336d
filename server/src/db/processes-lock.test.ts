import pg from 'pg';
import { afterEach, beforeEach, describe, expect, inject, test, vi } from 'vitest';
import { uuidV7 } from '#src/shared/ids.ts';
import { waitUntil } from '#test/wait-until.ts';
import { PROCESSES_LOCK } from './locks.ts';
import { lockProcesses, type ProcessesLock } from './processes-lock.ts';

let name: string;
let admin: pg.Client;
let locks: ProcessesLock[];
beforeEach(async () => {
  name = `pressel_${uuidV7().replaceAll('-', '')}`;
  admin = new pg.Client(inject('cluster'));
  await admin.connect();
  await admin.query(`create database ${name} template template0 strategy file_copy`);
  locks = [];
});
afterEach(async () => {
  vi.restoreAllMocks();
  for (const lock of locks) await lock.release();
  await admin.query(`drop database ${name}`);
  await admin.end();
});

const lock = async (isShared: boolean, { startMs = 0, retakeMs = 60_000, serveMs = 60_000, beginMs = 60_000 } = {}) => {
  const waits = { startMs, retakeMs, serveMs, beginMs };
  const heard = { onTrouble: vi.fn(), onLost: vi.fn() };
  const connection = { ...inject('cluster'), database: name };
  const taken = await lockProcesses({ connection, isShared, waits, ...heard });
  locks.push(taken);
  return { ...taken, ...heard };
};
/** @returns the process numbers of the connections that hold the lock */
const holders = async (): Promise<number[]> => {
  const { rows } = await admin.query(
    `select distinct l.pid from pg_locks l join pg_database d on d.oid = l.database
    where l.locktype = 'advisory' and l.objid = $1 and l.granted and d.datname = $2`,
    [PROCESSES_LOCK, name],
  );
  return rows.map(({ pid }) => pid);
};
const cut = (pids: readonly number[]) => admin.query('select pg_terminate_backend(unnest($1::int[]))', [pids]);

test('[PROC20] a process without REDIS_URL is the only one', async () => {
  const one = await lock(false);
  expect(one.isFirst).toBe(true);
  const both = await Promise.allSettled([lock(false), lock(true)]);
  expect(both.map((outcome) => outcome.status === 'rejected' && outcome.reason.message)).toEqual([
    'Another Pressel, a restore or a move works on the database of DATABASE_URL. Stop it, or set the same REDIS_URL for both.',
    'A Pressel without REDIS_URL, a restore or a move works on the database of DATABASE_URL. Stop it, or set the same REDIS_URL for it.',
  ]);
  expect(await holders()).toHaveLength(1);
});

test('[PROC20] processes with REDIS_URL are several, and know which one came first', async () => {
  const [one, two] = [await lock(true), await lock(true)];
  expect([one.isFirst, two.isFirst]).toEqual([true, false]);
  await expect(lock(false)).rejects.toThrow('Another Pressel');
  await one.release();
  expect((await lock(true)).isFirst).toBe(false);
});

test('[PROC21] a start waits for a process that is just ending', async () => {
  const one = await lock(false);
  const two = lock(false, { startMs: 60_000 });
  await waitUntil(async () => {
    const { rows } = await admin.query(
      `select count(*)::int as n from pg_stat_activity where datname = $1 and query like 'select pg_try%'`,
      [name],
    );
    return rows[0].n === 2;
  });
  await one.release();
  expect((await two).isFirst).toBe(false);
});

test('[PROC21] a connection that is cut is made anew, and takes the lock again', async () => {
  const one = await lock(false);
  const before = await holders();
  await cut(before);
  await waitUntil(async () => (await holders()).some((pid) => !before.includes(pid)));
  expect(one.onTrouble).toHaveBeenCalled();
  expect(one.onLost).not.toHaveBeenCalled();
});

test('[PROC21] a process whose lock another one got meanwhile is told so', async () => {
  const one = await lock(false, { retakeMs: 0 });
  // Acts like a process that starts at this very moment.
  const other = new pg.Client({ ...inject('cluster'), database: name });
  await other.connect();
  const waiting = other.query('select pg_advisory_lock($1)', [PROCESSES_LOCK]);
  await cut(await holders());
  await waiting;
  await waitUntil(() => one.onLost.mock.calls.length === 1);
  await other.end();
});

/** @returns whether it is the first to serve */
const serve = async (one: ProcessesLock): Promise<boolean> => {
  const begin = vi.fn(async (_isFirst: boolean) => undefined);
  await one.serve(begin);
  return begin.mock.calls[0]?.[0] === true;
};

test('[PROC106] a process that ends knows whether another one serves that doesn’t end', async () => {
  const [one, two, three] = [await lock(true), await lock(true), await lock(true)];
  await serve(one);
  await serve(two);
  expect(await one.sayEnding()).toBe(true);
  expect(await two.sayEnding()).toBe(false);
  expect(await one.sayEnding()).toBe(false);
  // One that ends still serves, so its floors go on.
  expect(await serve(three)).toBe(false);
  expect(await one.sayEnding()).toBe(true);
});

describe('[PROC101] which process is the first to serve', () => {
  test('depends on who serves, and not on who started', async () => {
    const [one, two, three] = [await lock(true), await lock(true), await lock(true)];
    expect([await serve(two), await serve(one)]).toEqual([true, false]);
    await Promise.all([one.release(), two.release()]);
    expect(await serve(three)).toBe(true);
  });

  test('is settled once: the others wait until it has begun', async () => {
    const all = [await lock(true), await lock(true), await lock(true)];
    let isBeginning = false;
    const begun: boolean[] = [];
    const begin = async (isFirst: boolean) => {
      expect(isBeginning).toBe(false);
      isBeginning = true;
      begun.push(isFirst);
      await admin.query('select pg_sleep(0.05)');
      isBeginning = false;
    };
    await Promise.all(all.map((one) => one.serve(begin)));
    expect(begun).toEqual([true, false, false]);
  });

  test('is none that could not begin', async () => {
    const [one, two] = [await lock(true), await lock(true)];
    await expect(one.serve(() => Promise.reject(new Error('No floors')))).rejects.toThrow('No floors');
    await one.release();
    expect(await serve(two)).toBe(true);
  });

  test('[PROC103] isn’t one whose beginning hangs: it gives up, and the next one begins', async () => {
    const [one, two] = [await lock(true, { beginMs: 0 }), await lock(true)];
    await expect(one.serve(() => new Promise(() => undefined))).rejects.toThrow('could not begin to serve in time');
    expect(await serve(two)).toBe(true);
  });

  test('stays known when the connection of one that serves is made anew', async () => {
    const [one, two] = [await lock(true), await lock(true)];
    await serve(one);
    const before = await holders();
    await cut(before);
    await waitUntil(async () => (await holders()).filter((pid) => !before.includes(pid)).length === 2);
    expect(await serve(two)).toBe(false);
  });

  test('is none beside a process of a version that doesn’t say when it serves', async () => {
    const older = new pg.Client({ ...inject('cluster'), database: name });
    await older.connect();
    await older.query('select pg_advisory_lock_shared($1)', [PROCESSES_LOCK]);
    expect(await serve(await lock(true))).toBe(false);
    await older.end();
  });

  test('isn’t known while one hangs in its beginning, which is said', async () => {
    const [one, two] = [await lock(true), await lock(true, { serveMs: 0 })];
    const { promise, resolve } = Promise.withResolvers<void>();
    const { promise: begun, resolve: begins } = Promise.withResolvers<void>();
    const serving = one.serve(() => {
      begins();
      return promise;
    });
    await begun;
    await expect(serve(two)).rejects.toThrow('hangs while it starts');
    resolve();
    await serving;
  });
});
