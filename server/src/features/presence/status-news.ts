import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import type { ChannelId, ParticipantId, UserId } from '@pressel/contract/ids';
import type { StatusNews, UserPresence } from '@pressel/contract/presence';
import type { UserSocket } from '@pressel/contract/users';
import type { FastifyBaseLogger } from 'fastify';
import type { Db } from '#src/db/connect.ts';
import { listLatestOfUsers } from '#src/platform/latest-activity.repository.ts';
import type { Quiet } from '#src/platform/quiet.ts';
import { listSockets, type SocketRow } from '#src/platform/sockets.repository.ts';
import { audience, type Sockets } from '#src/platform/sockets.ts';
import { presentActivity } from '#src/shared/present-user.ts';
import type { Session } from '#src/shared/session.ts';
import { unique } from '#src/shared/unique.ts';
import * as repository from './presence.repository.ts';

/** The first change is told at once; those within this time of it are told together, ms. */
const REST_MS = 200;
/** When the database did not answer, ms. */
const RETRY_MS = 1_000;

/** Tells screens who is where, as patches (PRES20 and after). */
export interface StatusNewsDesk {
  /** A user entered or left these rooms. Call it when it is stored: what is told is read from the table. */
  moved(who: Who, channelIds: readonly ChannelId[]): void;
  /** A participant of the user came or went: everybody who shares a channel with them is told. */
  came(who: Who, id: ParticipantId): void;
  went(who: Who, channelIds: readonly ChannelId[]): void;
  /** Tells nothing more; waits for what is being told. */
  close(): Promise<void>;
}

/** Guests are in no list of users: their comings and goings are other news (`guestsMoved`). */
type Who = Pick<Session, 'userId' | 'role'>;

interface Touched {
  readonly rooms: Set<ChannelId>;
  /** Not only to those who know of these rooms. */
  everywhere: boolean;
  /** Participants that came. */
  readonly came: Set<string>;
}

/** What the table says of those who were touched. */
interface Facts {
  sockets: Map<string, SocketRow[]>;
  channelsOf: Map<string, ChannelId[]>;
  inRooms: Map<string, number>;
  activities: Map<string, ReturnType<typeof presentActivity>>;
  connected: number;
}

export function createStatusNews({
  db,
  sockets,
  log,
  quiet,
  guestsMoved,
}: {
  db: Db;
  sockets: Sockets;
  log: FastifyBaseLogger;
  quiet: Pick<Quiet, 'told'>;
  guestsMoved(channelIds: readonly ChannelId[]): void;
}): StatusNewsDesk {
  let touched = new Map<UserId, Touched>();
  let telling: Promise<void> | null = null;
  const ending = new AbortController();

  const touch = (userId: UserId): Touched => {
    const known = touched.get(userId);
    if (known !== undefined) return known;
    const fresh = { rooms: new Set<ChannelId>(), everywhere: false, came: new Set<string>() };
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
      // Whatever else happens in this turn is told with it.
      await setImmediate();
      const some = touched;
      touched = new Map();
      let restMs = REST_MS;
      try {
        tell(some, await readFacts(db, some));
      } catch (error) {
        log.error({ err: error }, 'status_news_failed');
        restMs = RETRY_MS;
        for (const [userId, { rooms, everywhere, came }] of some) {
          const again = touch(userId);
          for (const id of rooms) again.rooms.add(id);
          again.everywhere ||= everywhere;
          for (const id of came) again.came.add(id);
        }
      }
      await sleep(restMs, undefined, { signal: ending.signal }).catch(() => undefined);
    }
  }

  function tell(some: ReadonlyMap<UserId, Touched>, facts: Facts): void {
    if (ending.signal.aborted) return;
    const countOf = (channelId: ChannelId) => ({ channelId, connected: facts.inRooms.get(channelId) ?? 0 });
    const rooms = unique([...some.values()].flatMap((one) => [...one.rooms]));
    const isFirst = (userId: UserId) => {
      const { came } = some.get(userId) ?? {};
      return (
        came !== undefined &&
        came.size > 0 &&
        (facts.sockets.get(userId) ?? []).every(({ socketId }) => came.has(socketId))
      );
    };
    const emit = (
      channelId: ChannelId | null,
      userIds: readonly UserId[],
      news: Omit<StatusNews, 'channelId' | 'users'>,
    ) => {
      const to =
        channelId === null
          ? sockets.to(audience.admins)
          : sockets.to(audience.membersOf(channelId)).except([audience.admins]);
      const first = userIds.filter(isFirst);
      if (first.length > 0) to.emit('userConnected', { userIds: first });
      to.emit('onUserStatusChanged', {
        channelId,
        users: userIds.map((userId) => presenceOf(userId, channelId, facts)),
        ...news,
      });
    };
    emit(null, [...some.keys()], { rooms: rooms.map(countOf), connected: facts.connected });
    for (const [channelId, userIds] of byChannel(some, facts)) {
      emit(channelId, userIds, { rooms: rooms.includes(channelId) ? [countOf(channelId)] : [] });
    }
    const [only = null, ...others] = some.keys();
    quiet.told(rooms.length === 0 && others.length === 0 ? only : null);
  }

  return {
    moved({ userId, role }, channelIds) {
      if (role === 'guest') return guestsMoved(channelIds);
      const one = touch(userId);
      for (const id of channelIds) one.rooms.add(id);
    },
    came({ userId, role }, id) {
      if (role === 'guest') return;
      const one = touch(userId);
      one.everywhere = true;
      one.came.add(id);
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

async function readFacts(db: Db, some: ReadonlyMap<UserId, Touched>): Promise<Facts> {
  const userIds = [...some.keys()];
  const everywhere = userIds.filter((id) => some.get(id)?.everywhere);
  const rooms = unique([...some.values()].flatMap((one) => [...one.rooms]));
  // One after the other: a burst must not take every connection of the pool.
  const socketRows = await listSockets(db, userIds);
  const memberships = everywhere.length === 0 ? [] : await repository.listMemberships(db, everywhere);
  const counts = rooms.length === 0 ? [] : await repository.countInRooms(db, rooms);
  const connected = await repository.countInAllRooms(db);
  const latest = await listLatestOfUsers(db, userIds);
  const byUser = Map.groupBy(memberships, ({ userId }) => userId);
  return {
    sockets: Map.groupBy(socketRows, ({ userId }) => userId),
    channelsOf: new Map([...byUser].map(([id, rows]) => [id, rows.map(({ channelId }) => channelId as ChannelId)])),
    inRooms: new Map(counts.map((row) => [row.channelId ?? '', row.connected])),
    activities: new Map([...latest].map(([id, row]) => [id, presentActivity(row)])),
    connected,
  };
}

/** Who is told of in each channel: who entered or left its room, and its members who came or went. */
function byChannel(some: ReadonlyMap<UserId, Touched>, { channelsOf }: Facts): Map<ChannelId, UserId[]> {
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

/** As seen from a channel: of rooms of other channels its members learn nothing. From null everything is seen. */
function presenceOf(userId: UserId, channelId: ChannelId | null, facts: Facts): UserPresence {
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
