import type { ChannelId, ParticipantId, UserId } from '@pressel/contract/ids';
import { audience, type Socket, type Sockets } from '#src/platform/sockets.ts';
import type { KeyedLock } from '#src/shared/keyed-lock.ts';
import type { Moves } from './moves.ts';
import type { Stray } from './presence.repository.ts';
import type { PresenceStore } from './presence.store.ts';
import type { StatusNewsDesk } from './status-news.ts';

interface FarewellDeps {
  sockets: Pick<Sockets, 'to'>;
  news: Pick<StatusNewsDesk, 'went'>;
  lock: KeyedLock;
}

/** Tells of sockets whose rows were taken away, and that nobody disconnected. */
export type TellGone = (strays: readonly Stray[]) => Promise<void>;

export const createTellGone =
  ({ sockets, news, lock }: FarewellDeps): TellGone =>
  async (strays) => {
    for (const { socketId, channelId, ...owner } of strays) {
      if (channelId !== null) {
        // Under the lock of the room: who enters now was told of them before, or is not told at all.
        await lock.run(channelId, async () => {
          sockets.to(audience.everyoneIn(channelId)).emit('user_exit', { id: socketId as ParticipantId });
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
  /** Whether this process is still at work on the end of this socket. */
  isLeaving(socketId: string): boolean;
}

/** The beat of a process: it says that it lives, puts its rows right, and clears away after processes that died. */
export function createBeat(deps: UpkeepDeps): () => Promise<void> {
  const { sockets, store, moves, news, tellGone } = deps;

  /** Corrects the rows of this process's sockets from memory (PRES12, PRES13). */
  async function putRight(): Promise<void> {
    const rows = await store.rows();
    for (const socket of [...sockets.all()]) {
      const isRight = rows.get(socket.id) === roomOf(socket);
      rows.delete(socket.id);
      // Skip sockets whose row is being written now.
      if (isRight || !socket.data.isTakenIn || moves.isMoving(socket)) continue;
      await moves.inTurn(socket, async () => {
        if (!socket.disconnected) await store.repair(socket);
      });
      news.came(socket.data.session);
      news.moved(socket.data.session, [socket.data.channel?.id ?? []].flat());
    }
    const strays = [...rows.keys()].filter((id) => !deps.isLeaving(id));
    if (strays.length > 0) await tellGone(await store.dropStrays(strays));
  }

  async function endEndedSessions(): Promise<void> {
    const live = [...sockets.all()];
    const sessions = await deps.liveSessions([...new Set(live.map(({ data }) => data.session.id))]);
    for (const socket of live) if (!sessions.has(socket.data.session.id)) socket.disconnect(true);
  }

  return async () => {
    await store.renewLease();
    // First: the row of a socket whose account another process deleted can't be put back, and all that follows would wait.
    await endEndedSessions();
    await putRight();
    await tellGone(await store.dropDeadServers());
  };
}

const roomOf = (socket: Socket): ChannelId | null => socket.data.channel?.id ?? null;
