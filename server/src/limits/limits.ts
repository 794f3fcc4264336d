import { createHmac, createSecretKey } from 'node:crypto';
import {
  CALLS_PER_WINDOW,
  CALLS_TO_ONE,
  POSITION_BURST,
  POSITION_ENTRY_MS,
  POSITION_WINDOW_SECONDS,
} from '@pressel/contract/limits';
import type { Redis } from '#src/processes/redis.ts';
import { createEntryCache, createRateLimit, type LimitOf, type RateLimit } from './rate-limit.ts';

const SIGN_IN_SECONDS = 300;

/**
 * All rate limits of the server. Processes share them by these names, so a name keeps its meaning: a limit that counts something else,
 * or by another key, gets a new name (PROC32). Each process limits what its own sockets may send (`createAllowance`).
 */
export const LIMITS = {
  /** Failed sign-ins (AUTH6): for one account from one address, for an account, from an address, by a known device. */
  'auth.pair': { attempts: 10, seconds: SIGN_IN_SECONDS },
  'auth.account': { attempts: 100, seconds: SIGN_IN_SECONDS },
  'auth.address': { attempts: 100, seconds: SIGN_IN_SECONDS },
  'auth.device': { attempts: 10, seconds: SIGN_IN_SECONDS },
  /** Failures of one kind that the processes together log at once; later ones are gathered (LOG30). */
  'auth.notedFailures': { attempts: 1, seconds: 600 },
  /** Registrations, and wrong setup codes, from one address. */
  'auth.signUps': { attempts: 200, seconds: SIGN_IN_SECONDS },
  'auth.setupCodes': { attempts: 20, seconds: SIGN_IN_SECONDS },
  /** Checks of a user's own password within a session: a stranger's guesses must not get in their way. */
  'auth.proof': { attempts: 10, seconds: SIGN_IN_SECONDS },
  /** Tokens from one address that open no guest link. */
  'guests.wrongTokens': { attempts: 60, seconds: 300 },
  /** Guests who enter or come back by one link. */
  'guests.entries': { attempts: 100, seconds: 300 },
  /** Entries into rooms by one user, or by the guests of one link: each adds two entries to the log (PRES19). */
  'presence.entrances': { attempts: 600, seconds: 300 },
  /** One-to-one calls by one user, and by one user to one other (RING1). */
  'calls.starts': { attempts: CALLS_PER_WINDOW, seconds: 300 },
  'calls.startsToOne': { attempts: CALLS_TO_ONE, seconds: 300 },
  /** Chat actions of one user. Nobody types more than two messages a second for long; an outbox may send thirty at once. */
  'chat.messages': { attempts: 30, seconds: 15 },
  'chat.uploads': { attempts: 10, seconds: 20 },
  'chat.deletions': { attempts: 60, seconds: 30 },
  'chat.searches': { attempts: 30, seconds: 15 },
  'chat.pages': { attempts: 120, seconds: 20 },
  'chat.marks': { attempts: 100, seconds: 20 },
  /** Exports of the activity log by one user. */
  'activities.exports': { attempts: 10, seconds: 60 },
  /** Positions of one user (POS6), and log entries about one user looking up another (POS9). */
  'positions.reports': { attempts: POSITION_BURST, seconds: POSITION_WINDOW_SECONDS },
  'positions.lookUps': { attempts: 1, seconds: POSITION_ENTRY_MS / 1_000 },
} as const satisfies Record<string, LimitOf>;

export type LimitName = keyof typeof LIMITS;

/** If there are many hashed keys, those not asked for in this time are forgotten, ms. */
const KNOWN_MS = 60_000;

/**
 * Makes rate limits by their names. Processes on one Redis count together. Their keys are unreadable there: logins and addresses are
 * private, and may have any length.
 */
export function createLimits(
  redis: Pick<Redis, 'client' | 'prefix'> | null,
  key: Buffer,
): (name: LimitName) => RateLimit {
  // Made once: making it from the bytes each time takes six times as long as the rest.
  const secret = createSecretKey(key);
  const hidden = (of: string): string => createHmac('sha256', secret).update(of).digest('base64url');
  /** Somebody who moves or writes does so again soon, and hashing takes longer than noting. */
  const known = createEntryCache(hidden, { idleMs: KNOWN_MS, now: () => performance.now() });
  return (name) => {
    if (redis === null) return createRateLimit(LIMITS[name]);
    const limit = createRateLimit(LIMITS[name], { redis, name });
    return {
      take: (of) => limit.take(hidden(of)),
      note: (of) => limit.note(known.of(of)),
      countNoted: limit.countNoted,
      giveBack: (of) => limit.giveBack(hidden(of)),
      reset: (of) => limit.reset(hidden(of)),
    };
  };
}
