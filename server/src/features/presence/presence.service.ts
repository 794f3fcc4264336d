import type { ChannelId, ParticipantId, UserId } from '@pressel/contract/ids';
import { PRESENCE_TTL_MS } from '@pressel/contract/limits';
import type { IceConfig, Participant, RoomState } from '@pressel/contract/presence';
import { participant } from '@pressel/contract/presence';
import type { FloorSnapshot } from '@pressel/contract/voice';
import type { FastifyBaseLogger } from 'fastify';
import type { Db } from '#src/db/connect.ts';
import type { RecordActs } from '#src/platform/change.ts';
import { audience, type Socket, type Sockets } from '#src/platform/sockets.ts';
import { AppError } from '#src/shared/app-error.ts';
import type { KeyedLock } from '#src/shared/keyed-lock.ts';
import { displayName } from '#src/shared/present-user.ts';
import type { Session } from '#src/shared/session.ts';
import * as repository from './presence.repository.ts';

/** The columns of a channel that a room shows. */
export interface RoomChannel {
  id: string;
  name: string;
  rtcSession: string;
  talkMode: 'single' | 'open';
  version: number;
}

export interface PresenceDeps {
  db: Db;
  sockets: Sockets;
  /** This process. */
  serverId: string;
  lock: KeyedLock;
  now: () => Date;
  log: FastifyBaseLogger;
  /** @throws AppError not_found, not_a_member */
  enterable(session: Session, target: { key: string } | { id: ChannelId }): Promise<RoomChannel>;
  channelIdsOf(userId: UserId): Promise<string[]>;
  iceConfig(userId: UserId): IceConfig;
  floor: {
    snapshot(channel: RoomChannel & { id: ChannelId }): Promise<FloorSnapshot>;
    leave(channelId: ChannelId, ids: readonly ParticipantId[]): Promise<void>;
  };
  liveSessions(ids: readonly string[]): Promise<ReadonlySet<string>>;
  record: RecordActs;
}

export type PresenceService = ReturnType<typeof createPresenceService>;
type LeaveType = 'channel_leave' | 'connexion_lost';

/** A link that breaks falls silent or fails; one that is closed was closed by somebody, most often with the tab. */
export const leaveTypeOf = (disconnectReason: string): LeaveType =>
  disconnectReason === 'ping timeout' || disconnectReason === 'transport error' ? 'connexion_lost' : 'channel_leave';

export function createPresenceService(deps: PresenceDeps) {
  const { db, sockets, lock } = deps;
  /** Work that nobody may be waiting for, such as the clean-up after a disconnect: closing waits for it. */
  const pending = new Set<Promise<void>>();
  const tracked = <T>(work: Promise<T>): Promise<T> => {
    const settled: Promise<void> = work
      .then(
        () => undefined,
        () => undefined,
      )
      .finally(() => pending.delete(settled));
    pending.add(settled);
    return work;
  };
  const inBackground = (work: Promise<void>): void => {
    tracked(work).catch((error: unknown) => deps.log.error({ err: error }, 'presence_failed'));
  };

  /**
   * One move at a time per socket: of two at once each would take it for being nowhere, and leave it in both rooms;
   * one that is overtaken by the disconnect would leave a ghost. Taken before a room's lock, never after.
   */
  const inTurn = <T>(socket: Socket, move: () => Promise<T>): Promise<T> =>
    tracked(lock.run(`socket:${socket.id}`, move));

  const occupants = async (channelId: string): Promise<Participant[]> =>
    (await repository.listOccupants(db, channelId)).map((row) =>
      participant.parse({ id: row.socketId, userId: row.userId, name: displayName(row), role: row.role }),
    );

  /**
   * Tells administrators and everyone who shares a channel with the user. Members learn of rooms of their own channels
   * only: the one that was left, the one that was entered, and of any other just that the user is there or not.
   */
  async function announceStatus(
    userId: UserId,
    status: { channelId: ChannelId | null; previousChannelId: ChannelId | null; connected: boolean },
  ): Promise<void> {
    const { channelId, previousChannelId, connected } = status;
    const everything = [audience.admins, audience.user(userId)];
    const rooms = [channelId, previousChannelId].filter((id) => id !== null).map(audience.membersOf);
    const others = (await deps.channelIdsOf(userId)).map(audience.membersOf).filter((room) => !rooms.includes(room));
    sockets.to(everything).emit('onUserStatusChanged', { userId, ...status });
    for (const [id, news] of [
      [previousChannelId, { channelId: null, previousChannelId }],
      [channelId, { channelId, previousChannelId: null }],
    ] as const) {
      if (id === null) continue;
      sockets
        .to(audience.membersOf(id))
        .except(everything)
        .emit('onUserStatusChanged', { userId, ...news, connected });
    }
    if (others.length === 0) return;
    const presence = { userId, channelId: null, previousChannelId: null, connected };
    sockets
      .to(others)
      .except([...everything, ...rooms])
      .emit('onUserStatusChanged', presence);
  }

  const act = (socket: Socket, type: LeaveType | 'channel_join', channel: { id: string; name: string }) => {
    const { userId, firstName, displayName: name } = socket.data.session;
    return {
      type,
      user: { id: userId, firstName, displayName: name },
      channel: { id: channel.id, name: channel.name },
      at: deps.now(),
    };
  };

  /** Takes a socket out of its room. Call it under the room's lock. */
  async function leaveLocked(socket: Socket, type: LeaveType): Promise<void> {
    const { channel } = socket.data;
    if (channel === null) return;
    const id = socket.id as ParticipantId;
    socket.data.channel = null;
    // The floor first: who talks or waits must still be told that this is over (TALK12).
    await deps.floor.leave(channel.id, [id]);
    await Promise.all([socket.leave(audience.inRoom(channel.id)), socket.leave(audience.participant(channel.id, id))]);
    await db.transaction(async (tx) => {
      await repository.setRoom(tx, socket.id, null, deps.now());
      await deps.record(tx, [act(socket, type, channel)]);
    });
    await tellExit(channel.id, id);
  }

  /** Tells those who are left in a room. Call it under the room's lock. */
  async function tellExit(channelId: string, socketId: string): Promise<void> {
    const room = sockets.to(audience.inRoom(channelId));
    room.emit('user_exit', { id: socketId as ParticipantId });
    room.emit('usersInThisRoom', await occupants(channelId));
  }

  const leave = async (socket: Socket, type: LeaveType): Promise<ChannelId | null> => {
    const { channel } = socket.data;
    if (channel === null) return null;
    await lock.run(channel.id, () => leaveLocked(socket, type));
    return channel.id;
  };

  /** One at a time per room, so that of two newcomers exactly one finds the other there already. */
  async function enterLocked(socket: Socket, channel: RoomChannel): Promise<RoomState> {
    const { session } = socket.data;
    const channelId = channel.id as ChannelId;
    const id = socket.id as ParticipantId;
    await db.transaction(async (tx) => {
      await repository.setRoom(tx, socket.id, channelId, deps.now());
      await deps.record(tx, [act(socket, 'channel_join', channel)]);
    });
    socket.data.channel = { id: channelId, name: channel.name };
    await socket.join([audience.inRoom(channelId), audience.participant(channelId, id)]);
    const everyone = await occupants(channelId);
    const self = everyone.find((other) => other.id === id);
    // The socket may have gone while this was under way; its clean-up runs after us under the same lock.
    if (self === undefined) throw new AppError('unavailable');
    const others = everyone.filter((other) => other.id !== id);
    socket.emit('all_users', others);
    socket.to(audience.inRoom(channelId)).emit('user joined', self);
    sockets.to(audience.inRoom(channelId)).emit('usersInThisRoom', everyone);
    return {
      channel: { id: channelId, name: channel.name, rtcSession: channel.rtcSession, talkMode: channel.talkMode },
      self,
      participants: others,
      floor: await deps.floor.snapshot({ ...channel, id: channelId }),
      ice: deps.iceConfig(session.userId),
    };
  }

  async function enter(socket: Socket, target: { key: string } | { id: ChannelId }): Promise<RoomState> {
    await socket.data.registered;
    const { session } = socket.data;
    return inTurn(socket, async () => {
      const channel = await deps.enterable(session, target);
      const channelId = channel.id as ChannelId;
      const previousChannelId = await leave(socket, 'channel_leave');
      try {
        const state = await lock.run(channelId, async () => {
          if (socket.disconnected) throw new AppError('unavailable');
          // Asked again under the lock: a membership that ended meanwhile found nobody to take out of the room.
          return enterLocked(socket, await deps.enterable(session, { id: channelId }));
        });
        await announceStatus(session.userId, { channelId, previousChannelId, connected: true });
        return state;
      } catch (error) {
        if (previousChannelId !== null && !socket.disconnected) {
          await announceStatus(session.userId, { channelId: null, previousChannelId, connected: true });
        }
        throw error;
      }
    });
  }

  async function register(socket: Socket): Promise<void> {
    const { session } = socket.data;
    const row = { socketId: socket.id, userId: session.userId, sessionId: session.id, serverId: deps.serverId };
    // Counted before another socket of the user can come between: exactly one is the first.
    const isFirst = await lock.run(`user:${session.userId}`, async () => {
      await repository.insertSocket(db, { ...row, seenAt: deps.now() });
      return (await repository.countSocketsOf(db, session.userId)) === 1;
    });
    await socket.join([
      audience.user(session.userId),
      audience.session(session.id),
      ...(session.role === 'admin' ? [audience.admins] : []),
    ]);
    // From here on a logout finds this socket; one that came since the handshake did not.
    if (!(await deps.liveSessions([session.id])).has(session.id)) {
      socket.disconnect(true);
      return;
    }
    const rooms = (await deps.channelIdsOf(session.userId)).map(audience.membersOf);
    await socket.join(rooms);
    if (isFirst) sockets.to([audience.admins, ...rooms]).emit('userConnected', { userId: session.userId });
    await announceStatus(session.userId, { channelId: null, previousChannelId: null, connected: true });
  }

  async function forget(socket: Socket, reason: string): Promise<void> {
    await socket.data.registered.catch(() => undefined);
    const { userId } = socket.data.session;
    const previousChannelId = await inTurn(socket, async () => {
      const left = await leave(socket, leaveTypeOf(reason));
      await repository.deleteSocket(db, socket.id);
      return left;
    });
    const connected = (await repository.countSocketsOf(db, userId)) > 0;
    await announceStatus(userId, { channelId: null, previousChannelId, connected });
  }

  /** Takes out of a room the sockets that must leave it, and tells their screens why. */
  async function clear(channelId: ChannelId, reason: 'removed' | 'deleted', mustLeave: (session: Session) => boolean) {
    for (const socket of sockets.all()) {
      if (!mustLeave(socket.data.session)) continue;
      // Under the lock of the room, so that an entrance under way is over when we look.
      const left = await lock.run(channelId, async () => {
        if (socket.data.channel?.id !== channelId) return false;
        await leaveLocked(socket, 'channel_leave');
        return true;
      });
      if (!left) continue;
      socket.emit('room_closed', { channelId, reason });
      const { userId } = socket.data.session;
      await announceStatus(userId, { channelId: null, previousChannelId: channelId, connected: true });
    }
  }

  async function heartbeat(): Promise<void> {
    const live = [...sockets.all()];
    const now = deps.now();
    await repository.refreshSockets(
      db,
      deps.serverId,
      live.map((socket) => socket.id),
      now,
    );
    const sessions = await deps.liveSessions([...new Set(live.map((socket) => socket.data.session.id))]);
    for (const socket of live) if (!sessions.has(socket.data.session.id)) socket.disconnect(true);
    const ghosts = await repository.deleteGhosts(db, new Date(now.getTime() - PRESENCE_TTL_MS), null);
    for (const { userId, channelId, socketId } of ghosts) {
      if (channelId !== null) await lock.run(channelId, () => tellExit(channelId, socketId));
      const connected = (await repository.countSocketsOf(db, userId)) > 0;
      await announceStatus(userId as UserId, {
        channelId: null,
        previousChannelId: channelId as ChannelId | null,
        connected,
      });
    }
  }

  return {
    /** Takes in a new socket. Its disconnect is followed to the end even while the server stops. */
    connect(socket: Socket): void {
      socket.data.registered = register(socket);
      socket.data.registered.catch((error: unknown) => {
        deps.log.error({ err: error }, 'register_failed');
        socket.disconnect(true);
      });
      socket.on('disconnect', (reason) => {
        // The floor must be free at once; the rest may wait for the database.
        const { channel } = socket.data;
        if (channel !== null) inBackground(deps.floor.leave(channel.id, [socket.id as ParticipantId]));
        inBackground(forget(socket, reason));
      });
    },

    enter,

    /** Puts one of the session's own live sockets into a room, by its id. */
    async enterBySocketId(session: Session, channelId: ChannelId, socketId: ParticipantId): Promise<void> {
      const socket = sockets.find(socketId);
      if (socket === null || socket.data.session.userId !== session.userId) {
        throw new AppError('not_found', { what: 'socket' });
      }
      if (socket.data.channel?.id === channelId) return;
      await enter(socket, { id: channelId });
    },

    async leave(socket: Socket): Promise<void> {
      const previousChannelId = await inTurn(socket, () => leave(socket, 'channel_leave'));
      if (previousChannelId === null) return;
      const { userId } = socket.data.session;
      await announceStatus(userId, { channelId: null, previousChannelId, connected: true });
    },

    /** After memberships of a channel ended. An administrator may stay: they enter rooms without being a member. */
    evict: (userIds: ReadonlySet<UserId>, channelId: ChannelId): Promise<void> =>
      tracked(clear(channelId, 'removed', (session) => session.role !== 'admin' && userIds.has(session.userId))),

    /** After a channel was deleted. */
    closeRoom: (channelId: ChannelId): Promise<void> => tracked(clear(channelId, 'deleted', () => true)),

    /** At start: nobody of an earlier run of this process is connected any more. */
    async sweepAtStart(): Promise<void> {
      await repository.deleteGhosts(db, new Date(deps.now().getTime() - PRESENCE_TTL_MS), deps.serverId);
    },

    /** Now and then: vouches for the live sockets, ends those whose session ended, and clears away ghosts. */
    heartbeat: (): Promise<void> => tracked(heartbeat()),

    /** Waits for all clean-up that is under way. */
    async settled(): Promise<void> {
      while (pending.size > 0) await Promise.all(pending);
    },
  };
}
