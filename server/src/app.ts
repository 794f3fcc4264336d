import { CALL_MAX_BYTES, FLOOR_LEASE_MS, RESUME_MS } from '@pressel/contract/limits';
import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type FastifyServerFactory,
  LogController,
} from 'fastify';
import type { Passwords } from './accounts/passwords.ts';
import { createProxyTrust, isBehindProxy, type TrustProxy } from './addresses/client-address.ts';
import { isHostMissing, isOwnHost, isOwnOrigin } from './addresses/hosts.ts';
import type { Config } from './config/config.ts';
import type { SetupCode } from './config/setup-code.ts';
import type { Database } from './db/connect.ts';
import { takeRestoredFiles } from './db/restored-files.ts';
import { activitiesFeature } from './features/activities/activities.feature.ts';
import { recordActivities, recordWithin } from './features/activities/activities.repository.ts';
import { authFeature } from './features/auth/auth.feature.ts';
import { callsFeature } from './features/calls/calls.feature.ts';
import { channelsFeature } from './features/channels/channels.feature.ts';
import { chatFeature } from './features/chat/chat.feature.ts';
import { dashboardFeature } from './features/dashboard/dashboard.feature.ts';
import { erasureFeature } from './features/erasure/erasure.feature.ts';
import { guestsFeature } from './features/guests/guests.feature.ts';
import { legacyFeature } from './features/legacy/legacy.feature.ts';
import { newsFeature } from './features/news/news.feature.ts';
import { positionsFeature } from './features/positions/positions.feature.ts';
import { presenceFeature } from './features/presence/presence.feature.ts';
import { referenceFeature } from './features/reference/reference.feature.ts';
import { transferFeature } from './features/transfer/transfer.feature.ts';
import { usersFeature } from './features/users/users.feature.ts';
import { voiceFeature } from './features/voice/voice.feature.ts';
import { openFiles } from './files/open-files.ts';
import { acceptJsonOnly, compressReplies, endSlowBodies } from './http/bodies.ts';
import type { BudgetLimits } from './http/budget.ts';
import { answerClientError, handleErrors, ignoreExpectations } from './http/http-errors.ts';
import { serveMetrics } from './http/metrics-endpoint.ts';
import { answerUnreadable, builtName, secureHeaders, serveWebApp } from './http/web-app.ts';
import { forRequest, requestIdFrom } from './logs/log.ts';
import { type Metrics, NO_METRICS } from './logs/metrics.ts';
import type { KeptMetrics } from './logs/metrics-registry.ts';
import { createPlatform, type Feature, type Platform } from './platform/platform.ts';
import { compareFolders, shareBuiltFiles } from './platform/shared-files.ts';
import { CLOCK_EVERY_MS, databaseTime, followClock } from './processes/clock.ts';
import { checkDisk, freeBytes, serveHealth } from './processes/readiness.ts';
import { AppError } from './shared/app-error.ts';
import type { Tls } from './tls/tls.ts';

declare module 'fastify' {
  interface FastifyInstance {
    /** Sends everybody to the other processes. Called before `close`, if there are any. */
    drain(): Promise<void>;
    /** Resolves when sockets are admitted, which is soon after it listens. Rejects when it can't admit any. */
    admitting(): Promise<void>;
    /** Compares the folder of files with that of the other processes. @throws FilesStartError */
    checkFolder(): Promise<void>;
  }
}

const PRESENCE_REPAIR_MS = 10_000;
const HEADERS_TIMEOUT_MS = 20_000;

export interface AppDeps {
  config: Pick<
    Config,
    | 'tls'
    | 'publicUrl'
    | 'trustedProxies'
    | 'signup'
    | 'passwordMinLength'
    | 'ice'
    | 'mode'
    | 'dataDir'
    | 'databaseUrl'
    | 'redisUrl'
    | 's3'
    | 'activityRetentionDays'
    | 'messageRetentionDays'
    | 'positionRetentionDays'
    | 'map'
    | 'metrics'
  >;
  database: Database;
  version: string;
  /** Identifies the contract that this server speaks. */
  contract: string;
  /** The code that the first account must give; null: none is asked, because only this machine reaches the server. */
  setupCode: SetupCode | null;
  /** Where other devices find this server; null: nobody knows. */
  sharedAddress: () => string | null;
  /** Makes the https server; null: plain http. */
  tls: Pick<Tls, 'createServer'> | null;
  /** The built web app; null to serve the API alone. */
  webDir: string | null;
  log: FastifyBaseLogger;
  /** Null: metrics are off. */
  metrics: KeptMetrics | null;
  /** Another clock than the database's, for tests. */
  now?: () => Date;
  /** A steady clock for floors, ms. */
  steadyNow?: () => number;
  /** How often to vouch for live sockets and to look for ended sessions, ms. */
  presenceRepairMs?: number;
  /** How long a participant whose socket is lost can resume, ms. */
  resumeMs?: number;
  /** How long after the start no new floor is granted, ms: earlier talkers may come back first. */
  floorRecoveryMs?: number;
  /** Other allowances for HTTP requests, and another time that a request waits for points, ms. */
  budget?: BudgetLimits;
  patienceMs?: number;
  /** Uses another number of cores, or cheaper hashes in tests. */
  passwords?: Passwords;
}

/** The whole server. Closing the app ends everything it opened. */
export async function buildApp(deps: AppDeps): Promise<FastifyInstance> {
  const { config, database, log, steadyNow = () => performance.now() } = deps;
  const trustProxy = createProxyTrust(isBehindProxy(config), config.trustedProxies);
  const metrics = deps.metrics ?? NO_METRICS;
  const http = await createHttp(deps, { trustProxy, metrics, log });
  const files = await openFiles(config, log);
  await takeRestoredFiles(database.db, files.put).catch((error: unknown) => {
    // The store is away: the next start ends the restore. Until then only the sweep misses the files.
    if (!(error instanceof AppError)) throw error;
    log.warn({ err: error }, 'restored_files_wait');
  });
  // The bundled database has this machine's clock, so nobody needs to ask it.
  const isBundled = config.databaseUrl === null && config.redisUrl === null;
  const clock =
    isBundled || deps.now !== undefined
      ? null
      : await followClock(
          () => databaseTime(database.db),
          () => performance.now(),
        );
  const platform = await createPlatform({
    database,
    files,
    redisUrl: config.redisUrl,
    http,
    publicUrl: config.publicUrl,
    trustProxy,
    record: recordActivities,
    recordWithin,
    passwords: deps.passwords,
    budget: deps.budget,
    patienceMs: deps.patienceMs,
    metrics,
    log,
    now: deps.now ?? clock?.now ?? (() => new Date()),
    steadyNow,
    version: { contract: deps.contract, build: builtName(deps.webDir) },
  });
  if (clock !== null) platform.schedule.every(CLOCK_EVERY_MS, 'clock', clock.ask, { by: 'each' });
  const features = composeFeatures(platform, deps);
  const checkFolder = compareFolders(platform);
  await platform.listen();
  for (const feature of features) await feature.start?.();
  metrics.connections(database.connections);
  metrics.gauge('pressel_disk_free_bytes', 'Room left on the disk of DATA_DIR.', () => freeBytes(config.dataDir));
  const { readiness } = platform;
  readiness.require('database', database.ping);
  readiness.require('migrations', database.requireMigrations);
  readiness.require('disk', () => checkDisk(config.dataDir));
  const redis = platform.shared?.redis;
  // If these are away, every process is affected alike: sending clients to another process helps nobody.
  if (config.s3 !== null) readiness.mention('files', files.ping);
  if (redis !== undefined) readiness.mention('redis', async () => void (await redis.client.ping()));
  serveHealth(http, { ping: database.ping, readiness, log });
  const { token = null, listen = null } = config.metrics ?? {};
  if (deps.metrics !== null && token !== null && listen === null) serveMetrics(http, deps.metrics, token);
  await serveWebApp(http, deps.webDir, deps.contract, await shareBuiltFiles(platform, deps.webDir));
  http.decorate('drain', () => platform.draining.begin());
  http.decorate('checkFolder', checkFolder);
  http.decorate('admitting', () => platform.admitting);
  http.addHook('onListen', () =>
    platform.admit(async (isFirst) => {
      for (const feature of features) await feature.open?.(isFirst);
    }),
  );
  http.addHook('preClose', async () => {
    platform.images.close();
    await platform.schedule.close();
    await platform.sockets.close();
    for (const feature of features.toReversed()) await feature.close?.();
    files.close();
    await platform.facts.close();
    await platform.shared?.relay.close();
    await platform.shared?.redis.close();
  });
  return http;
}

/** Composes all features; each comes after those it depends on. This order is also the order in which they handle a fact. */
function composeFeatures(platform: Platform, deps: AppDeps): Feature[] {
  const { version, setupCode, presenceRepairMs = PRESENCE_REPAIR_MS, resumeMs = RESUME_MS } = deps;
  const { floorRecoveryMs = FLOOR_LEASE_MS } = deps;
  const { tls, publicUrl, signup, passwordMinLength, ice, mode, redisUrl, s3 } = deps.config;
  const activities = activitiesFeature(platform, { retentionDays: deps.config.activityRetentionDays });
  const { talkLog, settleTalks } = activities.api;
  const voice = voiceFeature(platform, {
    ...{ talkLog, settleTalks, floorRecoveryMs },
    async entitled(channelId, ids) {
      const found = await Promise.all([channels.api.entitled(channelId, ids), guests.api.entitled(channelId, ids)]);
      return new Set(found.flat());
    },
    keepTalk: (tx, talk) => presence.api.keepTalk(tx, talk),
  });
  const channels = channelsFeature(platform, { onAir: voice.api.onAir, settleTalks });
  const { memberships, enterable, channelIdsOf } = channels.api;
  const guests = guestsFeature(platform);
  const isAlone = redisUrl === null && s3 === null;
  const users = usersFeature(platform, { memberships, guestLinks: guests.api, passwordMinLength, isAlone });
  const isSecure = tls.kind !== 'off' || publicUrl?.startsWith('https:') === true;
  const auth = authFeature(platform, {
    storeEntry: talkLog.put,
    users: users.api,
    memberships,
    signup,
    passwordMinLength,
    version,
    mode,
    setupCode,
    isSecure,
    sharedAddress: deps.sharedAddress,
    isSelfSigned: tls.kind === 'self',
  });
  const transfer = transferFeature(platform, { passwordMinLength });
  const presence = presenceFeature(platform, {
    ...{ channelIdsOf, floor: voice.api, ice, presenceRepairMs, resumeMs },
    enterable: (session, target) =>
      session.guest === undefined ? enterable(session, target) : guests.api.enterable(session, target),
  });
  const calls = callsFeature(platform);
  const legacy = legacyFeature(platform);
  const chat = chatFeature(platform, {
    isAlone,
    retentionDays: deps.config.messageRetentionDays,
  });
  const positions = positionsFeature(platform, {
    ...{ enterable, channelIdsOf, map: deps.config.map },
    retentionDays: deps.config.positionRetentionDays,
  });
  const dashboard = dashboardFeature(platform, {
    lastActivities: activities.api.lastActivities,
    onAir: voice.api.onAir,
    unreadCounts: chat.api.unreadCounts,
  });
  const erasure = erasureFeature(platform, {
    user: [positions.api.erase, (ids, goesOn) => chat.api.erase('user', ids, goesOn), calls.api.erase],
    channel: [(ids, goesOn) => chat.api.erase('channel', ids, goesOn)],
  });
  const news = newsFeature(platform);
  const reference = referenceFeature(platform, { version });
  return [
    ...[activities, voice, channels, guests, users, auth, transfer, presence],
    ...[calls, legacy, chat, positions, dashboard, erasure, news, reference],
  ];
}

async function createHttp(
  { config, tls, webDir, contract }: Pick<AppDeps, 'config' | 'tls' | 'webDir' | 'contract'>,
  { trustProxy, metrics, log }: { trustProxy: TrustProxy; metrics: Metrics; log: FastifyBaseLogger },
): Promise<FastifyInstance> {
  const limits = { headersTimeout: HEADERS_TIMEOUT_MS, connectionsCheckingInterval: 5_000, requireHostHeader: false };
  const serverFactory: FastifyServerFactory | null =
    tls === null ? null : (handler) => tls.createServer(handler, limits);
  const app = Fastify({
    // Silences Fastify's own start and stop messages: `main.ts` logs them once.
    loggerInstance: log.child({}, { level: quieter(log.level) }),
    // Addresses may hold secrets: a call link carries a token in its path.
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'requestId' }),
    genReqId: ({ headers }) => requestIdFrom(headers['x-request-id']),
    bodyLimit: CALL_MAX_BYTES,
    trustProxy,
    // The body's rate limits the time of a whole request: see `endSlowBodies`.
    requestTimeout: 0,
    // Node answers a missing Host with an empty body; ours follows the contract's shape.
    http: limits,
    ...(serverFactory === null ? {} : { serverFactory }),
    clientErrorHandler: answerClientError,
    forceCloseConnections: true,
    // A busy machine may need more than the ten seconds that Fastify gives its plugins to start.
    pluginTimeout: 0,
    // An address that can't be decoded (`/%`) never reaches the error handler.
    frameworkErrors: (_error, request, reply) => answerUnreadable(request as FastifyRequest, reply as FastifyReply),
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 2000 },
    // By default Fastify loads Ajv and a serializer at each start, and no route uses them.
    schemaController: { compilersFactory: { buildValidator: refuseSchema, buildSerializer: refuseSchema } },
  });
  nameRequests(app);
  acceptJsonOnly(app);
  endSlowBodies(app);
  handleErrors(app, { contract, metrics });
  // Once HSTS is set, browsers let nobody past the warning about an untrusted certificate.
  const isTrusted = config.tls.kind !== 'self' && config.publicUrl?.startsWith('https:') === true;
  await secureHeaders(app, { keepsHttps: isTrusted, webDir, mapOrigins: config.map.origins });
  await compressReplies(app);
  ignoreExpectations(app.server);
  app.addHook('onRequest', async (request) => {
    if (isHostMissing(request.raw)) throw new AppError('malformed');
    if (!isOwnHost(request.raw, config.publicUrl)) throw new AppError('wrong_host');
    if (!isOwnOrigin(request.raw, config.publicUrl)) throw new AppError('wrong_origin');
  });
  return app;
}

/** Called at the start for a route with a JSON schema. */
function refuseSchema(): never {
  throw new Error('A route has no JSON schema: Zod checks what comes in and goes out');
}

/** Everything done for a request knows its id, and the answer carries it [PROC86]. */
function nameRequests(app: FastifyInstance): void {
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id);
    forRequest(request.id, done);
  });
  // The body's reader calls back in the context of its connection, which may have served another request before.
  app.addHook('preValidation', (request, _reply, done) => forRequest(request.id, done));
  app.addHook('onResponse', async (request, reply) => {
    const { call } = request.routeOptions.config;
    if (call === undefined) return;
    request.log.debug({ call, status: reply.statusCode, ms: Math.round(reply.elapsedTime) }, 'call_answered');
  });
}

/** Raises `info` to `warn`; every other level stays. */
const quieter = (level: string): string => (level === 'info' ? 'warn' : level);
