import type { ChannelId, ParticipantId, UserId } from '@pressel/contract/ids';
import type { FastifyBaseLogger } from 'fastify';
import { databaseTrouble } from '#src/db/errors.ts';
import type { ChannelHosts } from '#src/sockets/channel-hosts.ts';
import { audience, type LiveParticipant, type Sockets } from '#src/sockets/sockets.ts';
import type { Moves } from './moves.ts';
import type { OrphanedRow } from './presence.repository.ts';
import type { PresenceStore } from './presence.store.ts';
import type { StatusNewsPublisher } from './status-news.ts';

interface FarewellDeps {
  sockets: Pick<Sockets, 'to'>;
  news: Pick<StatusNewsPublisher, 'went'>;
  hosts: ChannelHosts;
}

/** Tells of sockets whose rows were deleted although nobody disconnected them. */
export type TellGone = (strays: readonly OrphanedRow[]) => Promise<void>;

export const createTellGone =
  ({ sockets, news, hosts }: FarewellDeps): TellGone =>
  async (strays) => {
    for (const { socketId, channelId, ...owner } of strays) {
      if (channelId !== null) {
        // Runs in the turn of the room's host: a newcomer was told of them before, or is not told at all.
        await hosts.run(channelId as ChannelId, async () => {
          sockets
            .to(audience.everyoneIn(channelId))
            .emit('user_exit', { id: socketId as ParticipantId, channelId: channelId as ChannelId });
        });
      }
      news.went({ ...owner, userId: owner.userId as UserId }, channelId === null ? [] : [channelId as ChannelId]);
    }
  };

export interface PresenceRepairDeps {
  sockets: Sockets;
  store: PresenceStore;
  moves: Moves;
  news: StatusNewsPublisher;
  tellGone: TellGone;
  liveSessions(ids: readonly string[]): Promise<ReadonlySet<string>>;
  /** Whether this process is still at work on the end of this participant. */
  isLeaving(id: string): boolean;
  /** Ends a participant whose socket is lost. */
  end(participant: LiveParticipant): void;
  /** A monotonic clock, ms. */
  steadyNow: () => number;
  /** Forgets one that another process took over. */
  release(participant: LiveParticipant): void;
  log: Pick<FastifyBaseLogger, 'error'>;
}

/** A client that comes back may take this long to join its rooms one after the other, ms. */
const JOINING_MS = 5_000;

/**
 * Participants whose rows one transaction puts right. Each has up to twenty rooms, which stays far below the parameters of a
 * statement.
 */
const REPAIRS_AT_ONCE = 100;

/**
 * Repairs a process's rows of presence, and clears away after processes that died. The lease is renewed separately,
 * because repairs may take longer than a lease (PROC30).
 */
export function createPresenceRepair(deps: PresenceRepairDeps): () => Promise<void> {
  const { sockets, store, moves, news, tellGone } = deps;

  /** Whether a participant may come back to rooms that it isn't in yet, or its client may, if its link is lost. */
  const comesBack = ({ socket, adopted, adoptedAt }: LiveParticipant): boolean =>
    adopted.size > 0 && (socket === null || deps.steadyNow() - adoptedAt < JOINING_MS);

  /** Whether a participant's rows name the rooms that it is in, and those that it may come back to. */
  const isSame = (rows: readonly ChannelId[] | undefined, participant: LiveParticipant): boolean => {
    const { enteredRooms, adopted } = participant;
    const isKept = comesBack(participant);
    const size = enteredRooms.size + (isKept ? adopted.size : 0);
    return rows?.length === size && rows.every((id) => enteredRooms.has(id) || (isKept && adopted.has(id)));
  };

  /** Corrects the rows of this process's participants from memory (PRES12, PRES13). */
  async function putRight(): Promise<void> {
    const rows = await store.rows();
    const wrong: LiveParticipant[] = [];
    const missing = new Set<LiveParticipant>();
    for (const participant of sockets.participants.all()) {
      const known = rows.get(participant.storedAs);
      if (known === undefined) missing.add(participant);
      if (!isSame(known, participant)) wrong.push(participant);
      rows.delete(participant.storedAs);
    }
    for (let start = 0; start < wrong.length; start += REPAIRS_AT_ONCE) {
      const batch = wrong.slice(start, start + REPAIRS_AT_ONCE);
      const taken = await store.taken(batch.map(({ storedAs }) => storedAs));
      for (const participant of batch) if (taken.has(participant.storedAs)) deps.release(participant);
      await repairBatch(batch, missing);
    }
    // Leaves out rows of a participant that adopts its id at this moment.
    const strays = [...rows.keys()].filter((id) => !deps.isLeaving(id) && sockets.participants.find(id) === null);
    if (strays.length > 0) await tellGone(await store.dropStrays(strays));
  }

  /** Repairs them together. If one of them can't be repaired, it alone stays as it is. */
  async function repairBatch(batch: readonly LiveParticipant[], missing: ReadonlySet<LiveParticipant>): Promise<void> {
    try {
      await repair(batch, missing);
    } catch (error) {
      if (databaseTrouble(error)?.kind === 'away') throw error;
      if (batch.length === 1) deps.log.error({ err: error }, 'repair_failed');
      else for (const participant of batch) await repairBatch([participant], missing);
    }
  }

  /** @param missing participants that had no rows: lists may show that their users are gone */
  async function repair(batch: readonly LiveParticipant[], missing: ReadonlySet<LiveParticipant>): Promise<void> {
    // Skip participants whose rows are being written now, by a move of theirs or by what takes them out of a room.
    const still = batch.filter(
      (one) =>
        one.isTakenIn &&
        !one.isOver &&
        !moves.isMoving(one) &&
        ![...one.enteredRooms.values()].some(({ isClosed }) => isClosed),
    );
    if (still.length === 0) return;
    const { promise: over, resolve: end } = Promise.withResolvers<void>();
    // None of them is moving, so all these turns begin at once. Moves that come now wait for the end of the repair.
    const turns = still.map((participant) => moves.inTurn(participant, () => over));
    try {
      for (const participant of still) {
        // Rooms that it didn't come back to by now are among those that are put right.
        if (!comesBack(participant)) participant.adopted.clear();
        participant.hasStrayRows = false;
      }
      await tellGone(await store.repair(still));
    } finally {
      end();
      await Promise.all(turns);
    }
    for (const participant of still) {
      const { session, enteredRooms } = participant;
      news.came(session, missing.has(participant));
      news.moved(session, [...enteredRooms.keys()]);
    }
  }

  async function endEndedSessions(): Promise<void> {
    const live = [...sockets.participants.all()];
    const sessions = await deps.liveSessions([...new Set(live.map(({ session }) => session.id))]);
    for (const participant of live) {
      if (sessions.has(participant.session.id)) continue;
      if (participant.socket === null) deps.end(participant);
      else participant.socket.disconnect(true);
    }
  }

  return async () => {
    // Comes first: the row of a socket can't be put back once another process deleted its account.
    await endEndedSessions();
    await putRight();
    await tellGone(await store.dropDeadServers());
  };
}
