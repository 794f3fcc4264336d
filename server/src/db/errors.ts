/** SQLSTATE classes of a database that can't work now: connection, resources (a full disk), operator's intervention. */
const AWAY = /^(?:08|53|57|58)/u;
/** Deadlock, serialisation failure, lock and statement timeout, too many connections, a transaction that idled too long. */
const BUSY = /^(?:40P01|40001|55P03|57014|53300|25P03)$/u;
/** The pool's own message, which has no code: no connection became free in time. */
const NO_CONNECTION_FREE = 'timeout exceeded when trying to connect';
/** The driver's messages about a cut connection: while a statement waits, and when the connection is used again. */
const CUT = /^Connection terminated|is not queryable$/u;
/** A deadlock is over at once and overload in a moment; a restarting server takes a few seconds. */
const RETRY_AFTER_SECONDS = { busy: 2, away: 5 } as const;

interface DriverError {
  code: string;
  constraint: string | null;
  /** The system call that failed; empty when it was none. */
  syscall: string;
  /** Whether the server ended the connection with this error, or never opened one. */
  isFatal: boolean;
  message: string;
}

/** The driver's error: Drizzle wraps it as the cause; a failing connection throws it bare. */
function driverError(error: unknown): DriverError | null {
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  if (!(cause instanceof Error)) return null;
  const { code, constraint, syscall, severity } = cause as Partial<Record<keyof DriverError | 'severity', unknown>>;
  return {
    code: typeof code === 'string' ? code : '',
    // A violated NOT NULL (23502) names no constraint.
    constraint: typeof constraint === 'string' ? constraint : null,
    syscall: typeof syscall === 'string' ? syscall : '',
    isFatal: severity === 'FATAL' || severity === 'PANIC',
    message: cause.message,
  };
}

/** A database fault that passes by itself; the request is not to blame. */
export interface DatabaseTrouble {
  /** `busy`: the database is overloaded. `away`: it can't be reached, is stopping or its disk is full. */
  kind: 'busy' | 'away';
  retryAfterSeconds: number;
}

/** The kind of trouble behind an error, or null when the fault is ours or the request's. */
export function databaseTrouble(error: unknown): DatabaseTrouble | null {
  const kind = troubleKind(error);
  return kind === null ? null : { kind, retryAfterSeconds: RETRY_AFTER_SECONDS[kind] };
}

function troubleKind(error: unknown): DatabaseTrouble['kind'] | null {
  const failure = driverError(error);
  if (failure === null) return null;
  const { code, message } = failure;
  if (BUSY.test(code) || message === NO_CONNECTION_FREE) return 'busy';
  if (AWAY.test(code) || code === 'ENOSPC' || CUT.test(message) || hasLinkFailed(failure)) return 'away';
  return null;
}

/** While a server restarts, its socket is missing for a moment, refuses, or breaks in the middle of a statement. */
const hasLinkFailed = ({ syscall, code }: DriverError): boolean =>
  syscall === 'connect' || (syscall !== '' && /^(?:EPIPE|ECONNRESET)$/u.test(code));

/** SQLSTATE classes of a server that we can't work with: connection, sign-in, no such database, resources, operator, damage. */
const NOT_OPENED = /^(?:08|28|3D|53|57|58|XX)/u;

/** The message of a database that can't be opened, or null for a fault of ours (a migration, for instance). */
export function openingFailure(error: unknown): string | null {
  const failure = driverError(error);
  if (failure === null) return null;
  const { code, message, isFatal } = failure;
  return isFatal || NOT_OPENED.test(code) || CUT.test(message) || hasLinkFailed(failure) ? message : null;
}

/** The constraint that a failed statement violated (SQLSTATE 23xxx). Null when it failed otherwise or the constraint has no name. */
export function violatedConstraint(error: unknown): string | null {
  const failure = driverError(error);
  return failure?.code.startsWith('23') === true ? failure.constraint : null;
}

/** Whether a statement named a time zone that this database doesn't know (SQLSTATE 22023). */
export const isUnknownTimeZone = (error: unknown): boolean => driverError(error)?.code === '22023';

/** Whether a transaction collided with another one (deadlock, serialisation): a retry succeeds. */
export const isCollision = (error: unknown): boolean => /^(?:40P01|40001)$/u.test(driverError(error)?.code ?? '');

/** Whether a connection ended during a statement or before it. The server may work all the same, by another connection. */
export function isConnectionLost(error: unknown): boolean {
  const { code = '', message = '' } = driverError(error) ?? {};
  return /^(?:08|57P01|57P02|EPIPE$|ECONNRESET$)/u.test(code) || CUT.test(message);
}

/**
 * Whether one of several rows may be the cause of a failure: it violates a constraint, is locked, or collides with another transaction.
 * Nothing of the statement was kept then.
 */
export const isFaultOfRow = (error: unknown): boolean =>
  /^(?:23...|55P03|40P01|40001)$/u.test(driverError(error)?.code ?? '');
