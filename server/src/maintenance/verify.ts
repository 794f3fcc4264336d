import type pg from 'pg';
import { AGREEMENTS, type Agreement, references } from './agreements.ts';
import { type Installation, withDatabase } from './connect.ts';
import { FILE_KINDS } from './file-kinds.ts';
import { withFiles } from './stored-files.ts';
import { requireOurTables } from './tables.ts';
import { verifyFiles } from './verify-files.ts';

/** What was found: one line each, with ids and never with names. */
export interface Findings {
  /** Contradictions. */
  faults: string[];
  /** Faults that mend themselves, and what could not be checked. */
  notes: string[];
}

/** How many examples of each fault are named. */
const NAMED = 5;
/** The server removes a file right after its row, if no backup runs. */
const SECOND_LOOK_MS = 3_000;

/**
 * Checks that database, files and indexes agree, and changes nothing. It also works while Pressel runs: rows are read in one snapshot,
 * and files that seem missing or superfluous are checked in the database again.
 * @throws MaintenanceError when there is no database, or one of another version
 */
export const verify = (installation: Installation, secondLookMs = SECOND_LOOK_MS): Promise<Findings> =>
  withDatabase(installation, async (client) => {
    await requireOurTables(client);
    const findings: Findings = { faults: [], notes: [] };
    await verifyRows(client, findings);
    await verifyIndexes(client, findings);
    const { faults, notes } = findings;
    await withFiles(installation, async (store) => {
      for (const kind of FILE_KINDS) {
        const files = await verifyFiles(client, store, kind, secondLookMs);
        const { what, folder } = kind;
        if (files.missing.length > 0) faults.push(listed(`${what} is not there`, files.missing));
        if (files.short.length > 0) faults.push(listed(`${what} has another size than was stored`, files.short));
        if (files.foreign.length > 0) faults.push(listed(`a file in ${folder} is not Pressel’s`, files.foreign));
        if (files.left.length > 0) {
          notes.push(listed(`files in ${folder} without a row, which the server removes within hours`, files.left));
        }
      }
    });
    return findings;
  });

async function verifyRows(client: pg.Client, { faults }: Findings): Promise<void> {
  await client.query('begin transaction isolation level repeatable read read only');
  for (const agreement of [...AGREEMENTS, ...(await references(client))]) {
    const fault = await faultOf(client, agreement);
    if (fault !== null) faults.push(fault);
  }
  await client.query('commit');
}

async function faultOf(client: pg.Client, { fault, rows }: Agreement): Promise<string | null> {
  const found = await client.query<{ what: string; total: string }>(
    `select what, count(*) over () as total from (${rows}) wrong (what) limit ${NAMED}`,
  );
  const [first] = found.rows;
  return first === undefined
    ? null
    : listed(
        fault,
        found.rows.map(({ what }) => what),
        Number(first.total),
      );
}

const listed = (fault: string, some: readonly string[], total = some.length): string => {
  const rest = total - Math.min(total, NAMED);
  return `${fault}: ${some.slice(0, NAMED).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
};

/** The extension is missing, or this role may not use it. */
const UNAVAILABLE: readonly unknown[] = ['0A000', '42501', '58P01'];
/** Damaged data or a damaged index. */
const DAMAGED: readonly unknown[] = ['XX001', 'XX002'];

/** The query that reads each kind of table and index. It fails on damage, or returns it as a row. */
const READINGS: Readonly<Record<string, string>> = {
  heap: `select string_agg(distinct msg, '; ') as damage from verify_heapam($1::regclass) having count(*) > 0`,
  btree: 'select bt_index_check($1::regclass, true)',
  gin: 'select gin_index_check($1::regclass)',
};

/**
 * Reads indexes and tables page by page, by an extension that comes with PostgreSQL. It is created in a transaction that is rolled
 * back, so nothing of it stays.
 */
async function verifyIndexes(client: pg.Client, { faults, notes }: Findings): Promise<void> {
  await client.query('begin');
  try {
    await client.query('create extension if not exists amcheck schema pg_catalog');
    const { rows } = await client.query<{ name: string; kind: string }>(
      `select c.oid::regclass::text as name, a.amname as kind from pg_class c join pg_am a on a.oid = c.relam
      where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'i') and c.relpersistence = 'p'
        and not exists (select from pg_index i where i.indexrelid = c.oid and not i.indisvalid)
        -- Since PostgreSQL 18.
        and (a.amname <> 'gin' or to_regprocedure('gin_index_check(regclass)') is not null) order by 1`,
    );
    for (const { name, kind } of rows) {
      const reading = READINGS[kind];
      const damage = reading === undefined ? null : await damageOf(client, reading, name);
      if (damage !== null) faults.push(`${kind === 'heap' ? 'table' : 'index'} ${name} is damaged: ${damage}`);
    }
  } catch (error) {
    if (!UNAVAILABLE.includes(codeOf(error))) throw error;
    notes.push(`indexes were not looked at: PostgreSQL has no amcheck for this role (${(error as Error).message})`);
  } finally {
    await client.query('rollback');
  }
}

async function damageOf(client: pg.Client, reading: string, name: string): Promise<string | null> {
  await client.query('savepoint reading');
  try {
    const { rows } = await client.query<{ damage?: string }>(reading, [name]);
    await client.query('release reading');
    return rows[0]?.damage ?? null;
  } catch (error) {
    if (!DAMAGED.includes(codeOf(error))) throw error;
    await client.query('rollback to reading');
    return (error as Error).message;
  }
}

const codeOf = (error: unknown): unknown => (error instanceof Error && 'code' in error ? error.code : undefined);
