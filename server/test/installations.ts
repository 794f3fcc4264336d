import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import pg from 'pg';
import { onTestFinished } from 'vitest';
import { openDatabase } from '#src/db/connect.ts';
import { lockProcesses } from '#src/db/processes-lock.ts';
import { uuidV7 } from '#src/shared/ids.ts';
import { compiledIn } from './start-server.ts';
import { urlOf } from './test-database.ts';

const ROOT = join(import.meta.dirname, '../..');
const SCRIPT = join(ROOT, 'scripts/maintain.ts');

/** Runs `npm run backup`, `npm run restore` or `npm run admin` in a separate process. */
export function maintain(env: NodeJS.ProcessEnv, ...args: string[]) {
  const child = spawn(process.execPath, [SCRIPT, ...args], {
    env: { PATH: process.env.PATH, ...compiledIn(ROOT), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (said += chunk));
  const ended = once(child, 'close').then(([status, signal]: (number | string | null)[]) => ({
    status: status ?? signal,
    said: said.trim(),
  }));
  return { child, ended };
}

/** Rows for a database: accounts with all kinds of text, keys, sessions, messages, a log that triggers count, and sequence numbers. */
export const CONTENT = `
  insert into secrets values ('files', '\\x00ff5c', now()), ('floors', sha256('x'), now());
  insert into users (id, identifier, first_name, last_name, password_hash, role)
    select ('01900000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid, n || '@example.org', E'Zoë\\tÅ' || n, E'\\\\N\\n', '-', case n when 1 then 'admin' else 'member' end
    from generate_series(1, 20) n;
  insert into user_photos values ('01900000-0000-7000-8000-000000000001', gen_random_uuid(), 'image/webp', '\\x000a0d5c2e');
  insert into sessions (id, token_hash, user_id, remember, expires_at)
    values (gen_random_uuid(), 'hash', '01900000-0000-7000-8000-000000000001', true, now() + interval '1 day');
  insert into last_positions values ('01900000-0000-7000-8000-000000000001', now(), 48.85661400000001, -0.1, 3.3, now());
  insert into outbox (origin, fact, news) select gen_random_uuid(), 'x', '{}' from generate_series(1, 7);
  insert into activities (id, type, user_id, user_display_name, created_at)
    select gen_random_uuid(), 'login', ('01900000-0000-7000-8000-' || lpad((1 + n % 20)::text, 12, '0'))::uuid, 'Zoë', now() - n * interval '1 minute'
    from generate_series(1, 300) n`;
export const messages = (count: number) => `
  insert into messages (id, channel_id, number, user_id, user_display_name, text, client_id, created_at)
    select gen_random_uuid(), '01900000-0000-7000-9000-000000000001', n, '01900000-0000-7000-8000-000000000001', 'Zoë', 'Ici Nord ' || n, gen_random_uuid(), now()
    from generate_series(1, ${count}) n`;

/** @returns the rows of the last statement */
export async function ask(url: string | null, statement: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: String(url) });
  await client.connect();
  try {
    const results = await client.query(statement);
    return results.rows;
  } finally {
    await client.end();
  }
}
/** Reads one value from the database. */
export const readValue = async (url: string | null, expression: string) =>
  Object.values((await ask(url, `select ${expression}`))[0] ?? {})[0];

/** Makes a database without tables, and returns its `DATABASE_URL`. It is removed when the test ends. */
export async function makeEmptyDatabase(options = ''): Promise<string> {
  const name = `pressel_${uuidV7().replaceAll('-', '')}`;
  await ask(urlOf('postgres'), `create database ${name} template template0 strategy file_copy ${options}`);
  onTestFinished(async () => void (await ask(urlOf('postgres'), `drop database if exists ${name} with (force)`)));
  return urlOf(name);
}

export const SILENT = { onTrouble: () => undefined, onLost: () => undefined };
/** Does what a server does on a database when it starts, and ends. */
export async function startOn(url: string | null): Promise<void> {
  const connection = { connectionString: String(url) };
  const lock = await lockProcesses({ connection, isShared: false, waits: { startMs: 0, retakeMs: 0 }, ...SILENT });
  try {
    await (await openDatabase(connection, () => undefined)).close();
  } finally {
    await lock.release();
  }
}
