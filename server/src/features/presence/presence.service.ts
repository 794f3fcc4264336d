import type { ChannelId, ParticipantId, UserId } from '@pressel/contract/ids';
import { ROOMS_MAX } from '@pressel/contract/limits';
import type { RoomState, VideoShown } from '@pressel/contract/presence';
import { needsMembership } from '#src/accounts/policies.ts';
import { ownerOf, type Session } from '#src/accounts/session.ts';
import type { RateLimit } from '#src/limits/rate-limit.ts';
import type { ChannelState, Facts, MembershipChange } from '#src/processes/facts.ts';
import { AppError } from '#src/shared/app-error.ts';
import { inGroups } from '#src/shared/in-groups.ts';
import type { ChannelHost, ClosedReason } from '#src/sockets/channel-hosts.ts';
import { createMembershipWatch } from '#src/sockets/membership-watch.ts';
import { endOf } from '#src/sockets/sign-of-life.ts';
import {
  audience,
  type EnteredRoom,
  isAwaited,
  type LiveParticipant,
  roomOf,
  SERVER_STOPS,
  type Socket,
} from '#src/sockets/sockets.ts';
import type { Arrivals } from './arrivals.ts';
import { createDepartures, type DeparturesDeps } from './departures.ts';
import { ALL_ROOMS } from './moves.ts';
import type { Occupant } from './presence.repository.ts';
import type { PresenceStore } from './presence.store.ts';
import { createRegistration, type RegistrationDeps } from './registration.ts';
import type { ResumeTokens } from './resuming.ts';
import { createRoomStates, type JoinRequest, type RoomStateDeps, type Target } from './room-state.ts';
import type { StatusNewsPublisher } from './status-news.ts';
import { cease, createTakeOvers, hear, type TakeOversDeps } from './take-overs.ts';
import type { TellGone } from './upkeep.ts';

export interface PresenceDeps
  extends RegistrationDeps,
    RoomStateDeps,
    Omit<DeparturesDeps, 'isShared'>,
    Pick<TakeOversDeps, 'others'> {
  arrivals: Arrivals;
  store: PresenceStore;
  news: StatusNewsPublisher;
  tokens: ResumeTokens;
  tellGone: TellGone;
  /** Limits the entrances of one user, or of all guests of a link. */
  entrances: RateLimit;
  now: () => Date;
  /** A monotonic clock, ms. */
  steadyNow: () => number;
  /** @throws AppError not_found, not_a_member */
  enterable(session: Session, target: Target): Promise<EnterableChannel>;
  channelIdsOf(userId: UserId): Promise<ChannelId[]>;
  catchUp: Facts['catchUp'];
  photos: RoomStateDeps['photos'];
  floor: RoomStateDeps['floor'] & DeparturesDeps['floor'] & { forget(channelId: ChannelId): Promise<void> };
}

/**
 * Sockets that are taken in and rooms that are entered at once, by this process. A thousand clients of a lost process come back in the same
 * moment: whoever came first is back first, and presses and renewals are answered meanwhile (PRES47).
 */
const ARRIVALS = { most: 64, patienceMs: 1_000 };

/** A channel as its table has it. */
type EnterableChannel = Omit<ChannelState, 'id'> & { id: string };

/** The participant of a user that enters a room, and the room. */
export interface Entering {
  userId: UserId;
  channelId: ChannelId;
  id: ParticipantId;
}

export type PresenceService = ReturnType<typeof createPresenceService>;

export function createPresenceService(deps: PresenceDeps) {
  const { sockets, store, hosts, moves, tokens } = deps;
  const { participants } = sockets;
  const memberships = createMembershipWatch(deps.channelIdsOf, deps.catchUp);
  const departures = createDepartures({ ...deps, isShared: deps.others !== null });
  const { tracked, leave, depart, tellChanged, tellSilence } = departures;
  const register = createRegistration(deps, memberships);
  const arrive = inGroups(ARRIVALS);
  const describe = createRoomStates(deps);
  const takeOvers = createTakeOvers({ ...deps, departures });

  /** The entered room that a join names, if the participant is there already. */
  const enteredRoomAt = ({ enteredRooms }: LiveParticipant, target: Target): EnteredRoom | undefined => {
    const fits = ({ id }: EnteredRoom) =>
      'id' in target ? id === target.id : hosts.find(id)?.channel?.rtcSession === target.key;
    return [...enteredRooms.values()].find((enteredRoom) => fits(enteredRoom) && !enteredRoom.isClosed);
  };

  async function join(socket: Socket, target: Target, arrival: JoinRequest): Promise<RoomState> {
    // The socket may have gone while it was taken in: a participant that it resumed would never be lost again.
    if (socket.disconnected) throw new AppError('unavailable');
    if (arrival.resume != null) {
      const fetching = takeOvers.resume(socket, arrival.resume);
      if (fetching !== null) await fetching;
    }
    const { participant } = socket.data;
    const enteredRoom = arrival.resume === undefined ? undefined : enteredRoomAt(participant, target);
    const of = arrival.keep ? ('id' in target ? target.id : target.key) : ALL_ROOMS;
    const isResumed =
      arrival.resume != null && tokens.read(arrival.resume, participant.session.id)?.id === participant.id;
    const claim = isResumed ? (arrival.claim ?? null) : undefined;
    const move = () => enter(participant, target, { ...arrival, claim });
    const awaitsResume = enteredRoom?.awaitsResume === true;
    if (enteredRoom !== undefined) enteredRoom.awaitsResume = false;
    const state = await (awaitsResume ? moves.inTurn(participant, move) : moves.wish(participant, of, move));
    participant.isResumable ||= arrival.resume !== undefined;
    return { ...state, resume: participant.isResumable ? tokens.make(participant.id, participant.session.id) : null };
  }

  /** Does the part of an entry that comes before its room's turn. It must not wait for the turn of any room: it holds up others. */
  async function prepareEntry(participant: LiveParticipant, target: Target, arrival: JoinRequest) {
    // Its client gave up meanwhile: nobody would be there for what it takes over.
    if (participant.isOver) throw new AppError('unavailable');
    const { session } = participant;
    if (participant.storedAs !== participant.id) await takeOvers.adopt(participant);
    // A client that can resume is told again how the room is; another one leaves it and enters it.
    const known = arrival.resume === undefined ? undefined : enteredRoomAt(participant, target);
    if (known === undefined && !('id' in target && participant.adopted.has(target.id)))
      await deps.entrances.take(ownerOf(session));
    // Before the turn: a removal that is heard during it is newer than the membership that lets this participant in.
    await deps.catchUp();
    // If it leaves no other room, one check, in its turn, is enough.
    const isInOthers = participant.enteredRooms.size + participant.adopted.size > 0;
    const isThere = arrival.keep && 'id' in target && (known !== undefined || participant.adopted.has(target.id));
    const isCheckedInTurn = 'id' in target && (isThere || !isInOthers);
    const channelId = isCheckedInTurn ? target.id : ((await deps.enterable(session, target)).id as ChannelId);
    return { channelId, known };
  }

  async function enter(participant: LiveParticipant, target: Target, arrival: JoinRequest): Promise<RoomState> {
    // Clients that are taken in come before those that aren't.
    const { channelId, known } = await arrive(() => prepareEntry(participant, target, arrival), 'next');
    const others = [...participant.enteredRooms.keys()].filter((id) => id !== known?.id);
    if (!arrival.keep) {
      await departures.leaveAdopted(participant, (id) => id !== channelId);
      await leave(participant, others);
    }
    if (arrival.keep && participant.enteredRooms.has(channelId))
      await leave(participant, known === undefined ? [channelId] : []);
    else if (arrival.keep && participant.enteredRooms.size >= ROOMS_MAX) throw new AppError('rooms_full');
    return hosts.run(channelId, async (host) => {
      host.entrance = { participant, closed: null };
      try {
        // It never waits here, so that no room's turn waits for another's. If a room hangs, those who wait for it hold up nobody.
        return await arrive(() => enterInTurn(host, channelId, participant, arrival), 'at once');
      } finally {
        host.entrance = null;
      }
    });
  }

  /** Tells the participants in a room what became of its channel, whether a fact came first or somebody read it. */
  function learn(host: ChannelHost, channel: ChannelState): void {
    const isNews = host.channel !== null;
    if (host.learn(channel) === null || !isNews) return;
    const { id, name, rtcSession, talkMode } = channel;
    sockets.local.to(audience.everyoneIn(id)).emit('room_changed', { id, name, rtcSession, talkMode });
  }

  /** Lets participants enter one at a time per room, so that of two newcomers exactly one finds the other there already. */
  async function enterInTurn(
    host: ChannelHost,
    channelId: ChannelId,
    participant: LiveParticipant,
    { video, floor, claim }: JoinRequest,
  ): Promise<RoomState> {
    if (participant.isOver) throw new AppError('unavailable');
    // Check membership again in turn: if it ended before, this participant was not in the room yet and was not removed.
    learn(host, factsOf(await deps.enterable(participant.session, { id: channelId })));
    const known = participant.enteredRooms.get(channelId);
    // It is back, too, if an earlier process left its rows here: the others never saw it leave.
    const isBack = known !== undefined || participant.adopted.has(channelId);
    const occupants = await (known === undefined
      ? enterAnew(host, channelId, participant, video)
      : showAgain(participant, known, video));
    const closed = host.entrance?.closed ?? null;
    if (participant.isOver || closed !== null || !participant.enteredRooms.has(channelId)) throw refusalOf(closed);
    const state = await describe(participant, newest(host), occupants, isBack, { floor, claim });
    const enteredRoom = participant.enteredRooms.get(channelId);
    const goesOn = state.floor.talkers.some(({ id }) => id === participant.id);
    if (enteredRoom !== undefined && enteredRoom.talkMs !== null)
      await store.settleTalk(participant, enteredRoom, goesOn);
    return state;
  }

  /** A participant that resumes shows what its page shows now. */
  async function showAgain(
    participant: LiveParticipant,
    enteredRoom: EnteredRoom,
    video: VideoShown | null,
  ): Promise<Occupant[]> {
    if (video !== null && enteredRoom.video !== null && video !== enteredRoom.video) {
      await store.show(participant, enteredRoom.id, video);
      enteredRoom.video = video;
      tellChanged(participant, enteredRoom);
    }
    return store.occupants(enteredRoom.id);
  }

  async function enterAnew(
    host: ChannelHost,
    channelId: ChannelId,
    participant: LiveParticipant,
    video: VideoShown | null,
  ): Promise<Occupant[]> {
    const before = participant.adopted.get(channelId);
    const here = before ?? { joinedAt: deps.now(), video, talkMs: null, isSilent: false };
    // Newcomers at other processes are told of as soon as this is stored: the participant must hear the room by then.
    if (deps.others !== null) hear(participant, channelId);
    const occupants = await (before === undefined
      ? store.enter(participant, newest(host), here)
      : store.occupants(channelId)
    ).catch((error: unknown) => {
      if (participant.socket !== null) cease(participant.socket, participant, channelId);
      throw error;
    });
    const enteredRoom = host.put(participant, here);
    participant.adopted.delete(channelId);
    if (participant.isOver || host.entrance?.closed != null) {
      enteredRoom.isClosed = true;
      if (participant.socket !== null) cease(participant.socket, participant, channelId);
      // It disconnected or was removed meanwhile: undo the entry. Nobody was told of it, unless its rows were there before.
      if (before !== undefined) await departures.leaveInTurn(host, channelId, [participant], 'channel_leave');
      else {
        await store.leave([participant], channelId, 'channel_leave');
        host.take(participant);
      }
      throw refusalOf(host.entrance?.closed ?? null);
    }
    hear(participant, channelId);
    // The process that had it told the room that its link was lost, or that its beats stay away.
    if (before?.isSilent === true) void tracked(tellSilence([{ participant, enteredRoom }]));
    return occupants;
  }

  function departed(socket: Socket, reason: string): void {
    const { participant } = socket.data;
    // Another socket resumed it.
    if (participant.socket !== socket) return;
    participant.socket = null;
    // The next process takes it over.
    if (reason === SERVER_STOPS && isAwaited(participant)) return;
    departures.end(participant, reason, socket.data.registered);
  }

  return {
    /** Takes in a new socket. It follows the disconnect to the end even while the server stops. */
    connect(socket: Socket): void {
      let isBegun = false;
      socket.data.registered = arrive(async () => {
        if (socket.disconnected) return;
        isBegun = true;
        await register(socket);
      });
      socket.data.registered.catch((error: unknown) => {
        deps.log.error({ err: error }, 'register_failed');
        socket.disconnect(true);
      });
      socket.on('disconnect', (reason, fault) => {
        // If it gave up before its turn, it has no row, and nobody has heard of it.
        if (isBegun) departed(socket, endOf(socket, reason, fault));
        else participants.take(socket.data.participant);
      });
    },

    join: (socket: Socket, target: Target, arrival: JoinRequest): Promise<RoomState> =>
      tracked(join(socket, target, arrival)),

    /** A participant of the video view shows another picture, or none. @throws AppError not_in_room, forbidden */
    async showVideo(socket: Socket, video: VideoShown, channelId: ChannelId | undefined): Promise<void> {
      const enteredRoom = roomOf(socket, channelId);
      const { participant } = socket.data;
      if (enteredRoom.video === null) throw new AppError('forbidden');
      // Runs in the turn of the room's host, so that newcomers read the new picture or are told of it.
      await hosts.run(enteredRoom.id, async () => {
        if (participant.enteredRooms.get(enteredRoom.id) !== enteredRoom) throw new AppError('not_in_room');
        await store.show(participant, enteredRoom.id, video);
        enteredRoom.video = video;
        tellChanged(participant, enteredRoom);
      });
    },

    /** Puts one of the user's own live participants into a room, by its id; null: this process has none of that id. */
    enterBySocketId({ userId, channelId, id }: Entering): Promise<Record<string, never>> | null {
      const socket = participants.find(id)?.socket ?? null;
      if (socket === null || socket.data.session.userId !== userId) return null;
      const enterNow = async () => {
        await socket.data.registered;
        if (socket.data.participant.enteredRooms.has(channelId)) return {};
        await join(socket, { id: channelId }, { video: null, keep: false, resume: undefined });
        return {};
      };
      return tracked(enterNow());
    },

    /** Leaves one room, or all of them. */
    async leave({ data: { participant } }: Socket, channelId: ChannelId | undefined): Promise<void> {
      if (participant.enteredRooms.size + participant.adopted.size === 0 && !moves.isMoving(participant)) return;
      const move = async () => {
        await departures.leaveAdopted(participant, (id) => channelId === undefined || id === channelId);
        await leave(participant, channelId === undefined ? [...participant.enteredRooms.keys()] : [channelId]);
      };
      await tracked(moves.wish(participant, channelId ?? ALL_ROOMS, move));
    },

    /** Called when memberships changed: sockets hear of other channels, and participants leave rooms. Administrators may stay. */
    async follow(changes: readonly MembershipChange[]): Promise<void> {
      memberships.changed(changes);
      for (const { userId, channelId, isMember } of changes) sockets.setSubscribed(userId, channelId, isMember);
      const ended = Map.groupBy(
        changes.filter(({ isMember }) => !isMember),
        ({ channelId }) => channelId,
      );
      const clearing = [...ended].map(([channelId, gone]) => {
        const userIds = new Set(gone.map(({ userId }) => userId));
        return departures.clearOut(
          channelId,
          'removed',
          (session) => needsMembership(session) && userIds.has(session.userId),
        );
      });
      await tracked(Promise.all(clearing));
    },

    /** Called after a channel was edited. */
    async channelChanged(channel: ChannelState): Promise<void> {
      const host = hosts.find(channel.id);
      if (host !== null) learn(host, channel);
    },

    /** Called when a guest link ended: guests who are in by it are out at once, and told so (GUEST10). */
    endGuests({ linkId, channelId }: { linkId: string; channelId: ChannelId }): void {
      sockets.local.to(audience.guestLink(linkId)).emit('room_closed', { channelId, reason: 'link_ended' });
      sockets.end(audience.guestLink(linkId));
      this.endLost(({ guest }) => guest?.linkId === linkId);
    },

    /** Ends participants whose socket is lost. The others end with their sockets, which the end of the session closes. */
    endLost(isEnded: (session: Session) => boolean): void {
      for (const participant of [...participants.all()]) {
        if (participant.socket === null && isEnded(participant.session)) depart(participant, 'channel_leave');
      }
    },

    /** Called after a channel was deleted. Its guests have nowhere else to be (GUEST10). */
    async closeRoom(channelId: ChannelId): Promise<void> {
      await tracked(departures.clearOut(channelId, 'deleted', () => true));
      sockets.end(audience.guestsOf(channelId));
      this.endLost(({ guest }) => guest?.channelId === channelId);
      await deps.floor.forget(channelId);
    },

    /** Called when another process says that it took this participant over. It may have come back here since. */
    async taken(id: ParticipantId): Promise<void> {
      const participant = participants.find(id);
      if (participant === null) return;
      // While this process can't read the rows, the other one's word suffices for somebody who isn't connected here.
      const taken = await store.taken([participant.storedAs]).catch(() => null);
      if (taken === null && participant.socket !== null) return;
      if (taken === null || taken.has(participant.storedAs)) departures.release(participant);
    },

    release: departures.release,
    tellSilence,
    /** Called when another process counted a take-over of this person's participants. */
    counted: takeOvers.counted,

    end: (participant: LiveParticipant): void => depart(participant, 'channel_leave'),

    /** Whether the end of the participant with these rows is still being dealt with. */
    isLeaving: departures.isLeaving,

    /** Stops resuming here: lost participants wait for the next process. Waits for all clean-up that is under way. */
    async close(): Promise<void> {
      for (const { lostTimer } of participants.all()) clearTimeout(lostTimer);
      await departures.settled();
    },
  };
}

const newest = ({ channel }: ChannelHost): ChannelState => {
  if (channel === null) throw new Error('A room is entered whose channel nobody has read');
  return channel;
};

const refusalOf = (closed: ClosedReason | null): AppError => {
  if (closed === 'removed') return new AppError('not_a_member');
  if (closed === 'deleted') return new AppError('not_found', { what: 'channel' });
  return new AppError('unavailable');
};

const factsOf = ({ id, name, rtcSession, talkMode, version }: EnterableChannel): ChannelState => ({
  ...{ name, rtcSession, talkMode, version },
  id: id as ChannelId,
});
