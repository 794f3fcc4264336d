import { and, asc, countDistinct, eq, sql as expression, inArray, lt, ne, notInArray } from 'drizzle-orm';
import { displayName } from '#src/accounts/present-user.ts';
import { guestDisplayName, type Session } from '#src/accounts/session.ts';
import type { Sql, Tx } from '#src/db/connect.ts';
import { isAnyOf } from '#src/db/list-sql.ts';
import { FIRST_LOCKS, ROOM_LOCKS } from '#src/db/locks.ts';
import { prepared, preparedBuilt } from '#src/db/prepared-statement.ts';
import { channels, guestLinks, guestSessions } from '#src/db/schema/channels.ts';
import { servers, userSockets } from '#src/db/schema/presence.ts';
import { users } from '#src/db/schema/users.ts';
import type { LoggedAct, RecordWithin } from '#src/history/change.ts';
import { unique } from '#src/shared/ids.ts';

export type SocketRow = typeof userSockets.$inferSelect;
type Names = Pick<typeof users.$inferSelect, 'firstName' | 'lastName' | 'pseudo' | 'role' | 'version' | 'photoId'>;
/** The owner of a socket: a user, or a guest, whose names are `firstName` and that of the link. */
type Owner = Omit<Names, 'role'> & { userId: string; role: Session['role']; linkName: string | null };
export type Occupant = Owner & Pick<SocketRow, 'socketId' | 'video' | 'isSilent'>;
/** A socket that is gone, with its owner and the room that it was in. */
export type OrphanedRow = Owner &
  Pick<SocketRow, 'socketId' | 'channelId' | 'joinedAt' | 'talkMs'> & {
    channelName: string | null;
    /** The time at which its process was last known to live. */
    seenAt: Date;
  };

const given = expression.placeholder;

const names = {
  firstName: users.firstName,
  lastName: users.lastName,
  pseudo: users.pseudo,
  role: users.role,
  version: users.version,
  photoId: users.photoId,
};

/** Any other value is from a newer version, and is read as users.role is. */
const readRole = (stored: string): Session['role'] => (stored === 'admin' || stored === 'guest' ? stored : 'member');

const owner = {
  userId: expression<string>`coalesce(${userSockets.userId}, ${userSockets.guestId})`,
  firstName: expression<string>`coalesce(${users.firstName}, ${guestSessions.name})`,
  lastName: expression<string>`coalesce(${users.lastName}, '')`,
  pseudo: expression<string>`coalesce(${users.pseudo}, '')`,
  role: expression`coalesce(${users.role}, 'guest')`.mapWith(readRole),
  version: expression<number>`coalesce(${users.version}, 0)`,
  photoId: users.photoId,
  linkName: guestLinks.name,
};

/** The name of a socket's owner. */
export const nameOf = ({ linkName, ...names }: Owner): string =>
  linkName === null ? displayName(names) : guestDisplayName(names.firstName, linkName);

export type ArrivalRow = Pick<SocketRow, 'socketId' | 'userId' | 'guestId' | 'sessionId'>;

/** Writes the rows of a participant that has none: one for each room, or one without. */
export const insertRows = async (sql: Sql, rows: readonly SocketRow[]): Promise<void> => {
  await sql.insert(userSockets).values([...rows]);
};

/** Several rows wait so long for locked ones, ms: otherwise one locked row would hold up all others. Alone it waits longer. */
const LOCKED_MAX_MS = 300;
/** PostgreSQL ends the transaction of a process that hangs for this long, ms. */
const SILENCE_MAX_MS = 1_000;
/** Sets the first limit until the transaction ends, if `isOfSeveral` is given. */
export const boundLocks = expression`
  case when ${given('isOfSeveral')}::boolean then set_config('lock_timeout', ${String(LOCKED_MAX_MS)}, true) end`;

const lockFirsts = prepared(
  () => expression`
  select set_config('idle_in_transaction_session_timeout', ${String(SILENCE_MAX_MS)}, true),
    ${boundLocks}, (
      select count(*) from (
        select pg_advisory_xact_lock(${FIRST_LOCKS}, key)
        from (select distinct hashtext(id) as key from unnest(${given('userIds')}::text[]) id order by 1) keys
      ) locked
    )`,
);
const insertArrivals = prepared<{ id: string; is_first: boolean }>(
  () => expression`
  insert into user_sockets (socket_id, user_id, guest_id, session_id, server_id)
  select came.*, ${given('serverId')}::uuid from unnest(
    ${given('socketIds')}::text[], ${given('userIds')}::uuid[],
    ${given('guestIds')}::uuid[], ${given('sessionIds')}::uuid[]) came
  returning socket_id as id,
    not exists (select from user_sockets other where other.user_id = user_sockets.user_id) as is_first`,
);

const ownerIdOf = ({ userId, guestId }: ArrivalRow): string => userId ?? guestId ?? '';

/**
 * Writes rows without a room, of participants that have none.
 * @returns for each whether its user had no other one: of several that come at once, exactly one is the first
 */
export async function insertSockets(tx: Tx, rows: readonly ArrivalRow[], serverId: string): Promise<boolean[]> {
  const userIds = rows.flatMap(({ userId }) => userId ?? []);
  await lockFirsts(tx, { userIds, isOfSeveral: rows.length > 1 });
  // Each locks its user's row, and everybody locks those in this order, also to delete users.
  const sorted = rows.toSorted((one, other) => (ownerIdOf(one) < ownerIdOf(other) ? -1 : 1));
  const column = <K extends keyof ArrivalRow>(name: K) => sorted.map((row) => row[name]);
  const written = await insertArrivals(tx, {
    ...{ serverId, socketIds: column('socketId'), userIds: column('userId') },
    ...{ guestIds: column('guestId'), sessionIds: column('sessionId') },
  });
  // Nobody's rows of this statement are seen by it, so two of one user both look like the first.
  const isFirst = new Map(written.rows.map((row) => [row.id, row.is_first]));
  const seen = new Set<string>();
  return rows.map(({ socketId, userId }) => {
    const isKnown = userId === null || seen.has(userId);
    if (userId !== null) seen.add(userId);
    return !isKnown && isFirst.get(socketId) === true;
  });
}

/** Statements that change who is in a room, and store the acts of that. */
export interface RoomStatements {
  /**
   * Stores that a participant is in one more room. Deletes its rows without a room: there may be several, of deleted channels. It may have
   * left a row when it was in the room before, because its leave could not be stored. If two enter at once, by any process, the second
   * finds the first.
   * @returns who is there now, in order of arrival
   */
  enter(sql: Sql, row: SocketRow & { channelId: string }, acts: readonly LoggedAct[]): Promise<Occupant[]>;
  /** Takes participants out of a room. `only`: those who are in no other one. */
  leave(sql: Sql, of: RoomLeavers, acts: readonly LoggedAct[]): Promise<void>;
}

export interface RoomLeavers {
  only: readonly string[];
  others: readonly string[];
  serverId: string;
  channelId: string;
}

/** A participant's row of one room. If the channel is deleted, the row names none any more. Rows that another process has aren't its own. */
const isLeft = (ids: string) => expression`socket_id = any((select ${given(ids)}::text[])::text[])
  and server_id = ${given('serverId')}::uuid and (channel_id = ${given('channelId')}::uuid or channel_id is null)`;

type StoredOccupant = Omit<Occupant, 'role' | 'video'> & { role: string; video: string | null };

const readOccupant = ({ role, video, ...row }: StoredOccupant): Occupant => ({
  ...row,
  role: readRole(role),
  video: video === null ? null : (userSockets.video.mapFromDriverValue(video) as Occupant['video']),
});

/** One round trip for each: people come and go all the time. */
export function createRoomStatements(record: Pick<RecordWithin, 'insertAll' | 'valuesOfAll'>): RoomStatements {
  const ofOwner = Object.entries(owner).map(([name, value]) => expression`${value} as ${expression.identifier(name)}`);
  const enter = prepared<StoredOccupant>(
    () => expression`
  with recorded as (${record.insertAll})
  select ${userSockets.channelId} as "channelId", ${userSockets.socketId} as "socketId", ${userSockets.video} as video,
    ${userSockets.isSilent} as "isSilent", ${expression.join(ofOwner, expression`, `)}
  from enter_room(${given('row')}::jsonb, ${expression.raw(String(ROOM_LOCKS))}) as ${userSockets}
    left join ${users} on ${users.id} = ${userSockets.userId}
    left join ${guestSessions} on ${guestSessions.id} = ${userSockets.guestId}
    left join ${guestLinks} on ${guestLinks.id} = ${guestSessions.linkId}
  order by ${userSockets.joinedAt}, ${userSockets.socketId}`,
  );
  const leave = prepared(
    () => expression`
  with gone as (
    delete from user_sockets where ${isLeft('others')}
  ), left_alone as (
    update user_sockets set channel_id = null, joined_at = null, video = null, talk_ms = null, is_silent = false
    where ${isLeft('only')}
  )
  ${record.insertAll}`,
  );
  return {
    async enter(sql, row, acts) {
      const columns = {
        ...{ socket_id: row.socketId, user_id: row.userId, guest_id: row.guestId, session_id: row.sessionId },
        ...{ server_id: row.serverId, channel_id: row.channelId, joined_at: row.joinedAt, video: row.video },
        ...{ talk_ms: row.talkMs, is_silent: row.isSilent },
      };
      const { rows } = await enter(sql, { row: JSON.stringify(columns), ...record.valuesOfAll(acts) });
      return rows.map(readOccupant);
    },
    async leave(sql, { only, others, ...of }, acts) {
      await leave(sql, { ...of, only: [...only], others: [...others], ...record.valuesOfAll(acts) });
    },
  };
}

/** Participants of one process. Rows that another process took over are not its own any more. */
export interface OwnedRows {
  socketIds: readonly string[];
  serverId: string;
}
const isOwned = ({ socketIds, serverId }: OwnedRows) =>
  and(inArray(userSockets.socketId, [...socketIds]), eq(userSockets.serverId, serverId));

/** Changes the id of a participant. */
export const renameSocket = async (sql: Sql, from: string, to: string): Promise<void> => {
  await sql.update(userSockets).set({ socketId: to }).where(eq(userSockets.socketId, from));
};

/** Stores which picture a participant shows in a room. */
export const setVideo = async (
  sql: Sql,
  { socketId, channelId, video }: Pick<SocketRow, 'socketId' | 'video'> & { channelId: string },
): Promise<void> => {
  await sql
    .update(userSockets)
    .set({ video })
    .where(and(eq(userSockets.socketId, socketId), eq(userSockets.channelId, channelId)));
};

/** @returns those that were there: several callers at the same time are told of different ones */
export const deleteSockets = async (sql: Sql, of: OwnedRows): Promise<ReadonlySet<string>> => {
  const rows = await sql.delete(userSockets).where(isOwned(of)).returning({ id: userSockets.socketId });
  return new Set(rows.map(({ id }) => id));
};

/** The participants among these whose rows another process has. */
export const listTaken = async (sql: Sql, { socketIds, serverId }: OwnedRows): Promise<string[]> => {
  const rows = await sql
    .selectDistinct({ id: userSockets.socketId })
    .from(userSockets)
    .where(and(inArray(userSockets.socketId, [...socketIds]), ne(userSockets.serverId, serverId)));
  return rows.map(({ id }) => id);
};

/**
 * Stores which of this process's participants are silent, and which no longer are. A participant that left and entered again meanwhile
 * is another one.
 * @returns whose rows were there
 */
export async function setSilent(
  sql: Sql,
  serverId: string,
  enteredRooms: readonly { socketId: string; channelId: string; joinedAt: Date; isSilent: boolean }[],
): Promise<ReadonlySet<string>> {
  const column = <T>(of: (enteredRoom: (typeof enteredRooms)[number]) => T) => expression.param(enteredRooms.map(of));
  const isMeant = expression`user_sockets.socket_id = told.socket_id and user_sockets.channel_id = told.channel_id
      and user_sockets.joined_at = told.joined_at and user_sockets.server_id = ${serverId}`;
  // Another process may take over the same rows now. It locks them in the same order.
  const { rows } = await sql.execute<{ id: string }>(expression`
    with told as (
      select * from unnest(
        ${column(({ socketId }) => socketId)}::text[], ${column(({ channelId }) => channelId)}::uuid[],
        ${column(({ joinedAt }) => joinedAt.toISOString())}::timestamptz[],
        ${column(({ isSilent }) => isSilent)}::boolean[]
      ) as told (socket_id, channel_id, joined_at, is_silent)
    ), locked as (
      select from user_sockets join told on ${isMeant}
      order by user_sockets.socket_id, user_sockets.channel_id for update of user_sockets
    )
    update user_sockets set is_silent = told.is_silent from told
    where ${isMeant} and (select count(*) from locked) >= 0
    returning user_sockets.socket_id as id`);
  return new Set(rows.map(({ id }) => id));
}

/** How many participants of a user, or of a guest, are silent in some room. */
export async function countSilent(
  sql: Sql,
  { userId, guestId }: { userId: string | null; guestId: string | null },
  exceptIds: readonly string[],
): Promise<number> {
  const [row] = await sql
    .select({ count: countDistinct(userSockets.socketId) })
    .from(userSockets)
    .where(
      and(
        userId === null ? eq(userSockets.guestId, guestId ?? '') : eq(userSockets.userId, userId),
        userSockets.isSilent,
        notInArray(userSockets.socketId, [...exceptIds]),
      ),
    );
  return row?.count ?? 0;
}

/** Deletes the rows of a process, except those of some participants. */
export const deleteSocketsOfServer = async (
  sql: Sql,
  serverId: string,
  exceptIds: readonly string[],
): Promise<void> => {
  await sql
    .delete(userSockets)
    .where(and(eq(userSockets.serverId, serverId), notInArray(userSockets.socketId, [...exceptIds])));
};

const occupantsOf = preparedBuilt('occupants', (sql) =>
  sql
    .select({
      channelId: userSockets.channelId,
      socketId: userSockets.socketId,
      video: userSockets.video,
      isSilent: userSockets.isSilent,
      ...owner,
    })
    .from(userSockets)
    .leftJoin(users, eq(users.id, userSockets.userId))
    .leftJoin(guestSessions, eq(guestSessions.id, userSockets.guestId))
    .leftJoin(guestLinks, eq(guestLinks.id, guestSessions.linkId))
    // Hides the values from the planner, so that it makes one plan for all of them.
    .where(expression`${userSockets.channelId} = any((select ${given('channelIds')}::uuid[])::uuid[])`)
    .orderBy(asc(userSockets.joinedAt), asc(userSockets.socketId)),
);

/** The participants in each of these rooms, in the order of the rooms, and in order of arrival. */
export async function listOccupantsOfEach(sql: Sql, channelIds: readonly string[]): Promise<Occupant[][]> {
  const byRoom = Map.groupBy(await occupantsOf(sql, { channelIds: unique(channelIds) }), ({ channelId }) => channelId);
  return channelIds.map((id) => byRoom.get(id) ?? []);
}

export const listNames = (sql: Sql, userIds: readonly string[]): Promise<(Names & { id: string })[]> =>
  sql
    .select({ id: users.id, ...names })
    .from(users)
    .where(isAnyOf(users.id, userIds));

/** Stores that this process lives: one row, however many sockets it holds. */
export const renewLease = async (sql: Sql, serverId: string): Promise<void> => {
  await sql
    .insert(servers)
    .values({ id: serverId })
    .onConflictDoUpdate({ target: servers.id, set: { seenAt: expression`now()` } });
};

/** Deletes processes, with their sockets. */
export const deleteServers = async (sql: Sql, serverIds: readonly string[]): Promise<void> => {
  await sql.delete(servers).where(isAnyOf(servers.id, serverIds));
};

/** Other processes that have not been seen for so long. If several callers ask at once, only one of them gets each process. */
export const lockDeadServers = async (tx: Tx, exceptId: string, ttlMs: number): Promise<string[]> => {
  const limit = expression`now() - ${ttlMs} * interval '1 millisecond'`;
  const rows = await tx
    .select({ id: servers.id })
    .from(servers)
    .where(and(ne(servers.id, exceptId), lt(servers.seenAt, limit)))
    .for('update', { skipLocked: true });
  return rows.map(({ id }) => id);
};

/** The rows of the sockets of a process. */
export const listSocketsOfServer = (sql: Sql, serverId: string): Promise<Pick<SocketRow, 'socketId' | 'channelId'>[]> =>
  sql
    .select({ socketId: userSockets.socketId, channelId: userSockets.channelId })
    .from(userSockets)
    .where(eq(userSockets.serverId, serverId));

/** The sockets among these, or of these processes, that the table knows, with their owners and rooms. */
export const listStrays = (
  sql: Sql,
  of: { socketIds: readonly string[] } | { serverIds: readonly string[] },
): Promise<OrphanedRow[]> =>
  sql
    .select({
      socketId: userSockets.socketId,
      channelId: userSockets.channelId,
      joinedAt: userSockets.joinedAt,
      talkMs: userSockets.talkMs,
      seenAt: servers.seenAt,
      channelName: channels.name,
      ...owner,
    })
    .from(userSockets)
    .innerJoin(servers, eq(servers.id, userSockets.serverId))
    .leftJoin(users, eq(users.id, userSockets.userId))
    .leftJoin(guestSessions, eq(guestSessions.id, userSockets.guestId))
    .leftJoin(guestLinks, eq(guestLinks.id, guestSessions.linkId))
    .leftJoin(channels, eq(channels.id, userSockets.channelId))
    .where(
      'socketIds' in of
        ? inArray(userSockets.socketId, [...of.socketIds])
        : isAnyOf(userSockets.serverId, of.serverIds),
    );
