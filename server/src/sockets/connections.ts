import type { UserId } from '@pressel/contract/ids';
import { type Allowance, createAllowance, createEntryCache } from '#src/limits/rate-limit.ts';

/** New connections per address that don't turn out to be somebody's. */
const OPEN_BURST = 1_000;
const OPENED_PER_SECOND = 100;
/** Connections that have not authenticated yet, per address and in total. A process that has just started knows nobody (PRES45). */
const PENDING_PER_ADDRESS = 512;
const PENDING_IN_ALL = 4_096;
/** Maximum per address where more than PENDING_PER_ADDRESS have authenticated: an office behind one router comes back at once. */
const PENDING_AMONG_KNOWN = 1_000;
/** Connections of one user: tabs and devices together. */
const CONNECTIONS_PER_USER = 32;
/** New connections of one sharer that cost their address nothing: all tabs and devices come back at once. */
const OWN_BURST = CONNECTIONS_PER_USER;
const OWN_PER_SECOND = 1;
/** After this time without attempts an address has its full burst again. */
const REFILLED_MS = (OPEN_BURST / OPENED_PER_SECOND) * 1_000;

interface Caller {
  opens: Allowance;
  pending: number;
  /** How many of its open connections have authenticated. */
  known: number;
}

export interface Admission {
  /** How many connections the user may have. */
  most?: number | undefined;
  /** The share of new connections that it takes: the user's, or that of all guests of a link. */
  sharer?: string;
}

export interface ConnectionRegistry {
  /** Counts an attempt to connect. @returns false when the address has used up its allowance */
  mayOpen(address: string): boolean;
  /** Registers an open connection that has not authenticated yet. */
  opened(connection: object, address: string): void;
  /** Whether a connection is open, and is nobody's yet. */
  isPending(connection: object): boolean;
  /**
   * Assigns the connection to its user. Within the sharer's own allowance, its address gets back what the attempt took (PRES45).
   * @returns false when the user is at the limit or the connection is closed
   */
  admit(connection: object, userId: UserId, admission?: Admission): boolean;
  /** The user of the connection; null until it has authenticated. */
  ownerOf(connection: object): UserId | null;
  closed(connection: object): void;
}

/** Counts connections per address and per user, and enforces their limits. `now`: a monotonic clock, ms. */
export function createConnectionRegistry(now: () => number): ConnectionRegistry {
  const callers = createEntryCache<Caller>(
    () => ({ opens: createAllowance(OPEN_BURST, OPENED_PER_SECOND, now), pending: 0, known: 0 }),
    { idleMs: REFILLED_MS, now, mayForget: ({ pending, known }) => pending === 0 && known === 0 },
  );
  const sharers = createEntryCache<Allowance>(() => createAllowance(OWN_BURST, OWN_PER_SECOND, now), {
    idleMs: (OWN_BURST / OWN_PER_SECOND) * 1_000,
    now,
  });
  const pending = new Map<object, Caller>();
  const owners = new Map<object, { userId: UserId; caller: Caller }>();
  const perUser = new Map<UserId, number>();

  /** @returns the caller whose connection it was, if it was pending */
  const settle = (connection: object): Caller | undefined => {
    const caller = pending.get(connection);
    if (caller === undefined) return undefined;
    pending.delete(connection);
    caller.pending -= 1;
    return caller;
  };
  const maxPending = ({ known }: Caller): number => Math.min(PENDING_AMONG_KNOWN, Math.max(PENDING_PER_ADDRESS, known));

  return {
    mayOpen(address) {
      const caller = callers.of(address);
      return pending.size < PENDING_IN_ALL && caller.pending < maxPending(caller) && caller.opens.take();
    },
    opened(connection, address) {
      const caller = callers.of(address);
      caller.pending += 1;
      pending.set(connection, caller);
    },
    isPending: (connection) => pending.has(connection),
    admit(connection, userId, { most = CONNECTIONS_PER_USER, sharer = userId } = {}) {
      const count = perUser.get(userId) ?? 0;
      if (count >= most) return false;
      const caller = settle(connection);
      if (caller === undefined) return false;
      perUser.set(userId, count + 1);
      owners.set(connection, { userId, caller });
      caller.known += 1;
      if (sharers.of(sharer).take()) caller.opens.giveBack();
      return true;
    },
    ownerOf: (connection) => owners.get(connection)?.userId ?? null,
    closed(connection) {
      settle(connection);
      const owner = owners.get(connection);
      if (owner === undefined) return;
      owners.delete(connection);
      owner.caller.known -= 1;
      const left = (perUser.get(owner.userId) ?? 0) - 1;
      if (left > 0) perUser.set(owner.userId, left);
      else perUser.delete(owner.userId);
    },
  };
}
