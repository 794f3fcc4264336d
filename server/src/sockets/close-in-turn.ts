import { setTimeout as sleep } from 'node:timers/promises';
import { type Io, isAwaited, type LiveParticipant, type Socket } from './gateway.ts';

/** How many sockets are closed at once, and how often: 160 a second. */
const FEW_SOCKETS = 8;
const STEP_MS = 50;
/** While so many clients of closed sockets are not back yet, no more are closed. */
const AWAY_MOST = 32;
/** A client that is not back after this time isn't waited for: its page may be gone. */
const AWAY_MS = 2_000;
/** All sockets are closed within this time: if it runs short, nobody is waited for, and more are closed at once. */
const CLOSED_WITHIN_MS = 20_000;
/** The same for clients that are sent back, because what they show may be wrong. */
const SENT_BACK_WITHIN_MS = 3_000;
/** The rest is closed within this time if no other process takes the clients in. */
const CLOSED_ALONE_MS = 3_000;
const ASK_EVERY_MS = 1_000;

/** The clients of sockets that are closed. */
export interface Returns {
  /** Whether the client of a socket that is about to be closed will come back. */
  isAwaited(socket: Socket): boolean;
  /** Whether it is back, here or at another process. */
  isBack(socket: Socket): boolean;
}

export const createReturns = (participants: { find(id: string): LiveParticipant | null }): Returns => ({
  isAwaited: ({ data: { participant } }) => isAwaited(participant),
  isBack(closed) {
    const { participant } = closed.data;
    const { id, socket, isOver } = participant;
    return isOver || participants.find(id) !== participant || (socket !== null && socket !== closed);
  },
});

export interface ClosingInTurn {
  /** `present`: only the sockets that are here now. */
  who: 'all' | 'present';
  /** Null: nobody knows who is back. */
  returns: Returns | null;
  /** Whether anybody takes the clients in. The answer may change; nothing waits for it. */
  isAnyStaying?: () => Promise<boolean>;
  /** Waits so many ms. */
  pause?: (ms: number) => Promise<unknown>;
  /** A monotonic clock, ms. */
  now?: () => number;
}

/**
 * Closes sockets a few at a time, like a lost link: their clients come back by themselves, and not all at once. Each client is away
 * for as long as those before it need, so the next ones wait until most of them are back.
 */
export async function closeInTurn(
  io: Pick<Io, 'sockets'>,
  { who, returns, isAnyStaying = async () => true, pause = sleep, now = () => performance.now() }: ClosingInTurn,
): Promise<void> {
  const { sockets } = io.sockets;
  const present = new Set(sockets.values());
  const closed = new Set<Socket>();
  /** When the sockets were closed whose clients are not back yet. */
  const away = new Map<Socket, number>();
  const latest = now() + (who === 'all' ? CLOSED_WITHIN_MS : SENT_BACK_WITHIN_MS);
  let endsAt = latest;
  let askAt = now();

  const look = (time: number): void => {
    for (const [socket, closedAt] of away) {
      if (returns?.isBack(socket) === true || time - closedAt > AWAY_MS) away.delete(socket);
    }
  };
  const ask = async (): Promise<void> => {
    askAt = Number.POSITIVE_INFINITY;
    // Without an answer they have the time that they need.
    const isStaying = await isAnyStaying().catch(() => true);
    endsAt = isStaying ? latest : Math.min(endsAt, now() + CLOSED_ALONE_MS);
    askAt = now() + ASK_EVERY_MS;
  };
  for (;;) {
    const left = [...sockets.values()].filter(
      (socket) => !closed.has(socket) && (who === 'all' || present.has(socket)),
    );
    if (left.length === 0) return;
    const time = now();
    if (time >= askAt) void ask();
    look(time);
    const steps = Math.max(1, (endsAt - time) / STEP_MS);
    const isShort = left.length > FEW_SOCKETS * (steps - 1);
    const many = isShort ? Math.ceil(left.length / steps) : Math.min(FEW_SOCKETS, AWAY_MOST - away.size);
    for (const socket of left.slice(0, Math.max(0, many))) {
      closed.add(socket);
      if (returns?.isAwaited(socket) === true) away.set(socket, time);
      socket.conn.close();
    }
    await pause(STEP_MS);
  }
}
