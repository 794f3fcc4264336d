import { randomUUID } from 'node:crypto';
import { sql } from 'drizzle-orm';
import * as z from 'zod';
import { loadSecrets } from '#src/accounts/secrets.ts';
import type { Database } from '#src/db/connect.ts';
import { OUTBOX_LOCK } from '#src/db/locks.ts';
import { outbox } from '#src/db/schema/server.ts';
import { createLog } from '#src/logs/log.ts';
import { openRedis } from '#src/processes/redis.ts';
import { createRelay } from '#src/processes/relay.ts';
import { waitUntil } from './wait-until.ts';

export interface SettledProcesses {
  /** Resolves when each process has handled all earlier messages and sent them to its own sockets: facts, then news. */
  settled(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Listens beside the processes of one installation, as one more of them would.
 * @param count number of processes that log into `logLines`
 * @param countAll number of all processes of the installation at this moment
 */
export async function listenToProcesses(
  count: number,
  {
    countAll,
    database,
    redisUrl,
    logLines,
  }: { countAll: () => number; database: Database; redisUrl: string; logLines: Record<string, unknown>[] },
): Promise<SettledProcesses> {
  const log = createLog('silent', { write: () => undefined });
  const { installation } = await loadSecrets(database.db);
  const redis = await openRedis(redisUrl, installation.toString('hex', 0, 8), log);
  const relay = createRelay(redis, log);
  const answers = new Map<string, number>();
  relay.on('settled', z.object({ ask: z.string() }), ({ ask }) => answers.set(ask, (answers.get(ask) ?? 0) + 1));
  await relay.open(() => undefined);

  /** Uses an unknown fact, which each process logs. */
  async function factsSettled(): Promise<void> {
    const fact = `test ${randomUUID()}`;
    await database.db.transaction(async (tx) => {
      await tx.execute(sql`select pg_advisory_xact_lock(${OUTBOX_LOCK}), pg_notify('outbox', '')`);
      await tx.insert(outbox).values({ origin: randomUUID(), fact, news: {} });
    });
    const isTold = (line: Record<string, unknown>) => line.msg === 'fact_unknown' && line.fact === fact;
    await waitUntil(() => logLines.filter(isTold).length === count);
    logLines.splice(0, logLines.length, ...logLines.filter((line) => !isTold(line)));
  }
  /** Each process answers this question (PROC39) after everything that it had to send before. */
  async function newsSettled(): Promise<void> {
    const ask = randomUUID();
    relay.send('settle', { ask });
    await waitUntil(() => (answers.get(ask) ?? 0) >= countAll());
    answers.delete(ask);
  }

  return {
    async settled() {
      await factsSettled();
      // The first round waits until everything is sent, the second until everything is received.
      await newsSettled();
      await newsSettled();
    },
    async close() {
      await relay.close();
      await redis.close();
    },
  };
}
