import type { FastifyBaseLogger } from 'fastify';
import type { Actor, LoggedAct } from '#src/history/change.ts';
import { addressKey } from '#src/limits/rate-limit.ts';

/** Once an attempt is logged, further ones of its kind within this time become one entry, ms. */
const TOGETHER_MS = 600_000;
/** Maximum of entries in that time; the rest become one more. So an attacker with many addresses doesn't fill the disk. */
const ENTRIES_MAX = 200;
/** Maximum of these for unknown logins, which anybody can invent. The rest is left for real accounts. */
const UNKNOWN_MAX = 100;

/** `limited`: refused by a rate limit, without a look at the password. */
type Reason = 'password' | 'unknown_login' | 'proof' | 'limited';

/** A failed sign-in, or a failed check of the own password. Never has a login or password: people mix up the fields. */
export interface FailedAttempt {
  reason: Reason;
  address: string | null;
  /** The account that was tried; null when there is none with that login, or it was not looked for. */
  target: { id: string; name: string } | null;
  /** The user of the session, for `proof`. */
  user: Actor | null;
}

/**
 * Logs failed attempts: the first at once, those that follow for the same account from the same address as one entry with their
 * number. Attempts for unknown logins count together per address. An IPv6 network counts as one address (LOG30).
 */
export interface FailedAttempts {
  note(attempt: FailedAttempt): Promise<void>;
  /** Logs what was gathered for long enough; at the end, everything. */
  flush(all?: boolean): Promise<void>;
}

interface Gathered {
  attempt: FailedAttempt;
  count: number;
  since: number;
}

export function createFailedAttempts(deps: {
  record(act: LoggedAct): Promise<void>;
  /** Whether no other process logged one of this kind within TOGETHER_MS. */
  isFirst(kind: string): Promise<boolean>;
  now: () => Date;
  log: FastifyBaseLogger;
}): FailedAttempts {
  const { now, log } = deps;
  /** Attempts that follow one that was put down, by their kind. */
  const following = new Map<string, Gathered>();
  let unnamed = 0;

  const isFull = ({ target }: Pick<FailedAttempt, 'target'>): boolean => {
    const ofNone = [...following.values()].filter(({ attempt }) => attempt.target === null).length;
    return following.size >= ENTRIES_MAX || (target === null && ofNone >= UNKNOWN_MAX);
  };

  const put = async (
    attempt: Pick<FailedAttempt, 'address' | 'target' | 'user'>,
    reason: Reason | 'flood',
    count: number,
  ) => {
    const by = attempt.user === null ? { user: null, address: attempt.address } : { user: attempt.user };
    const target = attempt.target ?? undefined;
    try {
      await deps.record({ ...by, type: 'sign_in_failure', target, details: { reason, count }, at: now() });
    } catch (error) {
      // The attempt is refused whether or not it could be logged.
      log.error({ err: error }, 'sign_in_failure_not_stored');
    }
  };

  return {
    async note(attempt) {
      const network = attempt.address === null ? '' : addressKey(attempt.address);
      const key = `${attempt.reason} ${attempt.target?.id ?? ''} ${network}`;
      const known = following.get(key);
      if (known !== undefined) {
        known.count += 1;
        return;
      }
      if (isFull(attempt)) {
        unnamed += 1;
        return;
      }
      const gathered = { attempt, count: 0, since: now().getTime() };
      following.set(key, gathered);
      if (await deps.isFirst(key)) await put(attempt, attempt.reason, 1);
      else gathered.count += 1;
    },

    async flush(all = false) {
      const until = now().getTime() - TOGETHER_MS;
      for (const [key, { attempt, count, since }] of following) {
        // Goes on also when the clock was set back.
        if (!all && since > until && since <= now().getTime()) continue;
        following.delete(key);
        if (count > 0) await put(attempt, attempt.reason, count);
      }
      if (unnamed === 0 || (!all && isFull({ target: null }))) return;
      const count = unnamed;
      unnamed = 0;
      await put({ address: null, target: null, user: null }, 'flood', count);
    },
  };
}
