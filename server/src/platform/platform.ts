import { availableParallelism } from 'node:os';
import type { ServerPayload } from '@pressel/contract/realtime';
import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import { createPasswords, type Passwords } from '#src/accounts/passwords.ts';
import { loadSecrets, type Secrets } from '#src/accounts/secrets.ts';
import { createSessions, type Sessions } from '#src/accounts/sessions.ts';
import { clientAddress, type TrustProxy } from '#src/addresses/client-address.ts';
import type { Database, Db } from '#src/db/connect.ts';
import type { FileStore } from '#src/files/file-store.ts';
import { type Change, createChange, type RecordActs, type RecordWithin } from '#src/history/change.ts';
import { admitByTurns, createTurnstile } from '#src/http/admission.ts';
import { type BudgetLimits, createBudget } from '#src/http/budget.ts';
import { createCallServer, type ServeCall } from '#src/http/call-server.ts';
import { createPhotoPaths, createSignedPaths, type PhotoPaths } from '#src/http/signed-paths.ts';
import { createImages, type Images } from '#src/images/images.ts';
import { createGate } from '#src/limits/gate.ts';
import { createLimits, type LimitName } from '#src/limits/limits.ts';
import { addressKey, type RateLimit } from '#src/limits/rate-limit.ts';
import { createRefusals, type Refusals } from '#src/limits/refusals.ts';
import type { Metrics } from '#src/logs/metrics.ts';
import { createFacts, type Facts } from '#src/processes/facts.ts';
import { createOutbox } from '#src/processes/outbox.ts';
import { type AskAll, createProcessQueries } from '#src/processes/process-queries.ts';
import { createReadiness, type Readiness } from '#src/processes/readiness.ts';
import { openRedis, type Redis } from '#src/processes/redis.ts';
import { createRelay, type Relay } from '#src/processes/relay.ts';
import { createJobOwners, createSchedule, type Schedule } from '#src/processes/schedule.ts';
import { uuidV7 } from '#src/shared/ids.ts';
import { type ChannelHosts, createChannelHosts } from '#src/sockets/channel-hosts.ts';
import { createNewsClock, type NewsClock } from '#src/sockets/news-clock.ts';
import { openSockets, type Sockets } from '#src/sockets/sockets.ts';
import { type CutOff, watchCutOff } from './cut-off.ts';
import { createDraining, type Draining, followOtherProcesses, type OtherProcesses } from './other-processes.ts';

/** Light calls of one user at once: as many as a browser has connections, and fewer than the pool has. */
const LIGHT_OF_USER = 6;
const LIGHT_WAITING_OF_USER = 200;
/**
 * Heavy calls at once. Together with changes and searches they leave connections of the pool free. Each user runs one, so
 * nobody can take all of them.
 */
const HEAVY_AT_ONCE = Math.min(4, Math.max(2, availableParallelism()));
/** Ten tabs of one user ask for less than this after a restart of the server. */
const HEAVY_WAITING_OF_USER = 40;
const WAITING_IN_ALL = 2_000;
const RETRY_AFTER_SECONDS = 1;

/** How often facts that every process has read are deleted, ms. */
const OUTBOX_SWEEP_MS = 600_000;

/** The services that every feature is built on. */
export interface Platform {
  /** This process's id. */
  readonly processId: string;
  readonly db: Db;
  /** For files and pages only; calls of the contract go through `serve`. */
  readonly http: FastifyInstance;
  readonly serve: ServeCall;
  readonly sockets: Sockets;
  readonly sessions: Sessions;
  readonly change: Change;
  /** Stores activities outside of a `change`, for acts that change neither accounts nor channels. */
  readonly record: RecordActs;
  readonly recordWithin: RecordWithin;
  readonly facts: Facts;
  /** Services that several processes share; null: this one is alone. */
  readonly shared: Shared | null;
  /** Asks about things that another process may hold. */
  readonly askAll: AskAll;
  /** Whether this process alone has lost the database, so that its clients go to others (PROC111). */
  isCutOff(): boolean;
  /** Starts hearing other processes. */
  listen(): Promise<void>;
  /**
   * Call when the server listens: admits sockets after `begin`, which learns whether no other process serves. Sockets that come earlier
   * wait.
   */
  admit(begin: (isFirst: boolean) => Promise<void>): Promise<void>;
  /** Resolves when sockets are admitted; rejects when `admit` failed. */
  readonly admitting: Promise<void>;
  readonly newsClock: NewsClock;
  readonly hosts: ChannelHosts;
  /** Returns the rate limit of a name in LIMITS. Ask once for each: the limit counts its own attempts. */
  limit(name: LimitName): RateLimit;
  readonly schedule: Schedule;
  readonly passwords: Passwords;
  readonly secrets: Secrets;
  /** Files that are kept beside the database. */
  readonly files: FileStore;
  readonly refusals: Refusals;
  readonly draining: Draining;
  readonly images: Images;
  readonly photoPaths: PhotoPaths;
  readonly metrics: Metrics;
  readonly readiness: Readiness;
  readonly log: FastifyBaseLogger;
  now(): Date;
  /** A monotonic clock, ms. */
  steadyNow(): number;
}

export interface Shared {
  readonly database: Pick<Database, 'connection'>;
  readonly redis: Redis;
  readonly relay: Relay;
}

export interface PlatformDeps {
  database: Database;
  files: FileStore;
  /** Null: this process is alone. */
  redisUrl: string | null;
  http: FastifyInstance;
  publicUrl: string | null;
  trustProxy: TrustProxy;
  record: RecordActs;
  recordWithin: RecordWithin;
  log: FastifyBaseLogger;
  metrics: Metrics;
  now: () => Date;
  steadyNow: () => number;
  /** The first event that every socket gets. */
  version: ServerPayload<'server_version'>;
  /** Password hashing; tests pass a cheaper one. */
  passwords?: Passwords | undefined;
  budget?: BudgetLimits | undefined;
  /** How long a request beyond its allowance waits, ms. */
  patienceMs?: number | undefined;
}

export async function createPlatform(deps: PlatformDeps): Promise<Platform> {
  const { http, log, metrics, now, steadyNow, record, redisUrl } = deps;
  const { db, connection } = deps.database;
  const processId = uuidV7();
  const sessions = createSessions(db, now);
  const secrets = await loadSecrets(db);
  const shared = redisUrl === null ? null : await openShared(redisUrl, secrets, deps.database, log);
  let others: OtherProcesses | null = null;
  let cutOff: CutOff | null = null;
  const isCutOff = () => cutOff?.isOn === true;
  const missed = () => others?.missed('facts');
  const outbox = shared === null ? null : createOutbox({ db, connection, origin: processId, missed, log });
  const facts = createFacts(db, log, outbox, missed);
  const admission = Promise.withResolvers<void>();
  admission.promise.catch(() => undefined);
  const refusals = createRefusals(log, secrets.addresses, steadyNow);
  const sockets = openSockets({
    http: http.server,
    publicUrl: deps.publicUrl,
    trustProxy: deps.trustProxy,
    async authenticate(token, address) {
      await admission.promise;
      return (await sessions.authenticate(token, address)) ?? sessions.authenticateGuest(token, address);
    },
    refusals,
    log,
    metrics,
    now: steadyNow,
    isEnding: () => draining.isOn || isCutOff(),
    relay: shared?.relay ?? null,
    version: deps.version,
  });
  const newsClock = createNewsClock(steadyNow, () => shared?.relay.isLinked() ?? true);
  others = shared && followOtherProcesses({ relay: shared.relay, sockets, newsClock, log });
  const budget = createBudget(steadyNow, deps.budget);
  const turnstile = createTurnstile({ nextTurn: setImmediate, patienceMs: deps.patienceMs });
  admitByTurns(http.server, {
    turnstile,
    budget,
    addressOf: (request) => addressKey(clientAddress(request, deps.trustProxy)),
    isOfSocket: sockets.isOfConnection,
    refusals,
    metrics,
  });
  http.addHook('preClose', async () => turnstile.close());
  const light = createGate({
    atOnce: Number.POSITIVE_INFINITY,
    atOnceOfOwner: LIGHT_OF_USER,
    waiting: WAITING_IN_ALL,
    waitingOfOwner: LIGHT_WAITING_OF_USER,
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  });
  const heavy = createGate({
    atOnce: HEAVY_AT_ONCE,
    atOnceOfOwner: 1,
    waiting: WAITING_IN_ALL,
    waitingOfOwner: HEAVY_WAITING_OF_USER,
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  });
  const readiness = createReadiness(log, steadyNow);
  const draining = createDraining(http, sockets, { sayEnding: deps.database.sayEnding });
  readiness.require('draining', async () => {
    if (draining.isOn) throw new Error('this process is ending');
  });
  let isAdmitting = false;
  readiness.require('admission', async () => {
    if (!isAdmitting) throw new Error('this process does not serve yet');
  });
  const hosts = createChannelHosts(steadyNow);
  const images = createImages({ log });
  const { participants } = sockets;
  metrics.gauge('pressel_sockets', 'Open sockets.', sockets.count);
  metrics.contracts(sockets.contracts);
  const isLinked = () => shared?.relay.isLinked() ?? true;
  metrics.gauge('pressel_linked', 'Whether this process hears all others: 1, also where there are none.', () =>
    Number(isLinked()),
  );
  metrics.gauge('pressel_participants', 'Pages and other clients, with those that may resume.', participants.count);
  metrics.gauge('pressel_rooms', 'Rooms that somebody is in.', () => hosts.count().rooms);
  const queues = { requests: turnstile, light, heavy, images, mailboxes: { waiting: () => hosts.count().waiting } };
  for (const [name, { waiting }] of Object.entries(queues)) metrics.queue(name, waiting);
  const schedule = createSchedule(log, shared === null ? null : createJobOwners(db, processId, () => draining.isOn));
  const askAll = createProcessQueries(shared?.relay ?? null, log);
  const isServing = () => isAdmitting && !draining.isOn;
  if (shared !== null) {
    cutOff = watchCutOff({ database: deps.database, isServing, askAll, sockets, schedule, log });
    readiness.require('cut_off', async () => {
      if (isCutOff()) throw new Error('this process alone has lost the database');
    });
  }
  if (outbox !== null) schedule.every(OUTBOX_SWEEP_MS, 'outbox_sweep', outbox.sweep, { by: 'one' });
  return {
    processId,
    db,
    http,
    draining,
    serve: createCallServer(http, { ...sessions, refusals, budget, metrics, gates: { light, heavy } }),
    sockets,
    sessions,
    change: createChange({ facts, record, metrics, now }),
    record,
    recordWithin: deps.recordWithin,
    facts,
    shared,
    askAll,
    isCutOff,
    async listen() {
      await facts.open();
      await shared?.relay.open(() => others?.missed('news'));
    },
    async admit(begin) {
      try {
        await deps.database.serve(begin);
        isAdmitting = true;
        admission.resolve();
      } catch (error) {
        admission.reject(error);
      }
    },
    admitting: admission.promise,
    newsClock,
    hosts,
    limit: createLimits(shared?.redis ?? null, secrets.addresses),
    schedule,
    passwords: deps.passwords ?? (await createPasswords()),
    secrets,
    files: deps.files,
    photoPaths: createPhotoPaths(createSignedPaths(secrets.photoPaths, now)),
    refusals,
    images,
    metrics,
    readiness,
    log,
    now,
    steadyNow,
  };
}

async function openShared(
  url: string,
  { installation }: Secrets,
  database: Shared['database'],
  log: FastifyBaseLogger,
): Promise<Shared> {
  const redis = await openRedis(url, installation.toString('hex', 0, 8), log);
  return { database, redis, relay: createRelay(redis, log) };
}

/** A feature: the API for other features, and hooks for the start and the shutdown. */
export interface Feature<Api = unknown> {
  readonly api: Api;
  /** Runs before the server listens. */
  start?(): Promise<void>;
  /** Runs when the server listens, before sockets are admitted. `isFirst`: no other process serves. */
  open?(isFirst: boolean): Promise<void>;
  close?(): Promise<void> | void;
}
