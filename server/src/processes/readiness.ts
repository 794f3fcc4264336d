import { statfsSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import { failureBody } from '#src/shared/app-error.ts';
import { shareUnderWay } from '#src/shared/keyed-lock.ts';

/** A balancer asks again within seconds, and must not wait for a hanging database. */
const CHECK_MAX_MS = 2_000;
/** Strangers may ask too, so a report is kept for this long. */
const KEPT_MS = 1_000;
/** An image of a message is a megabyte, and PostgreSQL stops without room for its log. */
const DISK_FREE_MIN_BYTES = 100 * 1024 * 1024;

/** The result of each check. */
export interface Report {
  readonly isReady: boolean;
  readonly checks: Readonly<Record<string, 'ok' | 'failed'>>;
}

/** Whether this process is ready for clients (OPS5). */
export interface Readiness {
  /** Adds a required check. `check` rejects when it fails; after 2 s it counts as failed. */
  require(name: string, check: () => Promise<void>): void;
  /** Adds a check that the report lists, but that doesn't affect readiness. */
  mention(name: string, check: () => Promise<void>): void;
  /** Runs all checks. Requests within a second share one run. */
  report(): Promise<Report>;
}

/** @param now a monotonic clock, ms */
export function createReadiness(
  log: Pick<FastifyBaseLogger, 'warn' | 'info'>,
  now: () => number,
  checkMaxMs = CHECK_MAX_MS,
): Readiness {
  const checks = new Map<string, { check: () => Promise<void>; isRequired: boolean }>();
  let last: { report: Report; at: number } | null = null;

  const outcomeOf = async (name: string, check: () => Promise<void>): Promise<'ok' | 'failed'> => {
    const late = new AbortController();
    try {
      const isLate = sleep(checkMaxMs, undefined, { signal: late.signal }).then(() => {
        throw new Error('It took too long');
      });
      await Promise.race([check(), isLate]);
      return 'ok';
    } catch (error) {
      // Logged once, not at each request.
      if (last?.report.checks[name] !== 'failed') log.warn({ err: error, check: name }, 'not_ready');
      return 'failed';
    } finally {
      late.abort();
    }
  };
  const look = shareUnderWay(async (): Promise<Report> => {
    const looked = await Promise.all(
      [...checks].map(async ([name, { check }]) => [name, await outcomeOf(name, check)] as const),
    );
    const isReady = looked.every(([name, outcome]) => outcome === 'ok' || !checks.get(name)?.isRequired);
    const report = { isReady, checks: Object.fromEntries(looked) };
    if (report.isReady && last?.report.isReady === false) log.info('ready_again');
    last = { report, at: now() };
    return report;
  });
  return {
    require: (name, check) => void checks.set(name, { check, isRequired: true }),
    mention: (name, check) => void checks.set(name, { check, isRequired: false }),
    report: async () => (last !== null && now() - last.at < KEPT_MS ? last.report : look()),
  };
}

/** Free space on the disk of a folder; NaN while the folder is missing. */
export function freeBytes(dir: string): number {
  try {
    const { bavail, bsize } = statfsSync(dir);
    return bavail * bsize;
  } catch {
    return Number.NaN;
  }
}

/** Rejects when a folder can't be written to, or its disk is nearly full. */
export async function checkDisk(dir: string, freeMinBytes = DISK_FREE_MIN_BYTES): Promise<void> {
  await mkdir(dir, { recursive: true, mode: 0o700 });
  const probe = join(dir, `.writable-${process.pid}`);
  await writeFile(probe, '1');
  await rm(probe);
  const free = freeBytes(dir);
  if (!(free >= freeMinBytes)) throw new Error(`The disk has ${free} bytes left`);
}

/** Answers `/healthz` (whether this process lives) and `/readyz` (whether clients may be sent to it) (OPS4, OPS5). */
export function serveHealth(
  app: FastifyInstance,
  { ping, readiness, log }: { ping: () => Promise<void>; readiness: Readiness; log: FastifyBaseLogger },
): void {
  const pingOnce = shareUnderWay(ping);
  app.get('/healthz', async (_request, reply) => {
    try {
      await pingOnce();
      return { status: 'ok' };
    } catch (error) {
      log.error({ err: error }, 'health_failed');
      return reply.code(503).send(failureBody('unavailable'));
    }
  });
  app.get('/readyz', async (_request, reply) => {
    const { isReady, checks } = await readiness.report();
    reply.header('cache-control', 'no-store');
    return isReady ? { status: 'ready', checks } : reply.code(503).send({ ...failureBody('unavailable'), checks });
  });
}
