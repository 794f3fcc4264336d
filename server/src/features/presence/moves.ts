import { setTimeout as sleep } from 'node:timers/promises';
import type { Socket } from '#src/platform/sockets.ts';
import { AppError } from '#src/shared/app-error.ts';
import type { KeyedLock } from '#src/shared/keyed-lock.ts';
import { type Allowance, createAllowance } from '#src/shared/rate-limit.ts';

/** Moves per socket: a burst for users who look through their channels, then the rate. */
const MOVE_BURST = 5;
const MOVES_PER_SECOND = 2;

/** A socket's moves from room to room, one after the other. Taken before a room's lock, never after. */
export interface Moves {
  /**
   * Does a move of the user's when its turn has come and the socket's allowance lets it (PRES6).
   * @throws AppError too_many: another one came while this one waited (PRES7)
   */
  wish<T>(socket: Socket, move: () => Promise<T>): Promise<T>;
  /** Does something between two moves, whatever the allowance says. */
  inTurn<T>(socket: Socket, work: () => Promise<T>): Promise<T>;
  /** The same for what ends the socket: no move that waits is done any more. */
  atLast<T>(socket: Socket, work: () => Promise<T>): Promise<T>;
  /** Whether a move is under way or waits. */
  isMoving(socket: Socket): boolean;
}

interface Mover {
  allowance: Allowance;
  /** Aborts the wish that still waits for its turn. */
  waiting: AbortController | null;
  inHand: number;
}

/** Waits so many ms, or until the signal. */
export type Wait = (ms: number, signal: AbortSignal) => Promise<void>;

/** @param steadyNow a clock, ms */
export function createMoves(lock: KeyedLock, steadyNow: () => number, wait: Wait = waitInTime): Moves {
  const movers = new WeakMap<Socket, Mover>();
  const moverOf = (socket: Socket): Mover => {
    const known = movers.get(socket);
    if (known !== undefined) return known;
    const allowance = createAllowance(MOVE_BURST, MOVES_PER_SECOND, steadyNow);
    const mover: Mover = { allowance, waiting: null, inHand: 0 };
    movers.set(socket, mover);
    return mover;
  };
  const inTurn = async <T>(socket: Socket, work: () => Promise<T>): Promise<T> => {
    const mover = moverOf(socket);
    mover.inHand += 1;
    try {
      return await lock.run(`socket:${socket.id}`, work);
    } finally {
      mover.inHand -= 1;
    }
  };
  const overtake = (mover: Mover): void => {
    mover.waiting?.abort();
    mover.waiting = null;
  };

  return {
    wish(socket, move) {
      const mover = moverOf(socket);
      overtake(mover);
      const wish = new AbortController();
      mover.waiting = wish;
      return inTurn(socket, async () => {
        const waitMs = mover.allowance.waitMs();
        if (waitMs > 0 && !wish.signal.aborted) await wait(waitMs, wish.signal);
        if (wish.signal.aborted) throw new AppError('too_many', { retryAfterSeconds: 1 });
        mover.waiting = null;
        mover.allowance.take();
        return move();
      });
    },
    inTurn,
    atLast(socket, work) {
      overtake(moverOf(socket));
      return inTurn(socket, work);
    },
    isMoving: (socket) => moverOf(socket).inHand > 0,
  };
}

const waitInTime: Wait = (ms, signal) => sleep(ms, undefined, { signal }).catch(() => undefined);
