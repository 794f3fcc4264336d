import { connectAdminToChannel } from '@pressel/contract/channels';
import {
  type ChannelId,
  channelId,
  type ParticipantId,
  participantId,
  type UserId,
  userId,
} from '@pressel/contract/ids';
import * as z from 'zod';
import type { Tx } from '#src/db/connect.ts';
import { requireSelf, type ServeCall } from '#src/http/call-server.ts';
import type { Feature, Platform } from '#src/platform/platform.ts';
import { AppError } from '#src/shared/app-error.ts';
import { createBrowserPings } from '#src/sockets/sign-of-life.ts';
import { audience } from '#src/sockets/sockets.ts';
import { createArrivals } from './arrivals.ts';
import { createMoves } from './moves.ts';
import { createRenaming, type NamesDeps } from './names.ts';
import { presenceEvents } from './presence.events.ts';
import { listNames } from './presence.repository.ts';
import { createPresenceService, type Entering, type PresenceDeps, type PresenceService } from './presence.service.ts';
import { createPresenceStore } from './presence.store.ts';
import { createResumeTokens } from './resuming.ts';
import { type IceSettings, mintIceConfig } from './room-state.ts';
import { createSilenceSweep, SILENCE_SWEEP_MS } from './silence.ts';
import { createStatusNews } from './status-news.ts';
import { keepTalk } from './take-overs.repository.ts';
import { createPresenceRepair, createTellGone } from './upkeep.ts';

interface PresenceRoutesNeeds {
  /** Makes the process that holds the participant put it into the room; null: no process holds it. */
  enter(who: Entering): Promise<Record<string, never> | null>;
}

function presenceRoutes(serve: ServeCall, { enter }: PresenceRoutesNeeds): void {
  serve(connectAdminToChannel, async ({ userId, channelId, socketId }, { session }) => {
    requireSelf(session, userId);
    const entered = await enter({ userId: session.userId, channelId, id: socketId });
    if (entered === null) throw new AppError('not_found', { what: 'socket' });
    return { success: true };
  });
}

/**
 * A process that starts keeps what others left behind this long ago, ms. Pages wait 30 s for a server (TALK153), and the lease of a process
 * that was killed may have been renewed 5 s before.
 */
const LEFT_BEHIND_MS = 35_000;

/** Tells which of a user's participants is to enter which channel. */
const entering = z.object({ userId, channelId, id: participantId });
/** Tells the other processes that this participant is here now. */
const TAKEN = 'presence.taken';
const taken = z.object({ id: participantId });
/** Tells that one of this person's participants was taken over. */
const COUNTED = 'presence.counted';
const sharer = z.object({ person: z.string(), guestsOf: z.string().nullish() });

export interface PresenceNeeds extends Pick<PresenceDeps, 'enterable' | 'channelIdsOf'> {
  floor: PresenceDeps['floor'] & NamesDeps['floor'];
  ice: IceSettings;
  /** How often to vouch for live sockets and to look for ended sessions, ms. The lease is renewed twice as often. */
  presenceRepairMs: number;
  /** How long a participant whose socket is lost can resume, ms. */
  resumeMs: number;
}

export interface PresenceApi {
  /**
   * Stores how far a talk went that was under way when the last of all processes ended.
   * @returns whether its participant is there, for this process or another one to take over
   */
  keepTalk(
    tx: Tx,
    talk: { id: ParticipantId; channelId: ChannelId; durationMs: number; heardAt: Date },
  ): Promise<boolean>;
}

export function presenceFeature(platform: Platform, needs: PresenceNeeds): Feature<PresenceApi> {
  const { db, sockets, sessions, hosts, schedule, serve, newsClock, photoPaths: photos, now, log } = platform;
  const iceConfig = (userId: UserId) => mintIceConfig(needs.ice, userId, now());
  const { steadyNow } = platform;
  const relay = platform.shared?.relay ?? null;
  const store = createPresenceStore({
    ...{ db, serverId: platform.processId, isShared: relay !== null, now, log },
    ...{ record: platform.record, recordWithin: platform.recordWithin },
  });
  const guestsMoved = (channelIds: readonly ChannelId[]) => {
    for (const channelId of channelIds) sockets.to(audience.admins).emit('changed', { what: 'guests', channelId });
    if (channelIds.length > 0) newsClock.noteNews(null);
  };
  const arrivals = createArrivals({ came: (...of) => news.came(...of), went: (...of) => news.went(...of) });
  const news = createStatusNews({ db, sockets, relay, log, newsClock, steadyNow, guestsMoved, told: arrivals.told });
  const moves = createMoves(steadyNow);
  const tokens = createResumeTokens(platform.secrets.resumes);
  const tellGone = createTellGone({ sockets, news, hosts });
  const liveSessions = sessions.keepAlive;
  const { floor, enterable, channelIdsOf } = needs;
  const presence = createPresenceService({
    ...{ sockets, store, hosts, moves, news, arrivals, tokens, tellGone, newsClock, now, steadyNow, log },
    catchUp: platform.facts.catchUp,
    ...{
      enterable,
      channelIdsOf,
      iceConfig,
      resumeMs: needs.resumeMs,
      isCutOff: platform.isCutOff,
      floor,
      liveSessions,
      photos,
    },
    entrances: platform.limit('presence.entrances'),
    others: relay && {
      tookOver: (id) => relay.send(TAKEN, { id }),
      counted: (sharer) => relay.send(COUNTED, sharer),
    },
  });
  const repairPresence = createPresenceRepair({
    sockets,
    store,
    moves,
    news,
    tellGone,
    liveSessions,
    isLeaving: presence.isLeaving,
    end: presence.end,
    release: presence.release,
    steadyNow,
    log,
  });
  followFacts(platform, presence);
  relay?.on(TAKEN, taken, ({ id }) => {
    presence.taken(id).catch((error: unknown) => log.error({ err: error }, 'presence_failed'));
  });
  relay?.on(COUNTED, sharer, presence.counted);
  const rename = createRenaming({ sockets, floor, photos, listNames: (ids) => listNames(db, ids) });
  platform.facts.on('usersChanged', ({ userIds }) => rename(userIds));
  const enterAnywhere = platform.askAll('presence.enter', entering, presence.enterBySocketId);
  presenceRoutes(serve, { enter: enterAnywhere });
  sockets.onConnect(presenceEvents(sockets.on, { presence, iceConfig, now: steadyNow }), 'guests too');
  // Comes before the sockets are closed, which is one departure for all of them.
  platform.http.addHook('preClose', async () => store.closing());
  return {
    api: {
      keepTalk: (tx, { id, durationMs, ...of }) => keepTalk(tx, { socketId: id, talkMs: durationMs, ...of }),
    },
    async start() {
      await store.open();
      schedule.every(needs.presenceRepairMs / 2, 'lease_renewal', store.renewLease, { by: 'each' });
      const pingBrowser = createBrowserPings();
      const sweep = createSilenceSweep({ sockets, tell: presence.tellSilence, pingBrowser, now: steadyNow });
      schedule.every(SILENCE_SWEEP_MS, 'silence_sweep', sweep, { by: 'each' });
    },
    async open() {
      // Comes before anybody is admitted: nobody may take over what was left behind long ago. Comes after `voice`, which leaves talks to it.
      await store.dropDeadServers(LEFT_BEHIND_MS);
      schedule.every(needs.presenceRepairMs, 'heartbeat', repairPresence, { by: 'each' });
    },
    async close() {
      await presence.close();
      arrivals.close();
      await news.close();
      await store.close(sockets.participants.all());
    },
  };
}

/** Makes the sockets follow changes of accounts, channels and memberships at once. */
function followFacts({ facts, sockets }: Platform, presence: PresenceService): void {
  facts.on('channelCreated', ({ changes }) => presence.follow(changes));
  facts.on('membershipsChanged', ({ changes }) => presence.follow(changes));
  facts.on('channelChanged', ({ channel }) => presence.channelChanged(channel));
  facts.on('guestLinkEnded', (news) => presence.endGuests(news));
  facts.on('channelDeleted', ({ channelId }) => presence.closeRoom(channelId));
  facts.on('sessionEnded', ({ sessionId }) => {
    sockets.end(audience.session(sessionId));
    presence.endLost(({ id }) => id === sessionId);
  });
  const endUser = (userId: UserId, exceptSessionId: string | null = null) => {
    sockets.end(audience.user(userId), exceptSessionId);
    presence.endLost((session) => session.userId === userId && session.id !== exceptSessionId);
  };
  facts.on('sessionsEnded', ({ userId, exceptSessionId }) => endUser(userId, exceptSessionId));
  // Sockets know the role that they came with; they come back with the new one.
  facts.on('roleChanged', ({ userId }) => endUser(userId));
  facts.on('usersDeleted', ({ userIds }) => {
    for (const userId of userIds) endUser(userId);
  });
}
