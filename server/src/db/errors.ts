/** SQLSTATE classes of a database that cannot work now: connection, resources (a full disk), operator's doing. */
const AWAY = /^(?:08|53|57|58)/u;

/** What the driver said: Drizzle wraps it as the cause, a connection that fails throws it bare. */
function driverError(error: unknown): { code: string; constraint: string | null } | null {
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  if (typeof cause !== 'object' || cause === null || !('code' in cause)) return null;
  return { code: String(cause.code), constraint: 'constraint' in cause ? String(cause.constraint) : null };
}

/** The constraint that a failed statement ran into (SQLSTATE 23xxx), or null when the failure was another. */
export function violatedConstraint(error: unknown): string | null {
  const failure = driverError(error);
  return failure?.code.startsWith('23') ? failure.constraint : null;
}

/** Whether an error says that the database is away, full or stopping: a fault that passes, not one of the request. */
export function isDatabaseAway(error: unknown): boolean {
  const code = driverError(error)?.code;
  return code !== undefined && (AWAY.test(code) || code === 'ECONNREFUSED' || code === 'ENOSPC');
}

/** Whether a statement named a time zone that this database does not know (SQLSTATE 22023). */
export const isUnknownTimeZone = (error: unknown): boolean => driverError(error)?.code === '22023';

/** Whether a transaction was undone because it met another one (deadlock, serialisation): done again it succeeds. */
export const isCollision = (error: unknown): boolean => /^(?:40P01|40001)$/u.test(driverError(error)?.code ?? '');
