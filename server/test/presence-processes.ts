import type { ChannelId, ParticipantId } from '@pressel/contract/ids';
import { PRESENCE_TTL_MS, RESUME_MS } from '@pressel/contract/limits';
import { pino } from 'pino';
import type { Session } from '#src/accounts/session.ts';
import { createArrivals } from '#src/features/presence/arrivals.ts';
import { createMoves } from '#src/features/presence/moves.ts';
import type { Occupant, OrphanedRow } from '#src/features/presence/presence.repository.ts';
import { createPresenceService } from '#src/features/presence/presence.service.ts';
import type { PresenceStore } from '#src/features/presence/presence.store.ts';
import { createResumeTokens } from '#src/features/presence/resuming.ts';
import type { StatusNewsPublisher } from '#src/features/presence/status-news.ts';
import { createPresenceRepair, createTellGone } from '#src/features/presence/upkeep.ts';
import { createFloorService } from '#src/features/voice/floor-service.ts';
import { createFloorStore } from '#src/features/voice/floor-store.ts';
import { createTalkJournal } from '#src/features/voice/talk-journal.ts';
import type { ChannelState } from '#src/processes/facts.ts';
import { AppError } from '#src/shared/app-error.ts';
import { type Batch, createChannelHosts } from '#src/sockets/channel-hosts.ts';
import {
  audience,
  createParticipants,
  type EnteredRoom,
  isAwaited,
  type LiveParticipant,
} from '#src/sockets/sockets.ts';
import { createFakeSocket, type FakeSocket, fakeSockets, type Hear } from './fake-sockets.ts';
import type { Random } from './random.ts';

/** The longest that half of a statement takes, ms. */
const STATEMENT_MS = 250;
const PRESENCE_REPAIR_MS = 10_000;
/** Short, so that some messages are refused. */
const MESSAGE_WAIT_MS = 500;

/** A row of `user_sockets`. */
interface Row {
  id: ParticipantId;
  session: Session;
  serverId: number;
  enteredRoom: { channelId: ChannelId; joinedAt: Date; video: EnteredRoom['video'] } | null;
}

const NO_TALK = { talkMs: null, isSilent: false };

/** The database, which all processes share. */
export interface World {
  rows: Row[];
  servers: Map<number, number>;
  /** Entries of the log about rooms: `+` and `-`, participant and channel. */
  log: string[];
  channels: Map<ChannelId, ChannelState>;
  /** Entries of the form `user channel`. */
  members: Set<string>;
  ended: Set<string>;
  messages: Map<ChannelId, number[]>;
  /** How many leaves in a hundred fail. */
  failures: number;
  /** Number of statements under way, of all processes. */
  underWay: number;
  /** The longest that half of a statement takes, ms; STATEMENT_MS by default. */
  statementMs?: number;
  /** Nobody's entry into this room ever ends. */
  stuck?: ChannelId;
}

export type ServerProcess = ReturnType<typeof startProcess>;

let processes = 0;

/**
 * Test harness: presence, floors and hosts of one process. It uses the server's real objects on a database and sockets in memory. Call
 * it with fake timers. Each statement takes a while, and leaves may fail.
 */
export function startProcess(world: World, random: Random) {
  processes += 1;
  const serverId = processes;
  let isDead = false;
  const now = () => Date.now();
  const log = pino({ enabled: false });
  const participants = createParticipants();
  const live = new Map<string, FakeSocket>();
  const sockets = fakeSockets(live, participants, () => isDead);

  const { statementMs = STATEMENT_MS } = world;

  /** Runs one statement, which takes effect at some moment. If its process dies, it has no effect and never returns. */
  async function statement<T>(work: () => T): Promise<T> {
    world.underWay += 1;
    try {
      await pause(random.below(statementMs));
      if (isDead) return new Promise<T>(() => undefined);
      const outcome = work();
      await pause(random.below(statementMs));
      return isDead ? new Promise<T>(() => undefined) : outcome;
    } finally {
      world.underWay -= 1;
    }
  }
  const rowsOf = (id: string) => world.rows.filter((row) => row.id === id);
  const drop = (fits: (row: Row) => boolean): Row[] => {
    const gone = world.rows.filter(fits);
    world.rows = world.rows.filter((row) => !fits(row));
    return gone;
  };
  const note = (sign: '+' | '-', id: string, channelId: ChannelId) => void world.log.push(`${sign} ${id} ${channelId}`);
  const lost = (gone: readonly Row[]): OrphanedRow[] => {
    for (const { id, enteredRoom } of gone) if (enteredRoom !== null) note('-', id, enteredRoom.channelId);
    return gone.map(strayOf);
  };
  const occupants = (channelId: ChannelId): Occupant[] =>
    world.rows.filter(({ enteredRoom }) => enteredRoom?.channelId === channelId).map(occupantOf);
  const mayFail = async (of: readonly LiveParticipant[], work: () => void): Promise<void> => {
    await statement(() => {
      if (!random.chance(world.failures / 100)) work();
      else for (const participant of of) participant.hasStrayRows = true;
    });
  };

  const store: PresenceStore = {
    open: async () => void world.servers.set(serverId, now()),
    put: ({ storedAs: id, session }) =>
      statement(() => world.rows.push({ id, session, serverId, enteredRoom: null }) > 0),
    enter: ({ storedAs: id, session }, { id: channelId }, { joinedAt, video }) =>
      channelId === world.stuck
        ? new Promise(nothing)
        : statement(() => {
            if (!world.channels.has(channelId)) throw new AppError('not_found', { what: 'channel' });
            drop((row) => row.id === id && row.enteredRoom === null);
            const stale = drop((row) => row.id === id && row.enteredRoom?.channelId === channelId);
            world.rows.push({ id, session, serverId, enteredRoom: { channelId, joinedAt, video } });
            if (stale.length === 0 || world.failures === 0) note('+', id, channelId);
            return occupants(channelId);
          }),
    occupants: (channelId) => statement(() => occupants(channelId)),
    show: () => statement(() => undefined),
    leave: (leavers, channelId) =>
      mayFail(leavers, () => {
        for (const { storedAs: id, session, enteredRooms, adopted } of leavers) {
          const isOne = enteredRooms.size + adopted.size <= 1;
          drop((row) => row.id === id && (row.enteredRoom === null || row.enteredRoom.channelId === channelId));
          if (isOne) world.rows.push({ id, session, serverId, enteredRoom: null });
          note('-', id, channelId);
        }
      }),
    remove: (participant) =>
      mayFail([participant], () => {
        const { storedAs, enteredRooms } = participant;
        drop((row) => row.id === storedAs);
        for (const channelId of enteredRooms.keys()) note('-', storedAs, channelId);
      }),
    async adopt(participant) {
      const { id, storedAs, session } = participant;
      const found = await statement(() => {
        const theirs = rowsOf(id).filter((row) => row.session.id === session.id && row.serverId !== serverId);
        for (const row of theirs) row.serverId = serverId;
        if (theirs.length > 0) drop((row) => row.id === storedAs);
        else for (const row of rowsOf(storedAs)) row.id = id;
        return theirs;
      });
      participant.storedAs = id;
      return new Map(
        found.flatMap(({ enteredRoom }) =>
          enteredRoom === null ? [] : [[enteredRoom.channelId, { ...enteredRoom, ...NO_TALK }]],
        ),
      );
    },
    renewLease: () => statement(() => void world.servers.set(serverId, now())),
    rows: () =>
      statement(() => {
        const ours = Map.groupBy(
          world.rows.filter((row) => row.serverId === serverId),
          ({ id }) => id,
        );
        return new Map(
          [...ours].map(([id, rows]) => [id, rows.flatMap(({ enteredRoom }) => enteredRoom?.channelId ?? [])]),
        );
      }),
    repair: (repaired) =>
      statement(() =>
        repaired.flatMap((participant) => {
          const { storedAs: id, session, enteredRooms, adopted } = participant;
          const gone = drop((row) => row.id === id);
          const kept = [...adopted].map(([channel, here]) => ({ id: channel, ...here }));
          for (const { id: channelId, joinedAt, video } of [...enteredRooms.values(), ...kept]) {
            world.rows.push({ id, session, serverId, enteredRoom: { channelId, joinedAt, video } });
          }
          if (enteredRooms.size + adopted.size === 0) world.rows.push({ id, session, serverId, enteredRoom: null });
          const isIn = (channelId: ChannelId) => enteredRooms.has(channelId) || adopted.has(channelId);
          return lost(gone.filter(({ enteredRoom }) => enteredRoom !== null && !isIn(enteredRoom.channelId)));
        }),
      ),
    dropStrays: (ids) => statement(() => lost(drop((row) => ids.includes(row.id)))),
    dropDeadServers: () =>
      statement(() => {
        const dead = [...world.servers].filter(([id, seen]) => id !== serverId && now() - seen > PRESENCE_TTL_MS);
        for (const [id] of dead) world.servers.delete(id);
        const ids = dead.map(([id]) => id);
        return lost(drop((row) => ids.includes(row.serverId)));
      }),
    settleTalk: () => statement(() => undefined),
    taken: async () => new Set(),
    silence: async () => new Set(),
    countSilent: async () => 0,
    closing: () => undefined,
    async close(all) {
      const awaited: ReadonlySet<string> = new Set([...all].filter(isAwaited).map(({ storedAs }) => storedAs));
      lost(drop((row) => row.serverId === serverId && !awaited.has(row.id)));
      if (awaited.size > 0) world.servers.set(serverId, now());
      else world.servers.delete(serverId);
    },
  };

  const enterable = (session: Session, target: { key: string } | { id: ChannelId }) =>
    statement(() => {
      const found = 'id' in target ? world.channels.get(target.id) : undefined;
      if (found === undefined) throw new AppError('not_found', { what: 'channel' });
      if (!world.members.has(`${session.userId} ${found.id}`)) throw new AppError('not_a_member');
      return found;
    });
  const liveSessions = (ids: readonly string[]) => statement(() => new Set(ids.filter((id) => !world.ended.has(id))));

  const hosts = createChannelHosts(now);
  const moves = createMoves(now, pauseUntil);
  const news: StatusNewsPublisher = { moved: nothing, came: nothing, went: nothing, close: async () => undefined };
  const arrivals = createArrivals(news);
  const tellGone = createTellGone({ sockets, news, hosts });
  const floor = createFloorService({
    store: createFloorStore({ clock: now, recoveryMs: 0 }),
    ...{ journal: createTalkJournal(), cluster: null, steadyNow: now },
    keys: { floors: Buffer.alloc(32, 1), stays: Buffer.alloc(32, 2) },
    entitled: async (_channel, ids) => new Set(ids),
    log,
    tellParticipant: (channelId, id, reply) =>
      sockets.to(audience.participant(channelId, id)).emit('floor_reply', reply),
    tellRoom(channelId, floorNews) {
      const here = new Set([...(hosts.find(channelId)?.participants ?? [])].map(({ id }) => id));
      const strange = floorNews.talkers.find(({ id }) => !here.has(id));
      if (!isDead && strange !== undefined) throw new Error(`[TALK25] ${strange.id} talks in a room that it isn't in`);
      sockets.to(audience.everyoneIn(channelId)).emit('floor_changed', floorNews);
    },
    ...{ probe: nothing, talkBegan: nothing, talkEnded: nothing },
  });
  const presence = createPresenceService({
    ...{ sockets, store, hosts, moves, news, arrivals, tellGone, enterable, liveSessions, log, steadyNow: now },
    tokens: createResumeTokens(Buffer.alloc(32, 3)),
    newsClock: { quietMs: () => 0 },
    entrances: { take: async () => undefined, reset: async () => undefined } as never,
    now: () => new Date(now()),
    resumeMs: RESUME_MS,
    isCutOff: () => false,
    channelIdsOf: async () => [],
    catchUp: async () => undefined,
    iceConfig: () => ({ iceServers: [], iceTransportPolicy: 'all', ttlSeconds: 1 }),
    photos: { urlOf: () => null },
    others: null,
    floor: {
      ...floor,
      enter: (channel, { id, claim }) =>
        floor.enter(channel, { id, priority: 0, author: null, ...(claim !== undefined && { claim }) }),
    },
  });
  const beat = createPresenceRepair({
    ...{ sockets, store, moves, news, tellGone, liveSessions },
    ...{ isLeaving: presence.isLeaving, end: presence.end, release: presence.release, steadyNow: now, log },
  });
  const beats = setInterval(() => void beat(), PRESENCE_REPAIR_MS);
  const renewals = setInterval(() => void store.renewLease(), PRESENCE_REPAIR_MS / 2);
  void store.open();
  void floor.open(true);

  const messages: Batch<{ channelId: ChannelId; number: number; resolve(how: 'stored' | 'refused'): void }> = {
    ...{ most: 32, waitMaxMs: MESSAGE_WAIT_MS },
    async work(entries) {
      for (const { channelId, number } of entries) {
        await statement(() => world.messages.set(channelId, [...(world.messages.get(channelId) ?? []), number]));
      }
      for (const { channelId, number, resolve } of entries) {
        sockets.to(audience.inRoom(channelId)).emit('messageResponse', { channelId, number } as never);
        resolve('stored');
      }
    },
    refuse: ({ resolve }) => resolve('refused'),
  };

  const end = (): void => {
    isDead = true;
    clearInterval(beats);
    clearInterval(renewals);
    floor.close();
  };

  return {
    hosts,
    participants,
    presence,
    floor,
    /** A page connects. */
    connect(session: Session, hear: Hear): FakeSocket {
      const socket = createFakeSocket(session, hear, (one) => live.delete(one.id));
      live.set(socket.id, socket);
      participants.put(socket.asSocket.data.participant);
      presence.connect(socket.asSocket);
      return socket;
    },
    /** Sends a message as chat does: waiting messages are stored together. */
    send: (channelId: ChannelId, number: number): Promise<'stored' | 'refused'> => {
      const { promise, resolve } = Promise.withResolvers<'stored' | 'refused'>();
      hosts.add(channelId, messages, { channelId, number, resolve });
      return promise;
    },
    endSession(session: Session): void {
      world.ended.add(session.id);
      sockets.end(audience.session(session.id));
      presence.endLost(({ id }) => id === session.id);
    },
    kill(): void {
      end();
      for (const socket of live.values()) socket.cut();
    },
    async stop(): Promise<void> {
      await floor.stop();
      for (const socket of [...live.values()]) socket.drop('server shutting down');
      await presence.close();
      await store.close(participants.all());
      end();
    },
  };
}

const nothing = (): void => undefined;
const pause = (ms: number) => new Promise<void>((resolve) => void setTimeout(resolve, ms));
const pauseUntil = (ms: number, signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });

const namesOf = ({ userId, displayName }: Session) => ({
  ...{ userId, firstName: displayName, lastName: '', pseudo: '', version: 0, photoId: null, linkName: null },
  role: 'member' as const,
});
const occupantOf = ({ id, session, enteredRoom }: Row): Occupant => ({
  ...namesOf(session),
  socketId: id,
  video: enteredRoom?.video ?? null,
  isSilent: false,
});
const strayOf = ({ id, session, enteredRoom }: Row): OrphanedRow => ({
  ...namesOf(session),
  socketId: id,
  channelId: enteredRoom?.channelId ?? null,
  joinedAt: enteredRoom?.joinedAt ?? null,
  channelName: null,
  seenAt: new Date(0),
  ...NO_TALK,
});
