import type { ChannelId, ParticipantId, UserId } from '@pressel/contract/ids';
import { CALL_MAX_BYTES } from '@pressel/contract/limits';
import Fastify, { type FastifyBaseLogger, type FastifyInstance, type FastifyReply, LogController } from 'fastify';
import type { Config } from './config.ts';
import type { Database } from './db/connect.ts';
import { recordActivities, recordActivity } from './features/activities/activities.repository.ts';
import { createTalkLog } from './features/activities/talk-log.ts';
import { deleteSessionsOf } from './features/auth/auth.repository.ts';
import { authRoutes } from './features/auth/auth.routes.ts';
import { createAuthService } from './features/auth/auth.service.ts';
import { channelRoutes } from './features/channels/channels.routes.ts';
import { createChannelService } from './features/channels/channels.service.ts';
import { channelIdsOf } from './features/channels/memberships.repository.ts';
import { createMembershipService } from './features/channels/memberships.service.ts';
import { mintIceConfig } from './features/presence/ice.ts';
import { presenceEvents } from './features/presence/presence.events.ts';
import { presenceRoutes } from './features/presence/presence.routes.ts';
import { createPresenceService } from './features/presence/presence.service.ts';
import { createImportRuns } from './features/transfer/import-runs.ts';
import { transferRoutes } from './features/transfer/transfer.routes.ts';
import { createTransferService } from './features/transfer/transfer.service.ts';
import { createUserChangesService } from './features/users/user-changes.service.ts';
import { listSockets } from './features/users/user-lists.repository.ts';
import { userPhotoRoutes } from './features/users/user-photos.routes.ts';
import { createUserPhotosService } from './features/users/user-photos.service.ts';
import * as users from './features/users/users.repository.ts';
import { userRoutes } from './features/users/users.routes.ts';
import { createUsersService } from './features/users/users.service.ts';
import { createFloorService } from './features/voice/floor-service.ts';
import { voiceEvents } from './features/voice/voice.events.ts';
import { failureBody } from './shared/app-error.ts';
import { createCallServer } from './shared/calls.ts';
import { closeSockets, dropUnreadSockets, guardAgainstFloods } from './shared/flood-guard.ts';
import { audience, createListener, endSockets, openGateway, setChannelNews } from './shared/gateway.ts';
import { handleErrors } from './shared/http-errors.ts';
import { uuidV7 } from './shared/ids.ts';
import { createKeyedLock } from './shared/keyed-lock.ts';
import { isOwnOrigin } from './shared/origin.ts';
import { createPasswords } from './shared/passwords.ts';
import { createRateLimit } from './shared/rate-limit.ts';
import { createSignedPaths } from './shared/signed-paths.ts';
import { secureHeaders, serveWebApp } from './shared/web-app.ts';

const HEARTBEAT_MS = 10_000;
const RATE_WINDOW_SECONDS = 300;
const REQUEST_TIMEOUT_MS = 20_000;
/** Presses in quick succession are one entry of the activity log. */
const TALK_ENTRY_MS = 3_000;

export interface AppDeps {
  config: Pick<Config, 'publicUrl' | 'signup' | 'passwordMinLength' | 'ice' | 'mode'>;
  database: Database;
  version: string;
  /** The built web app; null to serve the API alone. */
  webDir: string | null;
  log: FastifyBaseLogger;
  now?: () => Date;
  /** A steady clock for floors, ms. */
  steadyNow?: () => number;
  /** How often to vouch for live sockets and to look for ended sessions, ms. */
  heartbeatMs?: number;
}

/** Puts the features together: the only place that knows all of them. Closing the app ends everything it opened. */
export async function buildApp(deps: AppDeps): Promise<FastifyInstance> {
  const { config, database, log, now = () => new Date(), steadyNow = () => performance.now() } = deps;
  const { heartbeatMs = HEARTBEAT_MS } = deps;
  const { db } = database;
  const app = Fastify({
    // What the framework itself has to say of its life is said by main.ts, once.
    loggerInstance: log.child({}, { level: quieter(log.level) }),
    // Addresses may hold what no log should: a call-view link carries a token in its path.
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: () => uuidV7(),
    bodyLimit: CALL_MAX_BYTES,
    // Behind a proxy of one's own network the address to count attempts under is the one that the proxy tells.
    trustProxy: config.publicUrl === null ? false : ['loopback', 'linklocal', 'uniquelocal'],
    // A body that comes byte by byte holds a connection for ever.
    requestTimeout: REQUEST_TIMEOUT_MS,
    http: { headersTimeout: REQUEST_TIMEOUT_MS, connectionsCheckingInterval: 5_000 },
    forceCloseConnections: true,
    // An address that cannot even be read (`/%`) never gets as far as the error handler.
    frameworkErrors: (_error, _request, reply) => (reply as FastifyReply).code(400).send(failureBody('malformed')),
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 2000 },
  });
  acceptJsonOnly(app);
  handleErrors(app);
  await secureHeaders(app);
  app.addHook('onRequest', async (request, reply) => {
    if (!isOwnOrigin(request.raw, config.publicUrl)) return reply.code(403).send(failureBody('wrong_origin'));
  });

  // The gateway asks for sessions and the services talk through the gateway: it is opened first, asked later.
  const io = openGateway({
    http: app.server,
    publicUrl: config.publicUrl,
    authenticate: (token) => auth.authenticate(token),
    log,
    now: steadyNow,
  });
  /** One piece of news for administrators, members of these channels and these users, however many of that they are. */
  const announce = (
    what: 'channels' | 'users' | 'memberships',
    channelIds: readonly ChannelId[] = [],
    userIds: readonly UserId[] = [],
  ) => {
    const [channelId, ...more] = channelIds;
    io.to([audience.admins, ...channelIds.map(audience.membersOf), ...userIds.map(audience.user)]).emit('changed', {
      what,
      ...(what === 'users' || channelId === undefined || more.length > 0 ? {} : { channelId }),
    });
  };

  const inBackground = (work: Promise<unknown>, failure: string): void => {
    work.catch((error: unknown) => log.error({ err: error }, failure));
  };
  const memberships = createMembershipService({
    db,
    lockAccounts: users.lockAccounts,
    findUser: users.findUser,
    findUserByLogin: users.findUserByLogin,
    follow: (changes) => {
      for (const { userId, channelId, isMember } of changes) setChannelNews(io, userId, channelId, isMember);
      const ended = changes.filter(({ isMember }) => !isMember);
      for (const [channelId, gone] of Map.groupBy(ended, (change) => change.channelId)) {
        const userIds = new Set(gone.map(({ userId }) => userId));
        inBackground(presence.evict(userIds, channelId), 'evict_failed');
      }
    },
    announce: (channelIds, userIds) => announce('memberships', channelIds, userIds),
  });

  const passwords = await createPasswords();
  const auth = createAuthService({
    db,
    now,
    signup: config.signup,
    passwordMinLength: config.passwordMinLength,
    passwords,
    limits: {
      accountFromAddress: createRateLimit(10, RATE_WINDOW_SECONDS),
      account: createRateLimit(100, RATE_WINDOW_SECONDS),
      address: createRateLimit(100, RATE_WINDOW_SECONDS),
      signUps: createRateLimit(200, RATE_WINDOW_SECONDS),
      own: createRateLimit(10, RATE_WINDOW_SECONDS),
    },
    users: {
      count: users.countUsers,
      insert: users.insertUser,
      findByLogin: users.findUserByLogin,
      find: users.findUser,
      lockAccounts: users.lockAccounts,
    },
    memberships,
    record: recordActivity,
    announceUsers: () => announce('users'),
    endSessionSockets: (id) => endSockets(io, audience.session(id)),
    endUserSockets: (id) => endSockets(io, audience.user(id)),
  });

  const talkLog = createTalkLog((entries) => recordActivities(db, entries), now, log);
  const floor = createFloorService({
    now: steadyNow,
    log,
    tellParticipant: (channelId, id, reply) => io.to(audience.participant(channelId, id)).emit('floor_reply', reply),
    tellRoom: (channelId, snapshot) => io.to(audience.inRoom(channelId)).emit('floor_changed', snapshot),
    talkChanged: (channelId, { id, userId }, talking) => {
      const news = { id, userId, channelId, micState: talking };
      io.to(audience.inRoom(channelId)).emit('onMicStateChanged', news);
      if (talking) recordTalk(channelId, id);
    },
  });
  const recordTalk = (channelId: ChannelId, id: ParticipantId) => {
    const socket = io.sockets.sockets.get(id);
    if (socket?.data.channel?.id !== channelId) return;
    const isOneMore = steadyNow() - (socket.data.talkedAt ?? Number.NEGATIVE_INFINITY) < TALK_ENTRY_MS;
    if (isOneMore) return;
    socket.data.talkedAt = steadyNow();
    const { userId, firstName, displayName } = socket.data.session;
    talkLog.add({ type: 'channel_talk', user: { id: userId, firstName, displayName }, channel: socket.data.channel });
  };

  const channels = createChannelService({
    db,
    memberships,
    lockAccounts: users.lockAccounts,
    record: recordActivity,
    announce: (channelId, userIds) => announce('channels', [channelId], userIds),
    talkModeChanged: (channelId, mode) => inBackground(floor.snapshot(channelId, mode), 'talk_mode_failed'),
    deleted: (channelId) => inBackground(presence.closeRoom(channelId), 'close_room_failed'),
  });

  const iceConfig = (userId: UserId) => mintIceConfig(config.ice, userId, now());
  const presence = createPresenceService({
    db,
    io,
    serverId: uuidV7(),
    lock: createKeyedLock(),
    now,
    log,
    enterable: channels.enterable,
    channelIdsOf: (userId) => channelIdsOf(db, userId),
    iceConfig,
    floor: {
      snapshot: ({ id, talkMode }) => floor.snapshot(id as ChannelId, talkMode),
      leave: floor.leave,
    },
    liveSessions: auth.keepAlive,
    record: recordActivity,
  });
  await presence.sweepAtStart();

  const serve = createCallServer(app, auth.authenticate);
  authRoutes(serve, {
    auth,
    info: {
      version: deps.version,
      mode: config.mode,
      signup: config.signup === 'closed' ? 'closed' : 'open',
      passwordMinLength: config.passwordMinLength,
    },
  });
  const userDeps = {
    db,
    passwords,
    passwordMinLength: config.passwordMinLength,
    memberships,
    deleteSessions: deleteSessionsOf,
    endSockets: (id: UserId, exceptSession: string | null) => endSockets(io, audience.user(id), exceptSession),
    announce: (userIds: readonly UserId[], channelIds: readonly ChannelId[]) => announce('users', channelIds, userIds),
    announceDeleted: (channelIds: readonly ChannelId[]) => {
      announce('users');
      if (channelIds.length > 0) announce('memberships', channelIds);
    },
  };
  const photos = createUserPhotosService({
    db,
    paths: createSignedPaths(now),
    announce: (userId) => announce('users', [], [userId]),
  });
  userRoutes(serve, {
    users: createUsersService(userDeps),
    userChanges: createUserChangesService(userDeps),
    photoUrl: photos.urlOf,
  });
  userPhotoRoutes(serve, { app, photos });
  channelRoutes(serve, { channels, memberships, listSockets: (ids) => listSockets(db, ids) });
  presenceRoutes(serve, { presence });
  const importRuns = createImportRuns({
    now,
    steadyNow,
    tellProgress: (owner, news) => io.to(audience.user(owner)).emit('import_progress', news),
  });
  transferRoutes(serve, {
    transfer: createTransferService({
      db,
      now,
      passwords,
      passwordMinLength: config.passwordMinLength,
      lockAccounts: users.lockAccounts,
      record: recordActivities,
      runs: importRuns,
      announceChannels: () => announce('channels'),
      announceUsers: (channelIds) => {
        announce('users');
        announce('memberships', channelIds);
      },
    }),
  });
  app.get('/healthz', async (_request, reply) => {
    try {
      await database.ping();
      return { status: 'ok' };
    } catch (error) {
      log.error({ err: error }, 'health_failed');
      return reply.code(503).send(failureBody('unavailable'));
    }
  });
  await serveWebApp(app, deps.webDir);

  const on = createListener(log);
  const onPresence = presenceEvents(on, { presence, iceConfig });
  const onVoice = voiceEvents(on, { floor });
  const stopDropping = dropUnreadSockets(io, log);
  io.on('connection', (socket) => {
    guardAgainstFloods(socket, log, steadyNow);
    onPresence(socket);
    onVoice(socket);
  });

  const heartbeat = setInterval(() => {
    presence.heartbeat().catch((error: unknown) => log.error({ err: error }, 'heartbeat_failed'));
  }, heartbeatMs);
  app.addHook('preClose', async () => {
    clearInterval(heartbeat);
    stopDropping();
    floor.close();
    await importRuns.close();
    await closeSockets(io);
    await presence.settled();
    await talkLog.close();
  });
  return app;
}

/** A level that leaves out `info`, unless more than that is wanted, or less. */
const quieter = (level: string): string => (level === 'info' ? 'warn' : level);

/** Bodies are JSON or nothing: an empty one means no fields, any other type is refused with 415. */
function acceptJsonOnly(app: FastifyInstance): void {
  const parseJson = app.getDefaultJsonParser('error', 'error');
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    if (body === '') done(null, {});
    else void parseJson(request, String(body), done);
  });
}
