import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PRESENCE_TTL_MS } from '@pressel/contract/limits';
import type pg from 'pg';
import { FilesStartError } from '#src/files/file-store.ts';
import { freeBytes } from '#src/processes/readiness.ts';
import { databaseFolder } from '../db/start-database.ts';
import { LAST_BACKUP } from './backup.ts';
import { type Installation, MaintenanceError, withDatabase } from './connect.ts';
import { withoutPassword } from './move-database.ts';
import { type FileLocation, piecesOf, withFiles } from './stored-files.ts';
import { requireOurTables } from './tables.ts';

/**
 * Describes the state of an installation, one line each: numbers, and never a name.
 * @throws MaintenanceError when there is no database, or one of another version
 */
export const readStatus = (installation: Installation, version: string): Promise<string> =>
  withDatabase(installation, async (client) => {
    await requireOurTables(client);
    const lines = [
      ['Version', version],
      ['Database', `${placeOf(installation)}, ${await aboutDatabase(client)}`],
      ['Content', await aboutContent(client)],
      ['Files', await aboutFiles(installation)],
      ['Disk', `${inUnits(freeBytes(installation.dataDir))} left`],
      ['Last backup', await aboutBackup(installation.dataDir)],
      ['Signed in', await aboutSessions(client)],
      ...(await aboutProcesses(client)),
      ...(await aboutJobs(client)),
    ];
    return lines.map(([name, text]) => `${name}: ${text}`).join('\n');
  });

const placeOf = ({ dataDir, databaseUrl }: Installation): string =>
  databaseUrl === null ? `its own in ${databaseFolder(dataDir)}` : withoutPassword(databaseUrl);

/** Reads several numbers in one row, by name. */
async function numbers<Name extends string>(
  client: pg.Client,
  selected: Record<Name, string>,
  values: unknown[] = [],
): Promise<Record<Name, number>> {
  const columns = Object.entries(selected).map(([name, expression]) => `(${expression})::float8 as "${name}"`);
  const { rows } = await client.query<Record<Name, number>>(`select ${columns.join(', ')}`, values);
  return rows[0] as Record<Name, number>;
}

async function aboutDatabase(client: pg.Client): Promise<string> {
  const { version, bytes, migrations, connections, most } = await numbers(client, {
    version: `current_setting('server_version_num')::int / 10000`,
    bytes: 'pg_database_size(current_database())',
    migrations: 'select count(*) from drizzle.__drizzle_migrations',
    connections: `select count(*) from pg_stat_activity where backend_type = 'client backend'`,
    most: `current_setting('max_connections')`,
  });
  return `PostgreSQL ${version}, ${inUnits(bytes)}, ${migrations} migrations, ${connections} of ${most} connections`;
}

async function aboutContent(client: pg.Client): Promise<string> {
  const { users, admins, channels, messages, entries, erasures } = await numbers(client, {
    users: 'select count(*) from users',
    admins: `select count(*) from users where role = 'admin'`,
    channels: 'select count(*) from channels',
    messages: 'select count(*) from messages where deleted_at is null',
    entries: 'select count(*) from activities',
    erasures: 'select count(*) from erasures',
  });
  const waiting = erasures === 0 ? '' : `, the history of ${erasures} deleted users and channels still to go`;
  return `${users} users (${admins} administrators), ${channels} channels, ${messages} messages, ${entries} log entries${waiting}`;
}

async function aboutSessions(client: pg.Client): Promise<string> {
  const { sessions, users, guests } = await numbers(client, {
    sessions: 'select count(*) from sessions where expires_at > now()',
    users: 'select count(distinct user_id) from sessions where expires_at > now()',
    guests: 'select count(*) from guest_sessions',
  });
  return `${users} users with ${sessions} sessions, ${guests} guests`;
}

/** Processes that renewed their lease recently. */
async function aboutProcesses(client: pg.Client): Promise<string[][]> {
  const { rows } = await client.query<{ id: string; age: number; participants: number; rooms: number }>(
    `select s.id, extract(epoch from now() - s.seen_at)::float8 as age, count(distinct p.socket_id)::int as participants,
      count(distinct p.channel_id)::int as rooms
    from servers s left join user_sockets p on p.server_id = s.id
    where s.seen_at > now() - $1 * interval '1 ms' group by s.id order by s.id`,
    [PRESENCE_TTL_MS],
  );
  if (rows.length === 0) return [['Processes', 'none runs']];
  return rows.map(({ id, age, participants, rooms }) => [
    `Process ${id}`,
    `${participants} participants in ${rooms} rooms, seen ${inUnitsOfTime(age)} ago`,
  ]);
}

async function aboutJobs(client: pg.Client): Promise<string[][]> {
  const { rows } = await client.query<{ name: string; age: number; runs: boolean }>(
    `select name, extract(epoch from now() - begun_at)::float8 as age, lease_until > now() as runs from jobs order by name`,
  );
  return rows.map(({ name, age, runs }) => [`Job ${name}`, `begun ${inUnitsOfTime(age)} ago${runs ? ', runs' : ''}`]);
}

async function aboutFiles(place: FileLocation): Promise<string> {
  const { s3, dataDir } = place;
  const where = s3 === null ? `in ${join(dataDir, 'files')}` : `in s3://${s3.bucket}/${s3.prefix}`;
  try {
    let [count, bytes] = [0, 0];
    await withFiles(place, async (files) => {
      for await (const piece of piecesOf(files)) {
        count += piece.length;
        for (const file of piece) bytes += file.bytes;
      }
    });
    return `${where}, ${count}, ${inUnits(bytes)}`;
  } catch (error) {
    // The other lines matter all the more then.
    if (error instanceof MaintenanceError || error instanceof FilesStartError) return `${where}: ${error.message}`;
    throw error;
  }
}

async function aboutBackup(dataDir: string): Promise<string> {
  const text = await readFile(join(dataDir, LAST_BACKUP), 'utf8').catch(() => null);
  const at = new Date(text?.trim() ?? '');
  if (Number.isNaN(at.getTime())) return 'none that is known';
  return `${inUnitsOfTime((Date.now() - at.getTime()) / 1_000)} ago (${at.toISOString()})`;
}

const BYTES = ['B', 'kB', 'MB', 'GB', 'TB'];

function inUnits(bytes: number): string {
  if (Number.isNaN(bytes)) return 'unknown';
  const power = Math.min(BYTES.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3));
  return `${Number((bytes / 1_000 ** power).toPrecision(3))} ${BYTES[power]}`;
}

function inUnitsOfTime(seconds: number): string {
  if (seconds < 120) return `${Math.max(0, Math.round(seconds))} s`;
  if (seconds < 7_200) return `${Math.round(seconds / 60)} min`;
  return seconds < 172_800 ? `${Math.round(seconds / 3_600)} h` : `${Math.round(seconds / 86_400)} days`;
}
