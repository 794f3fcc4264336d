import type { ChannelId } from '@pressel/contract/ids';
import { PRESENCE_TTL_MS } from '@pressel/contract/limits';
import type { VideoShown } from '@pressel/contract/presence';
import type { FastifyBaseLogger } from 'fastify';
import type { Db } from '#src/db/connect.ts';
import { violatedConstraint } from '#src/db/errors.ts';
import { actorOf, type LoggedAct, type RecordActs } from '#src/platform/acts.ts';
import type { ChannelFacts } from '#src/platform/facts.ts';
import type { Socket, Stay } from '#src/platform/sockets.ts';
import { AppError } from '#src/shared/app-error.ts';
import * as repository from './presence.repository.ts';

export type LeaveType = 'channel_leave' | 'connexion_lost';
/** A link that breaks falls silent or fails; one that is closed was closed by somebody, most often with the tab. */
export const leaveTypeOf = (disconnectReason: string): LeaveType =>
  disconnectReason === 'ping timeout' || disconnectReason === 'transport error' ? 'connexion_lost' : 'channel_leave';

/** How a socket is in a room. */
export type Here = Pick<Stay, 'joinedAt' | 'video'>;

/** Acts of one statement. */
const ACTS_AT_ONCE = 1_000;

/**
 * The rows of this process's sockets. Memory decides: the next beat corrects rows that could not be written, or that another
 * process deleted because it took this one for dead (PRES12, PRES13).
 */
export interface PresenceStore {
  open(): Promise<void>;
  /** Writes the row of a socket as memory has it. */
  put(socket: Socket): Promise<void>;
  /**
   * Stores that a socket is in a room, and which picture it shows there: null outside the video view.
   * @returns who is there now, itself included, in order of arrival
   * @throws AppError not_found: the channel was deleted meanwhile; unauthenticated: the account was, or the guest's link ended
   */
  enter(socket: Socket, channel: ChannelFacts, here: Here): Promise<repository.Occupant[]>;
  /** Stores which picture a socket shows. */
  show(socket: Socket, video: VideoShown): Promise<void>;
  /** Stores that these sockets left the rooms they are in. Failing is logged: who leaves must not be kept. */
  leave(sockets: readonly Socket[], type: LeaveType): Promise<void>;
  /** Stores that a socket is no more, as above. */
  remove(socket: Socket, type: LeaveType): Promise<void>;
  renewLease(): Promise<void>;
  /** What the table says of this process's sockets: the room of each. */
  rows(): Promise<Map<string, ChannelId | null>>;
  /** Puts the row of a socket right, and records the leave that could not be. */
  repair(socket: Socket): Promise<void>;
  /** Takes away rows of sockets that are no more. @returns those that nobody else took away at the same time */
  dropStrays(socketIds: readonly string[]): Promise<repository.Stray[]>;
  /** Takes away a row of another process, if it is of this session: its process died, or finds its socket dead (PRES17). */
  dropOrphan(socketId: string, sessionId: string): Promise<repository.Stray[]>;
  /** Takes away other processes that have not been seen for PRESENCE_TTL_MS, with their sockets. */
  dropDeadServers(): Promise<repository.Stray[]>;
  /** From now on all sockets go at once. */
  closing(): void;
  /** Ends this process in the table, and stores who left their rooms by that. */
  close(): Promise<void>;
}

export interface PresenceStoreDeps {
  db: Db;
  /** This process. */
  serverId: string;
  record: RecordActs;
  now: () => Date;
  log: FastifyBaseLogger;
}

export function createPresenceStore({ db, serverId, record, now, log }: PresenceStoreDeps): PresenceStore {
  /** Leaves caused by the shutdown of this process, stored together at its end; null before the shutdown. */
  let lastActs: LoggedAct[] | null = null;

  const rowOf = (
    socket: Socket,
    channel: (Here & { id: string }) | null = socket.data.channel,
  ): repository.SocketRow => ({
    socketId: socket.id,
    ...ownerOf(socket),
    sessionId: socket.data.session.id,
    serverId,
    channelId: channel?.id ?? null,
    joinedAt: channel?.joinedAt ?? null,
    video: channel?.video ?? null,
  });
  const leavesOf = (sockets: readonly Socket[], type: LeaveType): LoggedAct[] =>
    sockets.flatMap(({ data: { channel, session } }) => {
      if (channel === null) return [];
      const at = now();
      const { id, name, joinedAt } = channel;
      const details = { durationMs: Math.max(0, at.getTime() - joinedAt.getTime()) };
      return [{ type, user: actorOf(session), channel: { id, name }, details, at }];
    });
  const lost = (strays: readonly repository.Stray[]): LoggedAct[] =>
    strays.flatMap((stray) => {
      const { userId: id, firstName, channelId, channelName, joinedAt } = stray;
      if (channelId === null) return [];
      const at = now();
      const user = { id, firstName, displayName: repository.nameOf(stray), address: null };
      const details = joinedAt === null ? {} : { durationMs: Math.max(0, at.getTime() - joinedAt.getTime()) };
      return [{ type: 'connexion_lost', user, channel: { id: channelId, name: channelName ?? '' }, details, at }];
    });

  /** If another process deleted this one's lease (it looked dead), the row's foreign key fails: renew the lease, try again. */
  async function withLease<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (violatedConstraint(error) !== 'user_sockets_server_id_servers_id_fk') throw error;
      await repository.renewLease(db, serverId);
      return work();
    }
  }

  async function orLog(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      log.error({ err: error }, 'leave_not_stored');
    }
  }

  const dropStrays = (socketIds: readonly string[]): Promise<repository.Stray[]> =>
    db.transaction(async (tx) => {
      const known = await repository.listStrays(tx, { socketIds });
      const deleted = await repository.deleteSockets(tx, socketIds);
      const strays = known.filter(({ socketId }) => deleted.has(socketId));
      await record(tx, lost(strays));
      return strays;
    });

  return {
    open: () => repository.renewLease(db, serverId),
    put: (socket) => withLease(() => repository.putSocket(db, rowOf(socket))),

    show: (socket, video) => repository.setVideo(db, socket.id, video),

    async enter(socket, channel, here) {
      try {
        return await withLease(() =>
          db.transaction(async (tx) => {
            await repository.putSocket(tx, rowOf(socket, { ...channel, ...here }));
            const { id, name } = channel;
            const user = actorOf(socket.data.session);
            await record(tx, [{ type: 'channel_join', user, channel: { id, name }, at: here.joinedAt }]);
            return repository.listOccupants(tx, channel.id);
          }),
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

    leave: (sockets, type) =>
      orLog(() =>
        db.transaction(async (tx) => {
          await repository.clearRooms(
            tx,
            sockets.map(({ id }) => id),
          );
          await record(tx, leavesOf(sockets, type));
        }),
      ),

    async remove(socket, type) {
      const acts = leavesOf([socket], type);
      if (lastActs !== null) {
        lastActs.push(...acts);
        return;
      }
      await orLog(() =>
        db.transaction(async (tx) => {
          await repository.deleteSockets(tx, [socket.id]);
          await record(tx, acts);
        }),
      );
    },

    renewLease: () => repository.renewLease(db, serverId),

    async rows() {
      const rows = await repository.listSocketsOfServer(db, serverId);
      return new Map(rows.map(({ socketId, channelId }) => [socketId, channelId as ChannelId | null]));
    },

    repair: (socket) =>
      withLease(() =>
        db.transaction(async (tx) => {
          const strays = await repository.listStrays(tx, { socketIds: [socket.id] });
          await record(tx, lost(strays.filter(({ channelId }) => channelId !== socket.data.channel?.id)));
          await repository.putSocket(tx, rowOf(socket));
        }),
      ),

    dropStrays,

    async dropOrphan(socketId, sessionId) {
      // Nearly always there is none: after a restart everybody asks, at once.
      const isOrphan = await repository.isElsewhere(db, { socketId, sessionId, serverId });
      return isOrphan ? dropStrays([socketId]) : [];
    },

    dropDeadServers: () =>
      db.transaction(async (tx) => {
        const dead = await repository.lockDeadServers(tx, serverId, PRESENCE_TTL_MS);
        if (dead.length === 0) return [];
        const strays = await repository.listStrays(tx, { serverIds: dead });
        await record(tx, lost(strays));
        await repository.deleteServers(tx, dead);
        return strays;
      }),

    closing() {
      lastActs ??= [];
    },

    async close() {
      const acts = lastActs ?? [];
      await db.transaction(async (tx) => {
        for (let start = 0; start < acts.length; start += ACTS_AT_ONCE) {
          await record(tx, acts.slice(start, start + ACTS_AT_ONCE));
        }
        await repository.deleteServers(tx, [serverId]);
      });
    },
  };
}

const ownerOf = ({ data: { session } }: Socket) =>
  session.guest === undefined ? { userId: session.userId, guestId: null } : { userId: null, guestId: session.userId };
