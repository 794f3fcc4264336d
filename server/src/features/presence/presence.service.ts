import type { ChannelId, ParticipantId, UserId } from '@pressel/contract/ids';
import type { IceConfig, Participant, RoomState, VideoShown } from '@pressel/contract/presence';
import type { FloorSnapshot } from '@pressel/contract/voice';
import type { FastifyBaseLogger } from 'fastify';
import type { ChannelFacts, MembershipChange } from '#src/platform/facts.ts';
import { createMembershipWatch } from '#src/platform/membership-watch.ts';
import { audience, roomOf, type Socket, type Sockets } from '#src/platform/sockets.ts';
import { AppError } from '#src/shared/app-error.ts';
import type { KeyedLock } from '#src/shared/keyed-lock.ts';
import type { PhotoPaths } from '#src/shared/photo-paths.ts';
import { fullName } from '#src/shared/present-user.ts';
import type { RateLimit } from '#src/shared/rate-limit.ts';
import { ownerOf, type Session } from '#src/shared/session.ts';
import type { Moves } from './moves.ts';
import { asGuestsSee, learnNames, nameBehind, participantAs, photoOf, silenceOf, tellOfParticipant } from './names.ts';
import { needsMembership } from './presence.policy.ts';
import { nameOf, type Occupant } from './presence.repository.ts';
import { type LeaveType, leaveTypeOf, type PresenceStore } from './presence.store.ts';
import { createRegistration, type RegistrationDeps } from './registration.ts';
import type { Rooms } from './rooms.ts';
import type { StatusNewsDesk } from './status-news.ts';
import type { TellGone } from './upkeep.ts';

export interface PresenceDeps extends RegistrationDeps {
  sockets: Sockets;
  store: PresenceStore;
  rooms: Rooms;
  moves: Moves;
  news: StatusNewsDesk;
  tellGone: TellGone;
  /** For rooms, by channel. */
  lock: KeyedLock;
  /** Of one user, or of all guests of a link. */
  entrances: RateLimit;
  now: () => Date;
  log: FastifyBaseLogger;
  /** @throws AppError not_found, not_a_member */
  enterable(session: Session, target: Target): Promise<EnterableChannel>;
  channelIdsOf(userId: UserId): Promise<ChannelId[]>;
  iceConfig(userId: UserId): IceConfig;
  photos: Pick<PhotoPaths, 'urlOf'>;
  floor: {
    snapshot(channel: ChannelFacts): Promise<FloorSnapshot>;
    /** What the news of all floors are signed with. */
    readonly publicKey: string;
    proveStay(channelId: ChannelId, userId: UserId, version: number): Promise<string>;
    leave(channelId: ChannelId, ids: readonly ParticipantId[]): Promise<void>;
    forget(channelId: ChannelId): Promise<void>;
  };
}

type ClosedReason = 'removed' | 'deleted';

type Target = { key: string } | { id: ChannelId };

/** `video`: the picture shown by who comes by the video view; null for all others (VID1). `previous`: see `dropPrevious`. */
type Arrival = { video: VideoShown | null; previous?: ParticipantId | undefined };

/** A channel as its table has it. */
type EnterableChannel = Omit<ChannelFacts, 'id'> & { id: string };

export type PresenceService = ReturnType<typeof createPresenceService>;

export function createPresenceService(deps: PresenceDeps) {
  const { sockets, store, rooms, moves, news, lock } = deps;
  /** Work that nobody may be waiting for, such as the clean-up after a disconnect: closing waits for it. */
  const pending = new Set<Promise<void>>();
  const memberships = createMembershipWatch(deps.channelIdsOf);
  /** Sockets that are entering a room, and why they may no longer; null while they may. */
  const entering = new Map<Socket, { channelId: ChannelId; closed: ClosedReason | null }>();
  const leaving = new Set<string>();
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

  const register = createRegistration(deps, memberships);

  /** Takes sockets out of a room, in memory and for those who stay. Call it under the room's lock. */
  function clear(channelId: ChannelId, leavers: readonly Socket[]): void {
    const room = sockets.to(audience.everyoneIn(channelId));
    for (const socket of leavers) {
      const id = socket.id as ParticipantId;
      rooms.take(socket);
      void socket.leave(roomAudience(socket, channelId));
      void socket.leave(audience.participant(channelId, id));
    }
    for (const { id, data } of leavers) {
      room.emit('user_exit', { id: id as ParticipantId });
      news.moved(data.session, [channelId]);
    }
  }

  /**
   * Leaving, in this order: the floor first, for whoever waits for it; then the table; then memory and the news of it,
   * whatever the table said (PRES11). Call it under the room's lock.
   */
  async function leaveLocked(channelId: ChannelId, leavers: readonly Socket[], type: LeaveType): Promise<void> {
    await deps.floor.leave(
      channelId,
      leavers.map(({ id }) => id as ParticipantId),
    );
    await store.leave(leavers, type);
    clear(channelId, leavers);
  }

  async function leave(socket: Socket, type: LeaveType): Promise<void> {
    const { channel } = socket.data;
    if (channel === null) return;
    await lock.run(channel.id, async () => {
      if (socket.data.channel !== null) await leaveLocked(channel.id, [socket], type);
    });
  }

  async function enter(socket: Socket, target: Target, { video, previous }: Arrival): Promise<RoomState> {
    const { session } = socket.data;
    if (previous !== undefined) await deps.tellGone(await store.dropOrphan(previous, session.id));
    await deps.entrances.take(ownerOf(session));
    const found = await deps.enterable(session, target);
    const channelId = found.id as ChannelId;
    await leave(socket, 'channel_leave');
    const release = rooms.hold(channelId);
    try {
      return await lock.run(channelId, () => enterLocked(socket, channelId, video));
    } finally {
      entering.delete(socket);
      release();
    }
  }

  /** One at a time per room, so that of two newcomers exactly one finds the other there already. */
  async function enterLocked(socket: Socket, channelId: ChannelId, video: VideoShown | null): Promise<RoomState> {
    if (socket.disconnected) throw new AppError('unavailable');
    const { session } = socket.data;
    const id = socket.id as ParticipantId;
    const entrance: { channelId: ChannelId; closed: ClosedReason | null } = { channelId, closed: null };
    entering.set(socket, entrance);
    // Check membership again under the lock: if it ended before, this socket was not in the room yet and was not removed.
    rooms.learn(factsOf(await deps.enterable(session, { id: channelId })));
    const here = { joinedAt: deps.now(), video };
    const occupants = await store.enter(socket, newest(channelId), here);
    const channel = newest(channelId);
    rooms.put(socket, channel, here);
    entering.delete(socket);
    if (socket.disconnected || entrance.closed !== null) {
      // It disconnected or was removed meanwhile: undo the entry, which nobody was told of.
      await store.leave([socket], 'channel_leave');
      rooms.take(socket);
      throw refusalOf(entrance.closed);
    }
    await socket.join([roomAudience(socket, channelId), audience.participant(channelId, id)]);
    const shown = occupants.map((row) => participantOf(row, deps));
    const everyone = session.guest === undefined ? shown : shown.map(asGuestsSee);
    const others = everyone.filter((other) => other.id !== id);
    const self = everyone.find((other) => other.id === id);
    if (self === undefined) throw new Error('A socket that was just stored in a room is not there');
    for (const row of occupants) if (row.socketId === id) learnNames(socket, row);
    socket.emit('all_users', others);
    socket.emit('usersInThisRoom', everyone);
    tellOfParticipant(sockets, channelId, 'user joined', self, [id]);
    news.moved(session, [channelId]);
    const floor = await deps.floor.snapshot(channel);
    return {
      channel: { id: channelId, name: channel.name, rtcSession: channel.rtcSession, talkMode: channel.talkMode },
      self,
      participants: others,
      floor,
      floorKey: deps.floor.publicKey,
      stay: await deps.floor.proveStay(channelId, session.userId, floor.version),
      ice: deps.iceConfig(session.userId),
    };
  }

  async function forget(socket: Socket, type: LeaveType): Promise<void> {
    const { session } = socket.data;
    await socket.data.registered.catch(() => undefined);
    await moves.atLast(socket, async () => {
      const { channel } = socket.data;
      if (channel === null) {
        await store.remove(socket, type);
        news.went(session, []);
        return;
      }
      await lock.run(channel.id, async () => {
        await deps.floor.leave(channel.id, [socket.id as ParticipantId]);
        await store.remove(socket, type);
        clear(channel.id, [socket]);
      });
      news.went(session, [channel.id]);
    });
  }

  /**
   * Empties a room of those who must leave it, in one pass, and tells their screens why. Before anything is awaited they
   * cease to hear the room and to be heard in it: their leave may have to wait for the database.
   */
  function clearOut(channelId: ChannelId, reason: ClosedReason, mustLeave: (session: Session) => boolean) {
    for (const socket of rooms.socketsIn(channelId)) {
      const { channel, session } = socket.data;
      if (channel === null || !mustLeave(session)) continue;
      channel.isClosed = true;
      // Keep the audience `participant` until the leave: the floor still has to send them its revocation.
      void socket.leave(roomAudience(socket, channelId));
    }
    for (const [socket, entrance] of entering) {
      if (entrance.channelId === channelId && mustLeave(socket.data.session)) entrance.closed = reason;
    }
    // Under the lock of the room, so that an entrance under way is over when we look.
    return lock.run(channelId, async () => {
      const leavers = rooms.socketsIn(channelId).filter(({ data }) => mustLeave(data.session));
      if (leavers.length === 0) return;
      await leaveLocked(channelId, leavers, 'channel_leave');
      sockets.to(leavers.map(({ id }) => id)).emit('room_closed', { channelId, reason });
    });
  }

  const newest = (channelId: ChannelId): ChannelFacts => {
    const channel = rooms.latest(channelId);
    if (channel === null) throw new Error('A room that somebody enters is not held');
    return channel;
  };

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
        leaving.add(socket.id);
        inBackground(forget(socket, leaveTypeOf(reason)).finally(() => leaving.delete(socket.id)));
      });
    },

    enter: (socket: Socket, target: Target, arrival: Arrival): Promise<RoomState> =>
      tracked(moves.wish(socket, () => enter(socket, target, arrival))),

    /** A participant of the video view shows another picture, or none. @throws AppError not_in_room, forbidden */
    async showVideo(socket: Socket, video: VideoShown): Promise<void> {
      const channel = roomOf(socket);
      if (channel.video === null) throw new AppError('forbidden');
      // Under the lock of the room: who enters meanwhile reads the new picture, or is told of it.
      await lock.run(channel.id, async () => {
        if (socket.data.channel !== channel) throw new AppError('not_in_room');
        await store.show(socket, video);
        channel.video = video;
        tellOfParticipant(sockets, channel.id, 'participant_changed', participantAs(socket, deps.photos));
      });
    },

    /**
     * Somebody comes back: the socket that they had before, if the link to it is lost without our knowing, leaves now, so
     * that nobody sees them twice (PRES17). Only one of the same session, whatever is claimed. Call it before `enter`,
     * not within: two sockets that name each other must not wait for each other's turn. If its process died, `enter`
     * drops its row: that asks the database, and only moves are limited.
     */
    async dropPrevious(socket: Socket, previous: ParticipantId): Promise<void> {
      const ghost = sockets.find(previous);
      if (ghost === null || ghost === socket || ghost.data.session.id !== socket.data.session.id) return;
      await tracked(moves.atLast(ghost, () => leave(ghost, 'connexion_lost')));
      ghost.disconnect(true);
    },

    /** Puts one of the session's own live sockets into a room, by its id. */
    async enterBySocketId(session: Session, channelId: ChannelId, socketId: ParticipantId): Promise<void> {
      const socket = sockets.find(socketId);
      if (socket === null || socket.data.session.userId !== session.userId) {
        throw new AppError('not_found', { what: 'socket' });
      }
      await socket.data.registered;
      if (socket.data.channel?.id === channelId) return;
      await this.enter(socket, { id: channelId }, { video: null });
    },

    async leave(socket: Socket): Promise<void> {
      if (socket.data.channel === null && !moves.isMoving(socket)) return;
      await tracked(moves.wish(socket, () => leave(socket, 'channel_leave')));
    },

    /**
     * Memberships began or ended: sockets begin or cease to hear of channels, and leave rooms that are theirs no more.
     * An administrator may stay: they enter rooms without being a member.
     */
    async follow(changes: readonly MembershipChange[]): Promise<void> {
      memberships.changed(changes);
      for (const { userId, channelId, isMember } of changes) sockets.hear(userId, channelId, isMember);
      const ended = Map.groupBy(
        changes.filter(({ isMember }) => !isMember),
        ({ channelId }) => channelId,
      );
      const clearing = [...ended].map(([channelId, gone]) => {
        const userIds = new Set(gone.map(({ userId }) => userId));
        return clearOut(channelId, 'removed', (session) => needsMembership(session) && userIds.has(session.userId));
      });
      await tracked(Promise.all(clearing));
    },

    /** After a channel was edited. */
    async channelChanged(channel: ChannelFacts): Promise<void> {
      if (rooms.learn(channel) === null) return;
      const { id, name, rtcSession, talkMode } = channel;
      sockets.to(audience.everyoneIn(id)).emit('room_changed', { id, name, rtcSession, talkMode });
    },

    /** A guest link ended: whoever is in by it is out at once, and told so (GUEST10). */
    endGuests({ linkId, channelId }: { linkId: string; channelId: ChannelId }): void {
      sockets.to(audience.guestLink(linkId)).emit('room_closed', { channelId, reason: 'link_ended' });
      sockets.end(audience.guestLink(linkId));
    },

    /** After a channel was deleted. Its guests have nowhere else to be (GUEST10). */
    async closeRoom(channelId: ChannelId): Promise<void> {
      await tracked(clearOut(channelId, 'deleted', () => true));
      sockets.end(audience.guestsOf(channelId));
      await deps.floor.forget(channelId);
    },

    /** Whether the end of this socket is still being dealt with. */
    isLeaving: (socketId: string): boolean => leaving.has(socketId),

    /** Waits for all clean-up that is under way. */
    async settled(): Promise<void> {
      while (pending.size > 0) await Promise.all(pending);
    },
  };
}

const roomAudience = ({ data }: Socket, channelId: ChannelId): string =>
  data.session.guest === undefined ? audience.inRoom(channelId) : audience.guestsIn(channelId);

const refusalOf = (closed: ClosedReason | null): AppError => {
  if (closed === 'removed') return new AppError('not_a_member');
  if (closed === 'deleted') return new AppError('not_found', { what: 'channel' });
  return new AppError('unavailable');
};

const participantOf = (row: Occupant, { photos, sockets }: PresenceDeps): Participant => ({
  id: row.socketId as ParticipantId,
  userId: row.userId as UserId,
  name: nameOf(row),
  ...(row.linkName === null ? nameBehind(fullName(row), nameOf(row)) : {}),
  role: row.role === 'guest' ? 'member' : row.role,
  ...photoOf(row.photoId, photos),
  ...(row.video === null ? {} : { video: row.video }),
  ...silenceOf(sockets.find(row.socketId as ParticipantId)?.data.channel ?? null),
  ...(row.linkName === null ? {} : { guest: { name: row.firstName, link: row.linkName } }),
});

const factsOf = ({ id, name, rtcSession, talkMode, version }: EnterableChannel): ChannelFacts => ({
  id: id as ChannelId,
  name,
  rtcSession,
  talkMode,
  version,
});
