import { setTimeout as sleep } from 'node:timers/promises';
import { ROOMS_MAX } from '@pressel/contract/limits';
import { type Allowance, createAllowance } from '#src/limits/rate-limit.ts';
import { AppError } from '#src/shared/app-error.ts';
import { createKeyedLock } from '#src/shared/keyed-lock.ts';
import type { LiveParticipant } from '#src/sockets/sockets.ts';

/** Moves per participant: a burst for a user who enters all of their rooms, then the rate. */
const MOVE_BURST = ROOMS_MAX;
const MOVES_PER_SECOND = 2;

/** The subject of a move: one room, as the client names it, or all that the participant is in. */
type MoveOf = string;
/** A move that makes all earlier ones needless. */
export const ALL_ROOMS: MoveOf = '';

/** A participant's moves from room to room, one after the other. Call these before the turn of a room's host, never within one. */
export interface Moves {
  /**
   * Makes a move of the user's when its turn has come and the participant's allowance lets it (PRES6).
   * @throws AppError too_many: another one that makes it needless came while this one waited (PRES7)
   */
  wish<T>(participant: LiveParticipant, of: MoveOf, move: () => Promise<T>): Promise<T>;
  /** Does something between two moves, whatever the allowance says. */
  inTurn<T>(participant: LiveParticipant, work: () => Promise<T>): Promise<T>;
  /** The same for what ends the participant: moves that wait are not made any more. */
  atLast<T>(participant: LiveParticipant, work: () => Promise<T>): Promise<T>;
  /** Whether a move is under way or waits. */
  isMoving(participant: LiveParticipant): boolean;
}

interface Mover {
  allowance: Allowance;
  /** Abort the wishes that still wait for their turn. */
  readonly waiting: Map<MoveOf, AbortController>;
  inHand: number;
}

/** Waits so many ms, or until the signal. */
export type Wait = (ms: number, signal: AbortSignal) => Promise<void>;

/** @param steadyNow a clock, ms */
export function createMoves(steadyNow: () => number, wait: Wait = waitInTime): Moves {
  const movers = new WeakMap<LiveParticipant, Mover>();
  const turns = createKeyedLock<LiveParticipant>();
  const moverOf = (participant: LiveParticipant): Mover => {
    const known = movers.get(participant);
    if (known !== undefined) return known;
    const allowance = createAllowance(MOVE_BURST, MOVES_PER_SECOND, steadyNow);
    const mover: Mover = { allowance, waiting: new Map(), inHand: 0 };
    movers.set(participant, mover);
    return mover;
  };
  const inTurn = async <T>(participant: LiveParticipant, work: () => Promise<T>): Promise<T> => {
    const mover = moverOf(participant);
    mover.inHand += 1;
    try {
      return await turns.run(participant, work);
    } finally {
      mover.inHand -= 1;
    }
  };
  const overtake = ({ waiting }: Mover, of: MoveOf): void => {
    const [oldest = of] = waiting.keys();
    const overtaken = of === ALL_ROOMS ? [...waiting.keys()] : waiting.size < ROOMS_MAX ? [of] : [of, oldest];
    for (const one of overtaken) {
      waiting.get(one)?.abort();
      waiting.delete(one);
    }
  };

  return {
    wish(participant, of, move) {
      const mover = moverOf(participant);
      overtake(mover, of);
      const wish = new AbortController();
      mover.waiting.set(of, wish);
      return inTurn(participant, async () => {
        const waitMs = mover.allowance.waitMs();
        if (waitMs > 0 && !wish.signal.aborted) await wait(waitMs, wish.signal);
        if (wish.signal.aborted) throw new AppError('too_many', { retryAfterSeconds: 1 });
        mover.waiting.delete(of);
        mover.allowance.take();
        return move();
      });
    },
    inTurn,
    atLast(participant, work) {
      overtake(moverOf(participant), ALL_ROOMS);
      return inTurn(participant, work);
    },
    isMoving: (participant) => moverOf(participant).inHand > 0,
  };
}

const waitInTime: Wait = (ms, signal) => sleep(ms, undefined, { signal }).catch(() => undefined);
