import { SESSION_POINTS, SESSION_POINTS_PER_SECOND } from '@pressel/contract/limits';
import { type Allowance, createAllowance, createEntryCache } from '#src/limits/rate-limit.ts';
import { hashToken } from '#src/shared/ids.ts';

/** Points available at once, and points per second in the long run. */
interface Points {
  readonly burst: number;
  readonly perSecond: number;
}

/** The allowances of HTTP. A request costs one point, and a call what the contract says; see docs/rules/budget.md. */
export interface BudgetLimits {
  readonly session: Points;
  /** All sessions of a user together. */
  readonly user: Points;
  /** All requests from an address without a known token: pages, files, public calls. */
  readonly address: Points;
}

export const BUDGET: BudgetLimits = {
  session: { burst: SESSION_POINTS, perSecond: SESSION_POINTS_PER_SECOND },
  user: { burst: 2 * SESSION_POINTS, perSecond: 2 * SESSION_POINTS_PER_SECOND },
  address: { burst: 3_000, perSecond: 500 },
};

/** Extra cost of a request with a wrong token, which was looked up in the database. */
const UNKNOWN_TOKEN_COST = 4;

/** Pays for a request: a session together with its user, or an address. */
export interface Payer {
  /** Different payers have different keys. */
  readonly key: string;
  /** Time until it has this many points (by default 1), ms; 0 when it has. */
  waitMs(points?: number): number;
  /** Takes points, even more than it has: then the next request waits longer. */
  pay(points: number): void;
}

export interface Budget {
  /** Returns the payer of a request: the session of its token, if that session is known; otherwise its address. */
  payerOf(token: string | undefined, address: string): Payer;
  /** Called when a session has this token. @param owner shares an allowance between all of its sessions */
  known(token: string, owner: string): Payer;
  /** Called when no session has this token. The address pays for the attempt. */
  unknown(token: string, address: string): void;
}

/** `now`: a monotonic clock, ms. */
export function createBudget(now: () => number, limits: BudgetLimits = BUDGET): Budget {
  const allowanceOf = ({ burst, perSecond }: Points) => createAllowance(burst, perSecond, now);
  /** A full allowance may be forgotten, because a new one is full too. */
  const forgetting = <Kept>({ burst, perSecond }: Points, pointsOf: (kept: Kept) => Allowance) => ({
    idleMs: (burst / perSecond) * 1_000,
    now,
    mayForget: (kept: Kept) => pointsOf(kept).waitMs(burst) === 0,
  });
  const addresses = createEntryCache(
    () => allowanceOf(limits.address),
    forgetting(limits.address, (own) => own),
  );
  const users = createEntryCache(
    () => allowanceOf(limits.user),
    forgetting(limits.user, (own) => own),
  );
  /** Sessions by the hash of their token. A forgotten session is known again when its next call is authenticated. */
  const sessions = createEntryCache(
    () => ({ points: allowanceOf(limits.session), owner: '' }),
    forgetting(limits.session, ({ points }) => points),
  );

  const payerOfSession = (hash: string, { points, owner }: { points: Allowance; owner: string }): Payer => ({
    key: `session ${hash}`,
    waitMs: (needed) => Math.max(points.waitMs(needed), users.of(owner).waitMs(needed)),
    pay(cost) {
      points.owe(cost);
      users.of(owner).owe(cost);
    },
  });
  return {
    payerOf(token, address) {
      const hash = token === undefined ? '' : hashToken(token);
      const session = token === undefined ? undefined : sessions.find(hash);
      if (session !== undefined) return payerOfSession(hash, session);
      const points = addresses.of(address);
      return { key: `address ${address}`, waitMs: (needed) => points.waitMs(needed), pay: (cost) => points.owe(cost) };
    },
    known(token, owner) {
      const hash = hashToken(token);
      const session = sessions.of(hash);
      session.owner = owner;
      return payerOfSession(hash, session);
    },
    unknown(token, address) {
      sessions.forget(hashToken(token));
      addresses.of(address).owe(UNKNOWN_TOKEN_COST);
    },
  };
}
