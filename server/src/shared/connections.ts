import type { UserId } from '@pressel/contract/ids';
import { createKeptEntries } from './kept-entries.ts';
import { type Allowance, createAllowance } from './rate-limit.ts';

/** New connections per address: after a restart, an office behind one router reconnects all at once. */
const OPEN_BURST = 1_000;
const OPENED_PER_SECOND = 100;
/** Connections that have not authenticated yet, per address and in total. */
const PENDING_PER_ADDRESS = 256;
const PENDING_IN_ALL = 2_048;
/** Connections of one user: tabs and devices together. */
const CONNECTIONS_PER_USER = 32;
/** After this time without attempts an address has its full burst again. */
const REFILLED_MS = (OPEN_BURST / OPENED_PER_SECOND) * 1_000;

interface Caller {
  opens: Allowance;
  pending: number;
}

export interface ConnectionBook {
  /** Counts an attempt to connect. @returns false when the address has used up its allowance */
  mayOpen(address: string): boolean;
  /** Registers an open connection that has not authenticated yet. */
  opened(connection: object, address: string): void;
  /** Assigns the connection to its user, who may have `most`. @returns false when the user is at the limit or the connection is closed */
  admit(connection: object, userId: UserId, most?: number): boolean;
  /** The user of the connection; null until it has authenticated. */
  ownerOf(connection: object): UserId | null;
  closed(connection: object): void;
}

/** Counts connections per address and per user, and enforces their limits. `now`: a monotonic clock, ms. */
export function createConnectionBook(now: () => number): ConnectionBook {
  const callers = createKeptEntries<Caller>(
    () => ({ opens: createAllowance(OPEN_BURST, OPENED_PER_SECOND, now), pending: 0 }),
    { idleMs: REFILLED_MS, now, mayForget: ({ pending }) => pending === 0 },
  );
  const pending = new Map<object, Caller>();
  const owners = new Map<object, UserId>();
  const perUser = new Map<UserId, number>();

  const settle = (connection: object): boolean => {
    const caller = pending.get(connection);
    if (caller === undefined) return false;
    pending.delete(connection);
    caller.pending -= 1;
    return true;
  };

  return {
    mayOpen(address) {
      const caller = callers.of(address);
      return pending.size < PENDING_IN_ALL && caller.pending < PENDING_PER_ADDRESS && caller.opens.take();
    },
    opened(connection, address) {
      const caller = callers.of(address);
      caller.pending += 1;
      pending.set(connection, caller);
    },
    admit(connection, userId, most = CONNECTIONS_PER_USER) {
      const count = perUser.get(userId) ?? 0;
      if (count >= most || !settle(connection)) return false;
      perUser.set(userId, count + 1);
      owners.set(connection, userId);
      return true;
    },
    ownerOf: (connection) => owners.get(connection) ?? null,
    closed(connection) {
      settle(connection);
      const userId = owners.get(connection);
      if (userId === undefined) return;
      owners.delete(connection);
      const left = (perUser.get(userId) ?? 0) - 1;
      if (left > 0) perUser.set(userId, left);
      else perUser.delete(userId);
    },
  };
}
