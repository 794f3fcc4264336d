import { PRESENCE_TTL_MS } from '@pressel/contract/limits';
import { sql } from 'drizzle-orm';
import type { Db } from './connect.ts';
import { DatabaseStartError } from './embedded/start-error.ts';

/** A process's connections besides its pool: the processes' lock, the facts' notices, and two for the floor. */
const CONNECTIONS_BESIDES = 4;

interface Counted {
  poolMax: number;
  /** How many connections the server allows to roles that aren't superusers. */
  allowed: number;
  /** How many processes there are, including this one. */
  processes: number;
}

/** Says what is wrong with the sizes. `isRefused`: even this process alone can't have its connections. */
export function connectionFault({ poolMax, allowed, processes }: Counted): { isRefused: boolean; text: string } | null {
  const each = poolMax + CONNECTIONS_BESIDES;
  if (each * processes <= allowed) return null;
  const many = processes === 1 ? 'one process needs' : `${processes} processes need`;
  const fits = Math.floor(allowed / processes) - CONNECTIONS_BESIDES;
  return {
    isRefused: each > allowed,
    text: `The database allows ${allowed} connections, and ${many} ${each * processes}: set max_connections of PostgreSQL higher, or DATABASE_POOL_MAX to ${Math.max(1, fits)} or less.`,
  };
}

/** @throws DatabaseStartError the database does not allow even this process its connections */
export async function checkConnections(db: Db, poolMax: number, warn: (fields: Counted) => void): Promise<void> {
  const { rows } = await db.execute<{ allowed: number; others: number }>(sql`select
    current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
      - coalesce(current_setting('reserved_connections', true)::int, 0) as allowed,
    (select count(*)::int from servers where seen_at > now() - ${PRESENCE_TTL_MS} * interval '1 millisecond') as others`);
  const [found] = rows;
  if (found === undefined) return;
  const counted = { poolMax, allowed: found.allowed, processes: found.others + 1 };
  const fault = connectionFault(counted);
  if (fault?.isRefused === true) throw new DatabaseStartError(fault.text);
  if (fault !== null) warn(counted);
}
