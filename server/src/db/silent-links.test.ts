import pg from 'pg';
import { afterEach, beforeEach, expect, inject, test } from 'vitest';
import { type Balancer, openBalancer } from '../../test/balancer.ts';
import { waitUntil } from '../../test/wait-until.ts';
import { databaseTrouble } from './errors.ts';
import { endSilentLinks, type SilentLinksOptions } from './silent-links.ts';

const AWAY = { kind: 'away', retryAfterSeconds: 5 };
const NEVER_MS = 1_000_000;
const closers: (() => unknown)[] = [];
let way: Balancer;
beforeEach(async () => {
  const { host, port } = inject('cluster');
  way = await openBalancer(() => [`${host}/.s.PGSQL.${port}`], { asks: false });
  closers.push(way.close);
});
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

/** A pool that reaches PostgreSQL by a route that can fall silent. */
function openPool(options: Omit<SilentLinksOptions, 'connection'>, proof?: pg.ClientConfig) {
  const { hostname: host, port } = new URL(way.origin);
  const connection = { ...inject('cluster'), host, port: Number(port) };
  const pool = new pg.Pool(connection);
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  closers.push(() => pool.end(), endSilentLinks(pool, { connection: proof ?? connection, ...options }));
  return pool;
}

test('[PROC110] a statement whose answer cannot come fails as “away” once no new connection can be made either', async () => {
  const pool = openPool({ endMs: NEVER_MS, doubtMs: 40, proofMs: 100 });
  await pool.query('select 1');
  way.silence(true);
  const failure = await pool.query('select 1').catch((error: unknown) => error);
  expect(databaseTrouble(failure)).toEqual(AWAY);
  way.silence(false);
  expect((await pool.query('select 2 as answer')).rows).toEqual([{ answer: 2 }]);
});

test('[PROC110] a transaction fails so too, and the pool gives its connection to nobody', async () => {
  const pool = openPool({ endMs: NEVER_MS, doubtMs: 40, proofMs: 100 });
  const client = await pool.connect();
  await client.query('begin');
  way.silence(true);
  expect(databaseTrouble(await client.query('select 1').catch((error: unknown) => error))).toEqual(AWAY);
  expect(databaseTrouble(await client.query('rollback').catch((error: unknown) => error))).toEqual(AWAY);
  client.release();
  expect(pool.totalCount).toBe(0);
});

test('[PROC110] a slow statement is left alone while PostgreSQL can be reached', async () => {
  const pool = openPool({ endMs: NEVER_MS, doubtMs: 20, proofMs: 10_000 });
  const { rows } = await pool.query(`select 'late' as answer from pg_sleep(0.5)`);
  expect(rows).toEqual([{ answer: 'late' }]);
});

test('[PROC110] a link that stays silent for longer than PostgreSQL allows is ended, though a new one can be made', async () => {
  const pool = openPool({ endMs: 200, doubtMs: 40, proofMs: 10_000 }, inject('cluster'));
  await pool.query('select 1');
  way.silence(true);
  expect(databaseTrouble(await pool.query('select 1').catch((error: unknown) => error))).toEqual(AWAY);
});

test('[PROC110] an unused connection is left alone, however long it is silent', async () => {
  const pool = openPool({ endMs: 20, doubtMs: 20, proofMs: 10_000 });
  await pool.query('select 1');
  const looked = performance.now();
  await waitUntil(() => performance.now() - looked > 100);
  expect(pool.totalCount).toBe(1);
});
