import type { ChannelId } from '@pressel/contract/ids';
import { PRESENCE_TTL_MS } from '@pressel/contract/limits';
import type { VideoShown } from '@pressel/contract/presence';
import type { FastifyBaseLogger } from 'fastify';
import type { Db } from '#src/db/connect.ts';
import { violatedConstraint } from '#src/db/errors.ts';
import { inRounds } from '#src/db/rounds.ts';
import { actorOf, type LoggedAct, type RecordActs, type RecordWithin } from '#src/history/change.ts';
import type { ChannelState } from '#src/processes/facts.ts';
import { AppError } from '#src/shared/app-error.ts';
import { type EnteredRoom, isAwaited, type LiveParticipant, type StoredEnteredRoom } from '#src/sockets/sockets.ts';
import * as repository from './presence.repository.ts';
import { type Move, moveSockets, setTalk } from './take-overs.repository.ts';

export type LeaveType = 'channel_leave' | 'connexion_lost';
/** A broken link falls silent or fails. Somebody closed a link that is closed, most often with the tab. */
export const leaveTypeOf = (disconnectReason: string): LeaveType =>
  disconnectReason === 'ping timeout' || disconnectReason === 'transport error' ? 'connexion_lost' : 'channel_leave';

/** Maximum of acts that one statement stores. */
const ACTS_AT_ONCE = 1_000;

/**
 * The rows of this process's participants. Memory decides: the next repair corrects rows that could not be written, or that another
 * process deleted because it took this one for dead (PRES12, PRES13).
 */
export interface PresenceStore {
  open(): Promise<void>;
  /** Writes the row of a participant that is in no room yet. @returns whether its user had no other one, at any process */
  put(participant: LiveParticipant): Promise<boolean>;
  /**
   * Stores that a participant is in one more room, and which picture it shows there: null outside the video view.
   * @returns who is there now, itself included, in order of arrival
   * @throws AppError not_found: the channel was deleted meanwhile; unauthenticated: the account was, or the guest's link ended
   */
  enter(participant: LiveParticipant, channel: ChannelState, here: StoredEnteredRoom): Promise<repository.Occupant[]>;
  /** The participants in a room, in order of arrival. */
  occupants(channelId: ChannelId): Promise<repository.Occupant[]>;
  /** Stores which picture a participant shows in a room. */
  show(participant: LiveParticipant, channelId: ChannelId, video: VideoShown): Promise<void>;
  /** Stores that these participants left this room. A failure is logged, because nobody who leaves must be kept. */
  leave(participants: readonly LiveParticipant[], channelId: ChannelId, type: LeaveType): Promise<void>;
  /** Stores that a participant is gone and left all of its rooms, as above. */
  remove(participant: LiveParticipant, type: LeaveType): Promise<void>;
  /**
   * Stores the id that a participant adopted, and takes over the rows that it has by another process, if they are of this session.
   * @returns the rooms that those name, and how it was there; null: nobody knows of it any more, and it keeps its own id
   */
  adopt(participant: LiveParticipant): Promise<Map<ChannelId, StoredEnteredRoom> | null>;
  /** The participants of this process among these whose rows another process has taken over. */
  taken(ids: readonly string[]): Promise<ReadonlySet<string>>;
  /**
   * Stores what rooms are told of silence.
   * @returns those participants that another process has taken over; null: it could not be stored, which is logged
   */
  silence(enteredRooms: readonly Silence[]): Promise<ReadonlySet<LiveParticipant> | null>;
  /** Number of a user's participants, at all processes, that can't be heard of, except some. */
  countSilent(participant: LiveParticipant, exceptIds: readonly string[]): Promise<number>;
  renewLease(): Promise<void>;
  /** The rooms of each of this process's participants, as the table has them. */
  rows(): Promise<Map<string, ChannelId[]>>;
  /** Corrects the rows of participants, and records the leaves that could not be recorded. @returns those */
  repair(participants: readonly LiveParticipant[]): Promise<repository.OrphanedRow[]>;
  /** Deletes rows of participants that are gone. @returns those that nobody else deleted at the same time */
  dropStrays(ids: readonly string[]): Promise<repository.OrphanedRow[]>;
  /** Deletes other processes that have not been seen for so long (PRESENCE_TTL_MS), with their participants. */
  dropDeadServers(ttlMs?: number): Promise<repository.OrphanedRow[]>;
  /** Lets a talk of an earlier process go on, or logs it as far as that process heard it. A failure is logged. */
  settleTalk(participant: LiveParticipant, enteredRoom: EnteredRoom, goesOn: boolean): Promise<void>;
  /** From now on participants go at once. */
  closing(): void;
  /**
   * Ends this process in the table, and stores who left their rooms by that. The rows of those who can resume stay for the next
   * process to take over (PRES44). If none does, they have left by the time of this.
   */
  close(participants: Iterable<LiveParticipant>): Promise<void>;
}

export interface Silence {
  participant: LiveParticipant;
  enteredRoom: EnteredRoom;
  isSilent: boolean;
}

export interface PresenceStoreDeps {
  db: Db;
  /** This process. */
  serverId: string;
  /** Whether other processes hold participants of the same rooms. */
  isShared: boolean;
  record: RecordActs;
  recordWithin: Pick<RecordWithin, 'insertAll' | 'valuesOfAll'>;
  now: () => Date;
  log: FastifyBaseLogger;
}

export function createPresenceStore(deps: PresenceStoreDeps): PresenceStore {
  const { db, serverId, isShared, record, now, log } = deps;
  const rooms = repository.createRoomStatements(deps.recordWithin);
  /** Leaves caused by the shutdown of this process, stored together at its end; null before the shutdown. */
  let lastActs: LoggedAct[] | null = null;

  const rowOf = (
    participant: LiveParticipant,
    enteredRoom: (StoredEnteredRoom & { id: string }) | null,
  ): repository.SocketRow => ({
    socketId: participant.storedAs,
    ...ownerOf(participant),
    sessionId: participant.session.id,
    serverId,
    channelId: enteredRoom?.id ?? null,
    joinedAt: enteredRoom?.joinedAt ?? null,
    video: enteredRoom?.video ?? null,
    talkMs: enteredRoom?.talkMs ?? null,
    isSilent: enteredRoom !== null && (enteredRoom.isSilent || participant.socket === null),
  });
  const rowsOf = (participant: LiveParticipant): repository.SocketRow[] => {
    const kept = [...participant.adopted].map(([id, here]) => ({ id, ...here }));
    const rows = [...participant.enteredRooms.values(), ...kept].map((enteredRoom) => rowOf(participant, enteredRoom));
    return rows.length === 0 ? [rowOf(participant, null)] : rows;
  };
  const leavesOf = ({ session }: LiveParticipant, enteredRooms: Iterable<EnteredRoom>, type: LeaveType): LoggedAct[] =>
    [...enteredRooms].map(({ id, name, joinedAt }) => {
      const at = now();
      const details = { durationMs: Math.max(0, at.getTime() - joinedAt.getTime()) };
      return { type, user: actorOf(session), channel: { id, name }, details, at };
    });
  /** @param when the time at which one of them was there last */
  const lost = (
    strays: readonly repository.OrphanedRow[],
    when: (stray: repository.OrphanedRow) => Date = now,
  ): LoggedAct[] =>
    strays.flatMap((stray): LoggedAct[] => {
      const { userId: id, firstName, channelId, channelName, joinedAt, talkMs } = stray;
      if (channelId === null) return [];
      const at = new Date(Math.max(when(stray).getTime(), joinedAt?.getTime() ?? 0));
      const user = { id, firstName, displayName: repository.nameOf(stray), address: null };
      const details = joinedAt === null ? {} : { durationMs: at.getTime() - joinedAt.getTime() };
      const of = { user, channel: { id: channelId, name: channelName ?? '' }, at };
      return [...cutOff(talkMs, of), { ...of, type: 'connexion_lost', details }];
    });

  /**
   * Does some work. If another process deleted this one's lease (it looked dead), the row's foreign key fails: then this renews
   * the lease and tries again.
   */
  async function withLease<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (violatedConstraint(error) !== 'user_sockets_server_id_servers_id_fk') throw error;
      await repository.renewLease(db, serverId);
      return work();
    }
  }

  async function orLog(participants: readonly LiveParticipant[], work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      log.error({ err: error }, 'leave_not_stored');
      for (const participant of participants) participant.hasStrayRows = true;
    }
  }

  const held = (socketIds: readonly string[]): repository.OwnedRows => ({ socketIds, serverId });

  // Hundreds come at once when another process is lost. One may fail because its account was deleted, or its guest's link ended.
  const put = inRounds(
    (rows: readonly repository.ArrivalRow[]) =>
      withLease(() => db.transaction((tx) => repository.insertSockets(tx, rows, serverId))),
    { isolates: true },
  );
  const move = inRounds((moves: readonly Move[]) => withLease(() => moveSockets(db, moves, serverId)), {
    isolates: true,
  });
  const occupants = inRounds((channelIds: readonly ChannelId[]) => repository.listOccupantsOfEach(db, channelIds));

  const dropStrays = (socketIds: readonly string[]): Promise<repository.OrphanedRow[]> =>
    db.transaction(async (tx) => {
      const known = await repository.listStrays(tx, { socketIds });
      const deleted = await repository.deleteSockets(tx, held(socketIds));
      const strays = known.filter(({ socketId }) => deleted.has(socketId));
      await record(tx, lost(strays));
      return strays;
    });

  return {
    open: () => repository.renewLease(db, serverId),
    put: (participant) => put(rowOf(participant, null)),

    show: ({ storedAs: socketId }, channelId, video) => repository.setVideo(db, { socketId, channelId, video }),

    occupants,

    async enter(participant, channel, here) {
      try {
        const { id, name } = channel;
        const user = actorOf(participant.session);
        const act = { type: 'channel_join', user, channel: { id, name }, at: here.joinedAt } as const;
        return await withLease(() =>
          rooms.enter(db, { ...rowOf(participant, { ...channel, ...here }), channelId: id }, [act]),
        );
      } catch (error) {
        const missing = violatedConstraint(error);
        if (missing?.includes('channel_id')) throw new AppError('not_found', { what: 'channel' }, { cause: error });
        // The account was deleted, or the guest's link ended.
        if (missing?.includes('user_id') || missing?.includes('guest_id')) {
          throw new AppError('unauthenticated', {}, { cause: error });
        }
        throw error;
      }
    },

    async leave(participants, channelId, type) {
      const acts = participants.flatMap((one) => {
        const enteredRoom = one.enteredRooms.get(channelId);
        return enteredRoom === undefined ? [] : leavesOf(one, [enteredRoom], type);
      });
      if (lastActs !== null) {
        lastActs.push(...acts);
        return;
      }
      const { others = [], only = [] } = Object.groupBy(participants, ({ enteredRooms, adopted }) =>
        enteredRooms.size + adopted.size > 1 ? 'others' : 'only',
      );
      const idsOf = (list: readonly LiveParticipant[]) => list.map(({ storedAs }) => storedAs);
      await orLog(participants, () =>
        rooms.leave(db, { only: idsOf(only), others: idsOf(others), serverId, channelId }, acts),
      );
    },

    async remove(participant, type) {
      const acts = leavesOf(participant, participant.enteredRooms.values(), type);
      if (lastActs !== null) {
        lastActs.push(...acts);
        return;
      }
      await orLog([participant], () =>
        db.transaction(async (tx) => {
          await repository.deleteSockets(tx, held([participant.storedAs]));
          await record(tx, acts);
        }),
      );
    },

    async adopt(participant) {
      const { id, storedAs, session } = participant;
      const rows = await move({ socketId: id, sessionId: session.id, storedAs });
      if (rows.length === 0 && !isShared) await repository.renameSocket(db, storedAs, id);
      // Its rooms were told that it is gone, and closed their connections to it.
      if (isShared && rows.length === 0) return null;
      participant.storedAs = id;
      return new Map(
        rows.flatMap(({ channelId, joinedAt, video, talkMs, isSilent, seenAt: heardAt }) =>
          channelId === null
            ? []
            : [[channelId as ChannelId, { joinedAt: joinedAt ?? now(), video, talkMs, heardAt, isSilent }]],
        ),
      );
    },

    taken: async (ids) => new Set(isShared && ids.length > 0 ? await repository.listTaken(db, held(ids)) : []),

    async silence(enteredRooms) {
      const rows = enteredRooms.map(({ participant: { storedAs }, enteredRoom: { id, joinedAt }, isSilent }) => {
        return { socketId: storedAs, channelId: id, joinedAt, isSilent };
      });
      try {
        const stored = await repository.setSilent(db, serverId, rows);
        const left = enteredRooms.map(({ participant }) => participant).filter(({ storedAs }) => !stored.has(storedAs));
        const ids = left.map(({ storedAs }) => storedAs);
        const taken = new Set(ids.length === 0 ? [] : await repository.listTaken(db, held(ids)));
        return new Set(left.filter(({ storedAs }) => taken.has(storedAs)));
      } catch (error) {
        log.error({ err: error }, 'silence_not_stored');
        return null;
      }
    },

    countSilent: (participant, exceptIds) => repository.countSilent(db, ownerOf(participant), exceptIds),

    renewLease: () => repository.renewLease(db, serverId),

    async rows() {
      const rows = await repository.listSocketsOfServer(db, serverId);
      const byId = Map.groupBy(rows, ({ socketId }) => socketId);
      return new Map(
        [...byId].map(([id, of]) => [id, of.flatMap(({ channelId }) => (channelId ?? []) as ChannelId[])]),
      );
    },

    repair: (participants) =>
      withLease(() =>
        db.transaction(async (tx) => {
          const byId = new Map(participants.map((participant) => [participant.storedAs as string, participant]));
          const ids = [...byId.keys()];
          const strays = (await repository.listStrays(tx, { socketIds: ids })).filter(({ socketId, channelId }) => {
            const { enteredRooms, adopted } = byId.get(socketId) ?? NOWHERE;
            const id = channelId as ChannelId | null;
            return id !== null && !enteredRooms.has(id) && !adopted.has(id);
          });
          await record(tx, lost(strays));
          await repository.deleteSockets(tx, held(ids));
          await repository.insertRows(tx, participants.flatMap(rowsOf));
          return strays;
        }),
      ),

    dropStrays,

    dropDeadServers: (ttlMs = PRESENCE_TTL_MS) =>
      db.transaction(async (tx) => {
        const dead = await repository.lockDeadServers(tx, serverId, ttlMs);
        if (dead.length === 0) return [];
        const strays = await repository.listStrays(tx, { serverIds: dead });
        await record(
          tx,
          lost(strays, ({ seenAt }) => seenAt),
        );
        await repository.deleteServers(tx, dead);
        return strays;
      }),

    async settleTalk({ storedAs: socketId, session }, enteredRoom, goesOn) {
      const at = enteredRoom.heardAt ?? now();
      const of = { user: actorOf(session), channel: { id: enteredRoom.id, name: enteredRoom.name }, at };
      try {
        await db.transaction(async (tx) => {
          await setTalk(tx, { socketId, channelId: enteredRoom.id, talkMs: null });
          if (!goesOn) await record(tx, cutOff(enteredRoom.talkMs, of));
        });
        enteredRoom.talkMs = null;
      } catch (error) {
        log.error({ err: error }, 'talk_not_stored');
      }
    },

    closing() {
      lastActs ??= [];
    },

    async close(participants) {
      const acts = lastActs ?? [];
      const waiting = [...participants].filter(isAwaited);
      await db.transaction(async (tx) => {
        for (let start = 0; start < acts.length; start += ACTS_AT_ONCE) {
          await record(tx, acts.slice(start, start + ACTS_AT_ONCE));
        }
        if (waiting.length === 0) return repository.deleteServers(tx, [serverId]);
        const ids = waiting.map(({ storedAs }) => storedAs);
        await repository.deleteSocketsOfServer(tx, serverId, ids);
        for (const { storedAs: socketId, enteredRooms } of waiting) {
          for (const { id: channelId, talkMs } of enteredRooms.values()) {
            if (talkMs !== null) await setTalk(tx, { socketId, channelId, talkMs });
          }
        }
        // It is dead a while after this. Participants who don't come back have left at this time.
        await repository.renewLease(tx, serverId);
      });
    },
  };
}

/** The log entry of a talk that the stop of its process cut off, as far as that process heard it; none without a talk. */
const cutOff = (talkMs: number | null, of: Pick<LoggedAct, 'user' | 'channel' | 'at'>): LoggedAct[] =>
  talkMs === null ? [] : [{ ...of, type: 'channel_talk', details: { durationMs: talkMs, end: 'left' } } as LoggedAct];

const NOWHERE: Pick<LiveParticipant, 'enteredRooms' | 'adopted'> = { enteredRooms: new Map(), adopted: new Map() };

const ownerOf = ({ session }: LiveParticipant) =>
  session.guest === undefined ? { userId: session.userId, guestId: null } : { userId: null, guestId: session.userId };
