import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import type { Db } from '#src/db/connect.ts';
import { createCallServer, type ServeCall } from '#src/shared/calls.ts';
import { createKeyedLock, type KeyedLock } from '#src/shared/keyed-lock.ts';
import { createPasswords, type Passwords } from '#src/shared/passwords.ts';
import { createRateLimit, type RateLimit } from '#src/shared/rate-limit.ts';
import { type Change, createChange, type RecordActs } from './change.ts';
import { createFacts, type Facts } from './facts.ts';
import { createSchedule, type Schedule } from './schedule.ts';
import { createSessions, type Sessions } from './sessions.ts';
import { openSockets, type Sockets } from './sockets.ts';

/** What every feature is built on. Whatever several processes must share one day is behind one of these. */
export interface Platform {
  readonly db: Db;
  /** For files and pages; calls of the contract go through `serve`. */
  readonly http: FastifyInstance;
  readonly serve: ServeCall;
  readonly sockets: Sockets;
  readonly sessions: Sessions;
  readonly change: Change;
  /** Stores acts in a transaction that changes neither accounts nor channels. */
  readonly record: RecordActs;
  readonly facts: Facts;
  readonly locks: KeyedLock;
  /** A limit of so many attempts in so many seconds. */
  limit(attempts: number, windowSeconds: number): RateLimit;
  readonly schedule: Schedule;
  readonly passwords: Passwords;
  readonly log: FastifyBaseLogger;
  now(): Date;
  /** A steady clock, ms. */
  steadyNow(): number;
}

export interface PlatformDeps {
  db: Db;
  http: FastifyInstance;
  publicUrl: string | null;
  record: RecordActs;
  log: FastifyBaseLogger;
  now: () => Date;
  steadyNow: () => number;
  /** Those of the product unless told: tests take cheaper ones. */
  passwords?: Passwords | undefined;
}

export async function createPlatform(deps: PlatformDeps): Promise<Platform> {
  const { db, http, log, now, steadyNow, record } = deps;
  const sessions = createSessions(db, now);
  const facts = createFacts(log);
  return {
    db,
    http,
    serve: createCallServer(http, sessions.authenticate),
    sockets: openSockets({
      http: http.server,
      publicUrl: deps.publicUrl,
      authenticate: sessions.authenticate,
      log,
      now: steadyNow,
    }),
    sessions,
    change: createChange({ db, facts, record, now }),
    record,
    facts,
    locks: createKeyedLock(),
    limit: createRateLimit,
    schedule: createSchedule(log),
    passwords: deps.passwords ?? (await createPasswords()),
    log,
    now,
    steadyNow,
  };
}

/** A part of the product: what others need of it, what to do before it serves, and what to end. */
export interface Feature<Api = unknown> {
  readonly api: Api;
  start?(): Promise<void>;
  close?(): Promise<void> | void;
}
