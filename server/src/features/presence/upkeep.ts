import type { ChannelId, ParticipantId, UserId } from '@pressel/contract/ids';
import type { ChannelHosts } from '#src/platform/channel-hosts.ts';
import { audience, type LiveParticipant, type Sockets } from '#src/platform/sockets.ts';
import type { Moves } from './moves.ts';
import type { Stray } from './presence.repository.ts';
import type { PresenceStore } from './presence.store.ts';
import type { StatusNewsDesk } from './status-news.ts';

interface FarewellDeps {
  sockets: Pick<Sockets, 'to'>;
  news: Pick<StatusNewsDesk, 'went'>;
  hosts: ChannelHosts;
}

/** Tells of sockets whose rows were taken away, and that nobody disconnected. */
export type TellGone = (strays: readonly Stray[]) => Promise<void>;

export const createTellGone =
  ({ sockets, news, hosts }: FarewellDeps): TellGone =>
  async (strays) => {
    for (const { socketId, channelId, ...owner } of strays) {
      if (channelId !== null) {
        // In the turn of the room's host: who enters now was told of them before, or is not told at all.
        await hosts.run(channelId as ChannelId, async () => {
          sockets
            .to(audience.everyoneIn(channelId))
            .emit('user_exit', { id: socketId as ParticipantId, channelId: channelId as ChannelId });
        });
      }
      news.went({ ...owner, userId: owner.userId as UserId }, channelId === null ? [] : [channelId as ChannelId]);
    }
  };

export interface UpkeepDeps {
  sockets: Sockets;
  store: PresenceStore;
  moves: Moves;
  news: StatusNewsDesk;
  tellGone: TellGone;
  liveSessions(ids: readonly string[]): Promise<ReadonlySet<string>>;
  /** Whether this process is still at work on the end of this participant. */
  isLeaving(id: string): boolean;
  /** Ends a participant whose socket is lost. */
  end(participant: LiveParticipant): void;
}

/** The beat of a process: it says that it lives, puts its rows right, and clears away after processes that died. */
export function createBeat(deps: UpkeepDeps): () => Promise<void> {
  const { sockets, store, moves, news, tellGone } = deps;

  /** Corrects the rows of this process's participants from memory (PRES12, PRES13). */
  async function putRight(): Promise<void> {
    const rows = await store.rows();
    for (const participant of [...sockets.participants.all()]) {
      const isRight = isSame(rows.get(participant.storedAs), participant);
      rows.delete(participant.storedAs);
      // Skip participants whose rows are being written now.
      if (isRight || !participant.isTakenIn || participant.isOver || moves.isMoving(participant)) continue;
      await moves.inTurn(participant, async () => {
        // What takes it out of a room at this moment writes its rows, too.
        if (participant.isOver || [...participant.stays.values()].some(({ isClosed }) => isClosed)) return;
        // Rooms that it didn't come back to by now are among those that are put right.
        participant.adopted.clear();
        participant.hasStrayRows = false;
        await tellGone(await store.repair(participant));
      });
      news.came(participant.session, participant.id);
      news.moved(participant.session, [...participant.stays.keys()]);
    }
    // Not those of a participant that adopts its id at this moment.
    const strays = [...rows.keys()].filter((id) => !deps.isLeaving(id) && sockets.participants.find(id) === null);
    if (strays.length > 0) await tellGone(await store.dropStrays(strays));
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
    await store.renewLease();
    // First: the row of a socket whose account another process deleted can't be put back, and all that follows would wait.
    await endEndedSessions();
    await putRight();
    await tellGone(await store.dropDeadServers());
  };
}

/** Whether a participant's rows name the rooms that it is in. */
const isSame = (rows: readonly ChannelId[] | undefined, { stays }: LiveParticipant): boolean =>
  rows !== undefined && rows.length === stays.size && rows.every((id) => stays.has(id));
