import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { type ChannelId, type ParticipantId, type UserId, userId } from '@pressel/contract/ids';
import { type StatusNews, statusNews, type UserPresence } from '@pressel/contract/presence';
import type { UserSocket } from '@pressel/contract/users';
import type { FastifyBaseLogger } from 'fastify';
import * as z from 'zod';
import { presentActivity } from '#src/accounts/present-user.ts';
import type { Session } from '#src/accounts/session.ts';
import type { Db } from '#src/db/connect.ts';
import type { Relay } from '#src/processes/relay.ts';
import { unique } from '#src/shared/ids.ts';
import type { NewsClock } from '#src/sockets/news-clock.ts';
import type { SocketRow } from '#src/sockets/sockets.repository.ts';
import { audience, type Sockets } from '#src/sockets/sockets.ts';
import { createNewestNews, type ReadAt } from './newest-news.ts';
import { readStatusRows } from './status-news.repository.ts';

/** The first change is told at once; changes within this time of it are told together, ms. */
const REST_MS = 200;
/** Delay before the next attempt when the database did not answer, ms. */
const RETRY_MS = 1_000;
/** The topic on the relay. */
const STATUS_TOPIC = 'presence.status';

/** Tells screens who is where, as patches (PRES20 and after). */
export interface StatusNewsPublisher {
  /** A user entered or left these rooms. Call it when it is stored: what is told is read from the table. */
  moved(who: Who, channelIds: readonly ChannelId[]): void;
  /** A participant of the user came or went: everybody who shares a channel with them is told. `isFirst`: the user had none. */
  came(who: Who, isFirst: boolean): void;
  went(who: Who, channelIds: readonly ChannelId[]): void;
  /** Tells nothing more; waits for news that are being told. */
  close(): Promise<void>;
}

/** Guests are in no list of users: other news (`guestsMoved`) tell of their comings and goings. */
type Who = Pick<Session, 'userId' | 'role'>;

interface Touched {
  readonly rooms: Set<ChannelId>;
  /** Whether others are told too, besides those who know of these rooms. */
  everywhere: boolean;
  /** Whether one that came was the user's first. */
  isFirst: boolean;
}

/** The table's rows about the users who were touched. */
interface StatusFacts {
  sockets: Map<string, SocketRow[]>;
  channelsOf: Map<string, ChannelId[]>;
  inRooms: Map<string, number>;
  activities: Map<string, ReturnType<typeof presentActivity>>;
  connected: number;
  readAt: ReadAt;
}

/** The reading of one process, as all processes tell it. */
const reading = z.object({
  readAt: z.tuple([z.number(), z.number()]).readonly(),
  /** The news for administrators and for each channel, with the users whose first participant came. */
  messages: z.array(z.object({ first: z.array(userId), news: statusNews() })),
});
type Reading = z.infer<typeof reading>;

export function createStatusNews({
  db,
  sockets,
  relay,
  log,
  newsClock,
  steadyNow,
  guestsMoved,
  told,
}: {
  db: Db;
  sockets: Pick<Sockets, 'local'>;
  /** The relay to the other processes; null: there are none. */
  relay: Pick<Relay, 'send' | 'on'> | null;
  log: FastifyBaseLogger;
  newsClock: Pick<NewsClock, 'noteNews'>;
  /** A monotonic clock, ms. */
  steadyNow: () => number;
  guestsMoved(channelIds: readonly ChannelId[]): void;
  /** Called when news of these users were told, by whatever process. */
  told(userIds: readonly UserId[]): void;
}): StatusNewsPublisher {
  let touched = new Map<UserId, Touched>();
  let telling: Promise<void> | null = null;
  const ending = new AbortController();
  const newest = createNewestNews(steadyNow);
  relay?.on(STATUS_TOPIC, reading, tellHere);

  const touch = (userId: UserId): Touched => {
    const known = touched.get(userId);
    if (known !== undefined) return known;
    const fresh = { rooms: new Set<ChannelId>(), everywhere: false, isFirst: false };
    touched.set(userId, fresh);
    begin();
    return fresh;
  };
  const begin = (): void => {
    telling ??= tellAll().finally(() => {
      telling = null;
      // Somebody may have been touched after the last look and before this.
      if (touched.size > 0 && !ending.signal.aborted) begin();
    });
  };

  async function tellAll(): Promise<void> {
    while (touched.size > 0 && !ending.signal.aborted) {
      // Waits, so that whatever else happens in this turn is told with it.
      await setImmediate();
      const some = touched;
      touched = new Map();
      let restMs = REST_MS;
      try {
        const read = readingOf(some, await readStatus(db, some));
        if (ending.signal.aborted) return;
        relay?.send(STATUS_TOPIC, read);
        tellHere(read);
      } catch (error) {
        log.error({ err: error }, 'status_news_failed');
        restMs = RETRY_MS;
        for (const [userId, { rooms, everywhere, isFirst }] of some) {
          const again = touch(userId);
          for (const id of rooms) again.rooms.add(id);
          again.everywhere ||= everywhere;
          again.isFirst ||= isFirst;
        }
      }
      await sleep(restMs, undefined, { signal: ending.signal }).catch(() => undefined);
    }
  }

  /** Tells the sockets of this process what one of the processes read. */
  function tellHere({ readAt, messages }: Reading): void {
    for (const { first, news } of messages) {
      const { channelId } = news;
      const to =
        channelId === null
          ? sockets.local.to(audience.admins)
          : sockets.local.to(audience.membersOf(channelId)).except([audience.admins]);
      if (first.length > 0) to.emit('userConnected', { userIds: first });
      const left = newest(readAt, news);
      if (left !== null) to.emit('onUserStatusChanged', left);
    }
    const [ofAdmins] = messages;
    told(ofAdmins?.news.users.map(({ userId }) => userId) ?? []);
    const [only, ...others] = ofAdmins?.news.users ?? [];
    newsClock.noteNews(ofAdmins?.news.rooms.length === 0 && others.length === 0 ? (only?.userId ?? null) : null);
  }

  return {
    moved({ userId, role }, channelIds) {
      if (role === 'guest') return guestsMoved(channelIds);
      const one = touch(userId);
      for (const id of channelIds) one.rooms.add(id);
    },
    came({ userId, role }, isFirst) {
      if (role === 'guest') return;
      const one = touch(userId);
      one.everywhere = true;
      one.isFirst ||= isFirst;
    },
    went({ userId, role }, channelIds) {
      if (role === 'guest') return guestsMoved(channelIds);
      const one = touch(userId);
      one.everywhere = true;
      for (const id of channelIds) one.rooms.add(id);
    },
    async close() {
      ending.abort();
      await telling;
    },
  };
}

async function readStatus(db: Db, some: ReadonlyMap<UserId, Touched>): Promise<StatusFacts> {
  const userIds = [...some.keys()];
  const everywhere = userIds.filter((id) => some.get(id)?.everywhere);
  const rooms = unique([...some.values()].flatMap((one) => [...one.rooms]));
  const { readAt, connected, ...rows } = await readStatusRows(db, { userIds, everywhere, rooms });
  const byUser = Map.groupBy(rows.memberships, ({ userId }) => userId);
  return {
    ...{ readAt, connected },
    sockets: Map.groupBy(rows.sockets, ({ userId }) => userId),
    channelsOf: new Map([...byUser].map(([id, of]) => [id, of.map(({ channelId }) => channelId)])),
    inRooms: new Map(rows.inRooms.map((row) => [row.channelId, row.connected])),
    activities: new Map([...rows.latest].map(([id, row]) => [id, presentActivity(row)])),
  };
}

/** The news of it: for administrators first, then for each channel. */
function readingOf(some: ReadonlyMap<UserId, Touched>, facts: StatusFacts): Reading {
  const rooms = unique([...some.values()].flatMap((one) => [...one.rooms]));
  const countOf = (channelId: ChannelId) => ({ channelId, connected: facts.inRooms.get(channelId) ?? 0 });
  const message = (
    channelId: ChannelId | null,
    userIds: readonly UserId[],
    news: Omit<StatusNews, 'channelId' | 'users'>,
  ): Reading['messages'][number] => ({
    first: userIds.filter((userId) => some.get(userId)?.isFirst === true),
    news: { channelId, users: userIds.map((userId) => presenceOf(userId, channelId, facts)), ...news },
  });
  const ofAdmins = message(null, [...some.keys()], { rooms: rooms.map(countOf), connected: facts.connected });
  const ofChannels = [...byChannel(some, facts)].map(([channelId, userIds]) =>
    message(channelId, userIds, { rooms: rooms.includes(channelId) ? [countOf(channelId)] : [] }),
  );
  return { readAt: facts.readAt, messages: [ofAdmins, ...ofChannels] };
}

/** The users of whom each channel is told: those who entered or left its room, and its members who came or went. */
function byChannel(some: ReadonlyMap<UserId, Touched>, { channelsOf }: StatusFacts): Map<ChannelId, UserId[]> {
  const told = new Map<ChannelId, UserId[]>();
  for (const [userId, { rooms, everywhere }] of some) {
    for (const id of unique([...rooms, ...(everywhere ? (channelsOf.get(userId) ?? []) : [])])) {
      const list = told.get(id);
      if (list === undefined) told.set(id, [userId]);
      else list.push(userId);
    }
  }
  return told;
}

/** A user's presence as seen from a channel: its members learn nothing of rooms of other channels. From null everything is seen. */
function presenceOf(userId: UserId, channelId: ChannelId | null, facts: StatusFacts): UserPresence {
  const rows = (facts.sockets.get(userId) ?? []).map((row) =>
    channelId === null || row.channelId === channelId ? row : { ...row, channelId: null },
  );
  const oneEach = new Map(rows.map((row) => [row.channelId, row]));
  const latest = facts.activities.get(userId);
  return {
    userId,
    connected: rows.length > 0,
    user_sockets: [...oneEach.values()].map(presentSocket),
    ...(channelId === null ? { userActivities: latest === undefined ? [] : [latest] } : {}),
  };
}

const presentSocket = ({ userId, channelId, socketId }: SocketRow): UserSocket => ({
  userId: userId as UserId,
  channelId: channelId as ChannelId | null,
  socket_id: socketId as ParticipantId,
});
