import type { ChannelId, ParticipantId, UserId } from '@pressel/contract/ids';
import type { FastifyBaseLogger } from 'fastify';
import type { Session } from '#src/accounts/session.ts';
import type { PhotoPaths } from '#src/http/signed-paths.ts';
import type { ChannelHost, ChannelHosts, ClosedReason } from '#src/sockets/channel-hosts.ts';
import {
  audience,
  type EnteredRoom,
  isGoodbye,
  isLinkLost,
  type LiveParticipant,
  newParticipant,
  type Sockets,
} from '#src/sockets/sockets.ts';
import type { Arrivals } from './arrivals.ts';
import type { Moves } from './moves.ts';
import { participantAs, tellOfParticipant } from './names.ts';
import { type LeaveType, leaveTypeOf, type PresenceStore } from './presence.store.ts';
import { createSilenceNews } from './silence.ts';
import type { StatusNewsPublisher } from './status-news.ts';
import type { TellGone } from './upkeep.ts';

export interface DeparturesDeps {
  sockets: Sockets;
  store: PresenceStore;
  hosts: ChannelHosts;
  moves: Moves;
  news: Pick<StatusNewsPublisher, 'moved'>;
  arrivals: Pick<Arrivals, 'went'>;
  photos: Pick<PhotoPaths, 'urlOf'>;
  floor: {
    leave(channelId: ChannelId, ids: readonly ParticipantId[]): Promise<void>;
    empty(channelId: ChannelId): Promise<void>;
  };
  /** Whether other processes hold participants of the same rooms. */
  isShared: boolean;
  /** Whether this process alone has lost the database. */
  isCutOff(): boolean;
  /** How long a participant whose socket is lost can resume, ms. */
  resumeMs: number;
  tellGone: TellGone;
  log: FastifyBaseLogger;
}

export type Departures = ReturnType<typeof createDepartures>;

/** Maximum of lost participants of a user: as many as they may have sockets (PRES4). */
const LOST_MAX = 32;

/** How participants leave rooms, lose their sockets, and end. */
export function createDepartures({
  sockets,
  store,
  hosts,
  moves,
  news,
  arrivals,
  photos,
  floor,
  isShared,
  isCutOff,
  resumeMs,
  tellGone,
  log,
}: DeparturesDeps) {
  /** Work that nobody may be waiting for, such as the clean-up after a disconnect: closing waits for it. */
  const pending = new Set<Promise<void>>();
  const leaving = new Set<string>();
  let keeping: Promise<void> = Promise.resolve();
  /** Participants without a socket, by user, the one lost longest first; some of them may have one again. */
  const lost = new Map<UserId, LiveParticipant[]>();
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
  const noteFailure = (error: unknown): void => log.error({ err: error }, 'presence_failed');
  const inBackground = (work: Promise<void>): void => void tracked(work).catch(noteFailure);

  const tellChanged = (participant: LiveParticipant, enteredRoom: EnteredRoom): void =>
    tellOfParticipant(sockets, 'participant_changed', participantAs(participant, enteredRoom, photos));

  /** Takes participants out of a room, in memory and for those who stay. Call it in the turn of the room's host. */
  function clear(host: ChannelHost, channelId: ChannelId, leavers: readonly LiveParticipant[]): void {
    const room = sockets.to(audience.everyoneIn(channelId));
    for (const participant of leavers) {
      const { id, session, socket } = participant;
      host.take(participant);
      void socket?.leave(roomAudience(session, channelId));
      void socket?.leave(audience.participant(channelId, id));
    }
    for (const { id, session } of leavers) {
      room.emit('user_exit', { id, channelId });
      news.moved(session, [channelId]);
    }
  }

  /**
   * Makes participants leave, in this order: the floor first, for the participants who wait for it; then the table; then memory
   * and the news of it, whatever the table said (PRES11). Call it in the turn of the room's host.
   */
  async function leaveInTurn(
    host: ChannelHost,
    channelId: ChannelId,
    leavers: readonly LiveParticipant[],
    type: LeaveType,
  ): Promise<void> {
    for (const { enteredRooms } of leavers) close(enteredRooms.get(channelId));
    const ids = leavers.map(({ id }) => id);
    await floor.leave(channelId, ids);
    await store.leave(leavers, channelId, type);
    clear(host, channelId, leavers);
  }

  async function leave(
    participant: LiveParticipant,
    channelIds: readonly ChannelId[],
    type: LeaveType = 'channel_leave',
  ): Promise<void> {
    for (const channelId of channelIds) {
      await hosts.run(channelId, async (host) => {
        if (participant.enteredRooms.has(channelId)) await leaveInTurn(host, channelId, [participant], type);
      });
    }
  }

  /** Takes a participant out of rooms in which it has only rows that an earlier process left. */
  async function leaveAdopted(participant: LiveParticipant, fits: (channelId: ChannelId) => boolean): Promise<void> {
    const left = [...participant.adopted.keys()].filter(fits);
    for (const channelId of left) participant.adopted.delete(channelId);
    if (left.length > 0) await tellGone(await store.repair([participant]));
  }

  /** Ends a participant: its floor is free at once; the rest may wait for the database. */
  function depart(participant: LiveParticipant, type: LeaveType, registered: Promise<void> = Promise.resolve()): void {
    if (participant.isOver) return;
    participant.isOver = true;
    clearTimeout(participant.lostTimer);
    for (const enteredRoom of participant.enteredRooms.values()) {
      close(enteredRoom);
      inBackground(floor.leave(enteredRoom.id, [participant.id]));
    }
    const { storedAs } = participant;
    leaving.add(storedAs);
    inBackground(forget(participant, type, registered).finally(() => leaving.delete(storedAs)));
  }

  async function forget(participant: LiveParticipant, type: LeaveType, registered: Promise<void>): Promise<void> {
    await registered.catch(() => undefined);
    await moves.atLast(participant, async () => {
      // The table may still have a participant in a room that it left, because that leave couldn't be stored.
      const isOff = participant.hasStrayRows || participant.adopted.size > 0;
      participant.adopted.clear();
      if (isOff) await store.repair([participant]).then(tellGone).catch(noteFailure);
      const channelIds = [...participant.enteredRooms.keys()];
      let isRemoved = false;
      for (const channelId of channelIds) {
        await hosts.run(channelId, async (host) => {
          // Somebody took it out of there meanwhile.
          if (!participant.enteredRooms.has(channelId)) return;
          isRemoved = participant.enteredRooms.size === 1;
          await floor.leave(channelId, [participant.id]);
          await (isRemoved ? store.remove(participant, type) : store.leave([participant], channelId, type));
          clear(host, channelId, [participant]);
        });
      }
      if (!isRemoved) await store.remove(participant, type);
      sockets.participants.take(participant);
      forgetLost(participant);
      arrivals.went(participant, channelIds);
    });
  }

  function forgetLost({ session: { userId } }: LiveParticipant): void {
    const left = (lost.get(userId) ?? []).filter((one) => one.socket === null && !one.isOver);
    if (left.length === 0) lost.delete(userId);
    else lost.set(userId, left);
  }

  /**
   * Lets go of a participant that another process has now, with its rows and its floor. Nothing of it stays here, and nobody is
   * told anything. Messages that its socket still sends belong to nobody.
   */
  function release(participant: LiveParticipant): void {
    if (participant.isOver) return;
    participant.isOver = true;
    clearTimeout(participant.lostTimer);
    for (const enteredRoom of [...participant.enteredRooms.values()]) {
      close(enteredRoom);
      hosts.find(enteredRoom.id)?.take(participant);
    }
    participant.adopted.clear();
    sockets.participants.release(participant);
    const { socket } = participant;
    participant.socket = null;
    forgetLost(participant);
    if (socket === null) return;
    socket.data.participant = newParticipant(participant.id, participant.session);
    socket.data.isReplaced = true;
    socket.disconnect(true);
  }

  /** Ends a participant that nobody resumed here. Another process may have it, and could not say so. */
  async function giveUp(
    participant: LiveParticipant,
    type: LeaveType = 'connexion_lost',
    registered?: Promise<void>,
  ): Promise<void> {
    const taken = await store.taken([participant.storedAs]).catch(() => null);
    if (participant.socket !== null || participant.isOver) return;
    // Nobody knows while the database is away. It is asked again later.
    if (taken === null) return keep(participant);
    if (taken.has(participant.storedAs)) release(participant);
    else depart(participant, type, registered);
  }

  const tellSilence = createSilenceNews({ sockets, store, photos, isShared, isCutOff, release });

  /** Keeps a participant without a socket; it ends when nobody resumes it in time. */
  function keep(participant: LiveParticipant): void {
    clearTimeout(participant.lostTimer);
    participant.lostTimer = setTimeout(() => inBackground(giveUp(participant)), resumeMs);
  }

  /** Tells its rooms that its link is lost; it leaves them when nobody resumes it in time (PRES30). */
  function lose(participant: LiveParticipant): void {
    const enteredRooms = [...participant.enteredRooms.values()].filter(({ isClosed }) => !isClosed);
    const told = tellSilence(enteredRooms.map((enteredRoom) => ({ participant, enteredRoom })));
    keep(participant);
    const { userId } = participant.session;
    forgetLost(participant);
    const all = [...(lost.get(userId) ?? []), participant];
    lost.set(userId, all);
    keeping = keeping
      .then(() => told)
      .then(() => keepFew(all))
      .catch(noteFailure);
    inBackground(keeping);
  }

  /** Keeps a user from filling a room with participants that nobody is behind. @param all those that one user has lost here */
  async function keepFew(all: readonly LiveParticipant[]): Promise<void> {
    const [first, ...others] = all;
    if (first === undefined) return;
    // With one lost participant at each process a user is within the limit: anybody with a bad link may have that.
    const isMany =
      isShared && others.length > 0 ? (await store.countSilent(first, [...leaving])) > LOST_MAX : all.length > LOST_MAX;
    if (isMany) await giveUp(first);
  }

  /** Called when its socket has ended. */
  function end(participant: LiveParticipant, reason: string, registered: Promise<void>): void {
    const { isResumable, enteredRooms, adopted } = participant;
    const type = leaveTypeOf(reason);
    if (isLinkLost(reason) && isResumable && enteredRooms.size + adopted.size > 0) lose(participant);
    // Its client may have left this socket for one at another process, which has the participant now.
    else if (isShared && isResumable && isGoodbye(reason)) inBackground(giveUp(participant, type, registered));
    else depart(participant, type, registered);
  }

  /**
   * Empties a room of those who must leave it, in one pass, and tells their screens why. Before anything is awaited, they cease
   * to hear the room and to be heard in it: their leave may have to wait for the database.
   */
  function clearOut(
    channelId: ChannelId,
    reason: ClosedReason,
    mustLeave: (session: Session) => boolean,
  ): Promise<void> {
    const live = hosts.find(channelId);
    // The room is empty, and nobody is on the way in.
    if (live === null) return Promise.resolve();
    if (live.entrance !== null && mustLeave(live.entrance.participant.session)) {
      live.entrance.closed = reason;
      const { session, socket } = live.entrance.participant;
      // With several processes it hears the room already.
      void socket?.leave(roomAudience(session, channelId));
    }
    for (const { session, socket, enteredRooms } of live.participants) {
      const enteredRoom = enteredRooms.get(channelId);
      if (enteredRoom === undefined || !mustLeave(session)) continue;
      enteredRoom.isClosed = true;
      // Keep the audience `participant` until the leave: the floor still has to send them its revocation.
      void socket?.leave(roomAudience(session, channelId));
    }
    // In its turn, so that an entrance under way is over when we look.
    return hosts.run(channelId, async (host) => {
      const leavers = [...host.participants].filter(({ session }) => mustLeave(session));
      if (leavers.length === 0) return;
      if (reason === 'deleted') await floor.empty(channelId);
      await leaveInTurn(host, channelId, leavers, 'channel_leave');
      for (const { socket } of leavers) socket?.emit('room_closed', { channelId, reason });
    });
  }

  return {
    tracked,
    tellChanged,
    tellSilence,
    end,
    leaveInTurn,
    leaveAdopted,
    leave,
    depart,
    keep,
    release,
    clearOut,
    /** Whether the end of the participant with these rows is still being dealt with. */
    isLeaving: (id: string): boolean => leaving.has(id),
    /** Waits for all work that is under way. */
    async settled(): Promise<void> {
      while (pending.size > 0) await Promise.all(pending);
    },
  };
}

/** Closes an entered room: from here on its participant must not ask for the floor that it just gave back. */
const close = (enteredRoom: EnteredRoom | undefined): void => {
  if (enteredRoom !== undefined) enteredRoom.isClosed = true;
};

/** The audience in which a session hears a room: guests have one of their own (GUEST7). */
export const roomAudience = ({ guest }: Session, channelId: ChannelId): string =>
  guest === undefined ? audience.inRoom(channelId) : audience.guestsIn(channelId);
