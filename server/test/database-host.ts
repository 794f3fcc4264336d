/**
 * For `npm run bench -- history`: a throw-away PostgreSQL with the product's settings, which outlives the server that works
 * on it. It runs statements and watches who holds the lock of accounts. It is controlled by IPC.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { startCluster } from '#src/db/embedded/cluster.ts';
import { findPrograms } from '#src/db/embedded/programs.ts';
import { ACCOUNTS_LOCK } from '#src/db/locks.ts';
import { createLog } from '#src/logs/log.ts';
import { answerBench } from './answer-bench.ts';

/** Requests of the bench. The reply to `held` is the longest time, ms, since the last such request. */
export type HostRequest = { ask: 'run'; sql: string } | { ask: 'held' } | { ask: 'close' };
export type HostReply = { url: string } | { rows: unknown[]; ms: number } | { heldMs: number } | { done: true };

const LOOK_EVERY_MS = 2;

const log = createLog('error', process.stderr);
const dir = await mkdtemp(join(tmpdir(), 'pressel-database-'));
const cluster = await startCluster({ programs: await findPrograms(), folder: join(dir, 'postgres'), log });
const { user, host, port, database } = cluster.connection;
const [client, watcher] = [new pg.Client(cluster.connection), new pg.Client(cluster.connection)];
await Promise.all([client.connect(), watcher.connect()]);

let isClosing = false;
let longestMs = 0;
/** Polls who holds the lock. It misses locks that are held for less than one poll. */
const watching = (async () => {
  let holder = '';
  let since = 0;
  while (!isClosing) {
    const { rows } = await watcher.query<{ holder: string }>(
      `select pid || ' ' || xact_start as holder from pg_locks join pg_stat_activity using (pid)
      where locktype = 'advisory' and objid = $1 and granted`,
      [ACCOUNTS_LOCK],
    );
    const now = performance.now();
    const found = rows[0]?.holder ?? '';
    if (found !== holder) since = now;
    else if (found !== '') longestMs = Math.max(longestMs, now - since);
    holder = found;
    await sleep(LOOK_EVERY_MS);
  }
})();

async function answer(request: HostRequest): Promise<HostReply> {
  switch (request.ask) {
    case 'run': {
      const begun = performance.now();
      const { rows } = await client.query(request.sql);
      return { rows, ms: performance.now() - begun };
    }
    case 'held': {
      const heldMs = longestMs;
      longestMs = 0;
      return { heldMs };
    }
    case 'close':
      isClosing = true;
      await watching;
      await Promise.all([client.end(), watcher.end()]);
      await cluster.stop();
      await rm(dir, { recursive: true, force: true });
      return { done: true };
  }
}

answerBench(answer);
const url = `postgres://${user}@localhost:${port}/${database}?host=${encodeURIComponent(String(host))}`;
process.send?.({ url } satisfies HostReply);
