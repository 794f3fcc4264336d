import type { ChannelId, ParticipantId, UserId } from '@pressel/contract/ids';
import { LAST_TALKS } from '@pressel/contract/limits';
import type { FloorNews } from '@pressel/contract/voice';
import { priorityOf } from '#src/accounts/policies.ts';
import type { Session } from '#src/accounts/session.ts';
import type { LoggedAct } from '#src/history/change.ts';
import { type LoggedTalk, listLastTalks } from '#src/history/latest.repository.ts';
import type { Feature, Platform } from '#src/platform/platform.ts';
import { createBrowserPings } from '#src/sockets/sign-of-life.ts';
import { createSignals } from '#src/sockets/signals.ts';
import { findNewestIn } from '#src/sockets/sockets.repository.ts';
import { audience, type Socket, type Sockets } from '#src/sockets/sockets.ts';
import { createFloorRows } from './floor-rows.ts';
import {
  createFloorService,
  type FloorChannel,
  type FloorEntry,
  type FloorService,
  type FloorServiceDeps,
} from './floor-service.ts';
import { createFloorStore } from './floor-store.ts';
import type { MicSwitch } from './mic-switch.ts';
import { createSharedFloorStore, type ToldFloor, toldFloor } from './shared-floor-store.ts';
import { authorOf, type CutTalksDeps, createTalkEntries, settleCutTalks } from './talk-entries.ts';
import { createSharedTalkJournal, createTalkJournal } from './talk-journal.ts';
import { createTalkerNews } from './talker-news.ts';
import { beatEvents, voiceEvents } from './voice.events.ts';
import { voiceRoutes } from './voice.routes.ts';

export interface VoiceNeeds extends Pick<FloorServiceDeps, 'entitled'>, Pick<CutTalksDeps, 'keepTalk'> {
  talkLog: { add(act: LoggedAct): void };
  /** Stores the talks that are over, so that they are found. */
  settleTalks(): Promise<void>;
  /** How long after the start nobody gets the floor anew (TALK152), ms. */
  floorRecoveryMs: number;
}

/** The floor operations that presence and the dashboard need. */
export interface VoiceApi
  extends Pick<FloorService, 'publicKey' | 'makeRoomProof' | 'leave' | 'empty' | 'rename' | 'forget' | 'onAir'> {
  enter(
    channel: FloorChannel & { name: string },
    arrival: Omit<FloorEntry, 'priority' | 'author'> & { session: Session },
  ): Promise<FloorNews>;
}

export function voiceFeature(
  platform: Platform,
  { talkLog, settleTalks, floorRecoveryMs, entitled, keepTalk }: VoiceNeeds,
): Feature<VoiceApi> {
  const { db, http, serve, shared, sockets, facts, metrics, now, steadyNow, secrets, askAll, record, log } = platform;
  const mics = new WeakMap<Socket, MicSwitch>();

  const entries = createTalkEntries({ add: talkLog.add, now, steadyNow });
  const { talkersNow, ...floors } = openFloors(platform, floorRecoveryMs);
  const teller = createTeller(sockets, talkersNow);
  const pingBrowser = createBrowserPings();
  const find = (id: ParticipantId) => sockets.participants.find(id)?.socket ?? null;

  const floor = createFloorService({
    ...floors,
    steadyNow,
    keys: secrets,
    entitled,
    log,
    ...teller,
    probe(id, told) {
      const socket = find(id);
      if (socket !== null) pingBrowser(socket, told);
    },
    talkBegan: (channelId, talker) => teller.tellTalk(channelId, talker, true),
    talkEnded: (channelId, talker, talk) => {
      teller.tellTalk(channelId, talker, false);
      if (talker.author !== null) entries.ended(talker.author, talk);
      metrics.talked(talk.end, talk.durationMs / 1_000);
    },
  });
  facts.on('channelChanged', ({ channel }) => floor.setMode(channel));
  for (const fact of ['membershipsChanged', 'usersDeleted', 'roleChanged', 'guestLinkEnded'] as const)
    facts.on(fact, floor.accessChanged);
  const signals = createSignals({
    ...{ topic: 'signals', relay: shared?.relay ?? null, sockets, now: steadyNow },
    find: (id) => find(id as ParticipantId),
  });
  const onFault = (error: unknown) => log.error({ err: error }, 'floor_renewal_failed');
  const keepMic = (socket: Socket, mic: MicSwitch) => void mics.set(socket, mic);
  const request: FloorService['request'] = async (...asked) => {
    const start = performance.now();
    const reply = await floor.request(...asked);
    metrics.floorAnswered(reply.type, (performance.now() - start) / 1_000);
    return reply;
  };
  sockets.onConnect(
    voiceEvents(sockets.on, { floor: { ...floor, request }, signals, now: steadyNow, keepMic, onFault }),
    'guests too',
  );
  /** Reads the log, so that a restart forgets none. Talks that are not stored yet are stored first. */
  const lastTalks = async (channelId: ChannelId) => {
    await settleTalks();
    return (await listLastTalks(db, channelId, LAST_TALKS)).map((talk) => presentLastTalk(talk, now()));
  };
  sockets.onConnect(beatEvents(sockets.on, { floor, lastTalks, now: steadyNow }), 'guests too');
  const newestIn = shared && ((userId: UserId, key: string) => findNewestIn(db, userId, key));
  voiceRoutes(serve, { sockets, askAll, newestIn, micOf: (socket) => mics.get(socket) });
  http.addHook('preClose', async () => {
    for (const { channelId, talker, talk } of await floor.stop()) {
      const participant = sockets.participants.find(talker.id);
      const enteredRoom = participant?.isResumable ? participant.enteredRooms.get(channelId) : undefined;
      // The talk may go on in the next process, which then puts it down as one (TALK162).
      if (enteredRoom !== undefined) enteredRoom.talkMs = talk.durationMs;
      else if (talker.author !== null) entries.ended(talker.author, talk);
    }
    await teller.stop();
  });
  return {
    api: {
      ...floor,
      enter(channel, { session, ...arrival }) {
        if (arrival.claim !== undefined) teller.cameBack(channel.id);
        return floor.enter(channel, { ...arrival, priority: priorityOf(session), author: authorOf(session, channel) });
      },
    },
    async open(isFirst) {
      const onUnreadable = (channelId: ChannelId) => log.warn({ channelId }, 'floor_unreadable');
      if (shared === null || isFirst) await settleCutTalks({ db, record, keepTalk, onUnreadable });
      await floor.open(isFirst);
    },
    async close() {
      teller.close();
      await floor.close();
      await floors.journal.close();
      entries.close();
    },
  };
}

type TalkersNow = Parameters<typeof createTalkerNews>[1];

/** The floors and their journal: in memory for a process that is alone, in the database for several. */
function openFloors(
  { db, shared, sockets, draining, now, steadyNow, log }: Platform,
  recoveryMs: number,
): Pick<FloorServiceDeps, 'store' | 'journal' | 'cluster'> & { talkersNow: TalkersNow } {
  if (shared === null) {
    // Set once by the wall clock: a later correction of that clock ends no lease.
    const epoch = now().getTime() - steadyNow();
    const store = createFloorStore({ clock: () => epoch + steadyNow(), recoveryMs });
    return { store, journal: createTalkJournal(), cluster: null, talkersNow: null };
  }
  const { database, relay } = shared;
  const onError = (error: Error) => log.error({ err: error }, 'database_connection_failed');
  const unreadable = new Set<ChannelId>();
  const onUnreadable = (channelId: ChannelId) => {
    if (!unreadable.has(channelId)) log.warn({ channelId }, 'floor_unreadable');
    unreadable.add(channelId);
  };
  const rows = createFloorRows(database.connection, onError, onUnreadable);
  const tellOthers = (told: ToldFloor) => relay.send('floors', told);
  const store = createSharedFloorStore({ rows, tellOthers, steadyNow, recoveryMs });
  relay.on('floors', toldFloor, store.hear);
  // No copy has this version, so the row is read.
  const talkersNow = async (id: ChannelId) => (await store.read(id, Number.POSITIVE_INFINITY)).state.talkers;
  const { tellRoom, ...here } = createTeller(sockets.local, talkersNow);
  return {
    store,
    talkersNow,
    journal: createSharedTalkJournal(db, log),
    cluster: {
      ...here,
      isEnding: () => draining.isOn,
      isCutOff: () => !relay.isLinked(),
      channels: () => [
        ...new Set([...sockets.participants.all()].flatMap(({ enteredRooms }) => [...enteredRooms.keys()])),
      ],
      tellRoom(channelId, news, before) {
        tellRoom(channelId, news, before);
        const isIn = (talkers: readonly { id: ParticipantId }[], { id }: { id: ParticipantId }) =>
          talkers.some((one) => one.id === id);
        for (const talker of before) if (!isIn(news.talkers, talker)) here.tellTalk(channelId, talker, false);
        for (const talker of news.talkers) if (!isIn(before, talker)) here.tellTalk(channelId, talker, true);
      },
    },
  };
}

/** Tells of floors, to the sockets of all processes or to those of this one. */
function createTeller(sockets: Pick<Sockets, 'to'>, talkersNow: TalkersNow) {
  const outside = createTalkerNews(sockets, talkersNow);
  const teller: Pick<FloorServiceDeps, 'tellParticipant' | 'tellRoom'> = {
    tellParticipant: (channelId, id, reply) =>
      sockets.to(audience.participant(channelId, id)).emit('floor_reply', reply),
    tellRoom(channelId, news, before) {
      sockets.to(audience.everyoneIn(channelId)).emit('floor_changed', news);
      outside.set(channelId, news.talkers, before);
    },
  };
  return {
    ...teller,
    /** For clients that know only microphones. */
    tellTalk: (channelId: ChannelId, { id, userId }: { id: ParticipantId; userId: UserId }, micState: boolean) =>
      sockets.to(audience.everyoneIn(channelId)).emit('onMicStateChanged', { id, userId, channelId, micState }),
    cameBack: outside.cameBack,
    stop: outside.stop,
    close: outside.close,
  };
}

const presentLastTalk = ({ userId, name, endedAt, spanMs, durationMs, talks }: LoggedTalk, now: Date) => {
  const endedMsAgo = Math.max(0, now.getTime() - endedAt.getTime());
  const [beganMsAgo, talkMs] = [endedMsAgo + Math.round(spanMs), Math.round(durationMs)];
  return { userId: userId as UserId, name, beganMsAgo, endedMsAgo, talkMs, talks };
};
