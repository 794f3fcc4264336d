import type { ChannelId, ParticipantId } from '@pressel/contract/ids';
import { createShares, type Sharer } from '@pressel/contract/shares';
import { AppError } from '#src/shared/app-error.ts';
import {
  audience,
  type EnteredRoom,
  type LiveParticipant,
  newParticipant,
  type Socket,
  type Sockets,
} from '#src/sockets/sockets.ts';
import type { Arrivals } from './arrivals.ts';
import { type Departures, roomAudience } from './departures.ts';
import type { Moves } from './moves.ts';
import type { PresenceStore } from './presence.store.ts';
import { type ResumeTokens, takeOver } from './resuming.ts';

/** Limit of take-overs of one person's participants: each may be told to twenty rooms. */
const TAKE_OVERS = { atOnce: 60, everyMs: 1_000 };

/** The id in its rows of a participant that has none yet. */
const NO_ROWS = '' as ParticipantId;

export interface TakeOversDeps {
  sockets: Pick<Sockets, 'participants'>;
  store: Pick<PresenceStore, 'adopt'>;
  arrivals: Pick<Arrivals, 'resumed'>;
  moves: Moves;
  tokens: ResumeTokens;
  departures: Pick<Departures, 'tracked' | 'tellSilence' | 'depart' | 'keep'>;
  /** Tells the other processes whose participants this one has taken over; null: there are none. */
  others: {
    tookOver(id: ParticipantId): void;
    /** All processes count how often one person's participants are taken over. */
    counted(sharer: Sharer): void;
  } | null;
  /** A monotonic clock, ms. */
  steadyNow: () => number;
}

/** How sockets get the participants of their tokens [PRES30] [PROC11]. */
export function createTakeOvers(deps: TakeOversDeps) {
  const { store, arrivals, moves, tokens, departures, others } = deps;
  const { participants } = deps.sockets;
  const shares = createShares(TAKE_OVERS, deps.steadyNow);

  /** @returns whether the participant has to be fetched first. @throws AppError too_many */
  function take(socket: Socket, token: string): boolean {
    const { participant: own, session } = socket.data;
    if (tokens.read(token, session.id)?.id === own.id) return false;
    const sharer = { person: session.userId, guestsOf: session.guest?.linkId };
    const waitMs = shares.waitMs(sharer);
    if (waitMs > 0) throw new AppError('too_many', { retryAfterSeconds: Math.ceil(waitMs / 1_000) });
    const isFree = own.enteredRooms.size + own.adopted.size === 0 && own.storedAs === own.id && !moves.isMoving(own);
    const taken = takeOver(participants, tokens, socket, token, { isShared: others !== null, isFree });
    if (taken === 'apart') return true;
    // A process that is alone takes over a participant of an earlier process once.
    if (taken === null || (taken === 'elsewhere' && others === null)) return false;
    shares.take(sharer);
    others?.counted(sharer);
    if (taken === 'elsewhere') return false;
    const { participant, dissolved, wasLost } = taken;
    // Its leave finds no socket that would cease to hear them.
    for (const { id } of dissolved.enteredRooms.values()) cease(socket, dissolved, id);
    const heard: { participant: LiveParticipant; enteredRoom: EnteredRoom }[] = [];
    for (const enteredRoom of participant.enteredRooms.values()) {
      const wasSilent = wasLost || enteredRoom.isSilent;
      enteredRoom.awaitsResume = true;
      enteredRoom.isSilent = false;
      if (enteredRoom.beatAt !== null) enteredRoom.beatAt = deps.steadyNow();
      if (enteredRoom.isClosed) continue;
      hear(participant, enteredRoom.id);
      if (wasSilent) heard.push({ participant, enteredRoom });
    }
    void departures.tracked(departures.tellSilence(heard));
    departures.depart(dissolved, 'channel_leave');
    return false;
  }

  /** Takes over the rows that a participant has at another process, or had at an earlier one. */
  async function adopt(participant: LiveParticipant): Promise<void> {
    const adopted = await store.adopt(participant);
    if (adopted === null) return participants.disown(participant);
    participant.adopted = adopted;
    participant.adoptedAt = deps.steadyNow();
    if (adopted.size > 0) {
      participant.isResumable = true;
      arrivals.resumed(participant);
    }
    others?.tookOver(participant.id);
  }

  /**
   * Brings a participant of another process here, as one whose link is lost. Its socket has another participant, which is in a room
   * or on its way into one, so that it can't change its id (PROC64).
   */
  async function fetchHere(socket: Socket, id: ParticipantId): Promise<void> {
    const own = socket.data.participant;
    await moves.inTurn(own, async () => {
      // Another join has fetched it meanwhile.
      if (own.isOver || participants.find(id) !== null) return;
      const fetched: LiveParticipant = { ...newParticipant(id, own.session), storedAs: NO_ROWS };
      participants.adopt(fetched, id);
      if (participants.find(id) !== fetched) return;
      try {
        await adopt(fetched);
      } catch (error) {
        // The next join may try again.
        participants.release(fetched);
        throw error;
      }
      if (fetched.adopted.size === 0) return participants.take(fetched);
      fetched.isTakenIn = true;
      departures.keep(fetched);
    });
  }

  return {
    /**
     * Gives the socket the participant of the token, if there is one.
     * @returns null when that is done; otherwise it has to be fetched, which is done when the promise resolves
     * @throws AppError too_many
     */
    resume(socket: Socket, token: string): Promise<void> | null {
      if (!take(socket, token)) return null;
      const { participant, session } = socket.data;
      const id = tokens.read(token, session.id)?.id;
      if (id === undefined || participant.isOver) return null;
      return fetchHere(socket, id).then(() => {
        if (socket.disconnected) throw new AppError('unavailable');
        take(socket, token);
      });
    },
    adopt,
    /** Called when another process counted a take-over of this person's participants. */
    counted: shares.take,
  };
}

/** Lets the socket of a participant hear a room. */
export const hear = ({ id, session, socket }: LiveParticipant, channelId: ChannelId): void => {
  void socket?.join([roomAudience(session, channelId), audience.participant(channelId, id)]);
};

export const cease = (socket: Socket, { id, session }: LiveParticipant, channelId: ChannelId): void => {
  void socket.leave(roomAudience(session, channelId));
  void socket.leave(audience.participant(channelId, id));
};
