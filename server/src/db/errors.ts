/** SQLSTATE classes of a database that cannot work now: connection, resources (a full disk), operator's doing. */
const AWAY = /^(?:08|53|57|58)/u;
/** Deadlock, serialisation failure, lock and statement timeout, too many connections, a transaction that idled too long. */
const BUSY = /^(?:40P01|40001|55P03|57014|53300|25P03)$/u;
/** The pool's own words, which have no code: nobody gave a connection back in time. */
const NO_CONNECTION_FREE = 'timeout exceeded when trying to connect';
/** The driver's, of a connection that was cut: while it waits, and when it is used again. */
const CUT = /^Connection terminated|is not queryable$/u;
/** A deadlock is over at once, a crowd in a moment; a server that restarts takes a few seconds. */
const RETRY_AFTER_SECONDS = { busy: 2, away: 5 } as const;

interface DriverError {
  code: string;
  constraint: string | null;
  /** The system's call that failed; empty when it was none. */
  syscall: string;
  /** Whether the server ended the connection with it, or never opened one. */
  isFatal: boolean;
  message: string;
}

/** What the driver said: Drizzle wraps it as the cause, a connection that fails throws it bare. */
function driverError(error: unknown): DriverError | null {
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  if (!(cause instanceof Error)) return null;
  const { code, constraint, syscall, severity } = cause as Partial<Record<keyof DriverError | 'severity', unknown>>;
  return {
    code: typeof code === 'string' ? code : '',
    // A violated NOT NULL (23502) has no constraint's name.
    constraint: typeof constraint === 'string' ? constraint : null,
    syscall: typeof syscall === 'string' ? syscall : '',
    isFatal: severity === 'FATAL' || severity === 'PANIC',
    message: cause.message,
  };
}

/** A fault of the database that passes by itself, and is not one of the request. */
export interface DatabaseTrouble {
  /** `busy`: it works, for too many at once. `away`: it can't be reached, is stopping or its disk is full. */
  kind: 'busy' | 'away';
  retryAfterSeconds: number;
}

/** What kind of trouble an error tells of, or null when it is a fault of ours or of the request. */
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

/** The socket of a server that restarts is missing for a moment, or refuses, or breaks under what is being sent. */
const hasLinkFailed = ({ syscall, code }: DriverError): boolean =>
  syscall === 'connect' || (syscall !== '' && /^(?:EPIPE|ECONNRESET)$/u.test(code));

/** What a server says that won't be worked with: connection, sign-in, no such database, resources, its operator, damage. */
const NOT_OPENED = /^(?:08|28|3D|53|57|58|XX)/u;

/** What a database that can't be opened says of itself, or null for a fault of ours (a migration, for instance). */
export function openingFailure(error: unknown): string | null {
  const failure = driverError(error);
  if (failure === null) return null;
  const { code, message, isFatal } = failure;
  return isFatal || NOT_OPENED.test(code) || CUT.test(message) || hasLinkFailed(failure) ? message : null;
}

/** The constraint that a failed statement ran into (SQLSTATE 23xxx), or null when it was another failure or has no name. */
export function violatedConstraint(error: unknown): string | null {
  const failure = driverError(error);
  return failure?.code.startsWith('23') === true ? failure.constraint : null;
}

/** Whether a statement named a time zone that this database does not know (SQLSTATE 22023). */
export const isUnknownTimeZone = (error: unknown): boolean => driverError(error)?.code === '22023';

/** Whether a transaction was undone because it met another one (deadlock, serialisation): done again it succeeds. */
export const isCollision = (error: unknown): boolean => /^(?:40P01|40001)$/u.test(driverError(error)?.code ?? '');
