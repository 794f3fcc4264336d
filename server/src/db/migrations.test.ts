import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { MigrationMeta } from 'drizzle-orm/migrator';
import { drizzle } from 'drizzle-orm/node-postgres';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, inject, test } from 'vitest';
import { uuidV7 } from '#src/shared/ids.ts';
import { hasLastRelease, migrationsOfLastRelease } from '#test/last-release.ts';
import { copyStatement } from '#test/test-database.ts';
import { PROCESSES_LOCK } from './locks.ts';
import { knowledgeNeeded, migrateTables, processName, readMigrations } from './migrations.ts';

const folder = join(import.meta.dirname, 'migrations');
/** Earlier migrations were made when only one process worked at a time. */
const LAST_UNBOUND = 21;

const files = globSync('*.sql', { cwd: folder }).toSorted();

/** Changes that break an older process, as PostgreSQL writes them. Each statement is given in one line and lower case. */
const CONTRACTIONS: readonly (readonly [what: string, pattern: RegExp])[] = [
  ['takes something away', /\bdrop (?!default\b)|\btruncate\b/u],
  ['takes a default away', /\bdrop default\b/u],
  ['renames something', /\brename\b/u],
  ['makes a column required', /\bset not null\b/u],
  ['adds a required column without a default', /\badd column (?!.*\b(?:default|generated)\b).*\bnot null\b/u],
  ['changes a type, which is read otherwise by who knows the old one', /\balter column \S+ (?:set data )?type\b/u],
];
/** Changes that rows of older processes may violate in an existing table. */
const NARROWINGS: readonly (readonly [what: string, pattern: RegExp])[] = [
  [
    'adds a constraint to a table that is there',
    /^alter table (?:only )?("?[\w.]+"?) add (?:constraint|check|unique|foreign|primary|exclude)/u,
  ],
  ['adds a unique index to a table that is there', /^create unique index .*? on (?:only )?("?[\w.]+"?)/u],
];

/** Says why an older process could not work on the tables after this migration. */
function contractionsOf(sql: string): string[] {
  const statements = sql
    .replaceAll(/--.*$/gmu, '')
    .split(';')
    .map((statement) => statement.replaceAll(/\s+/gu, ' ').trim().toLowerCase());
  const made = new Set(
    statements.flatMap((one) => /^create (?:unlogged )?table (?:if not exists )?("?[\w.]+"?)/u.exec(one)?.[1] ?? []),
  );
  return statements.flatMap((one) => [
    ...CONTRACTIONS.filter(([, pattern]) => pattern.test(one)).map(([what]) => what),
    ...NARROWINGS.filter(([, pattern]) => {
      const table = pattern.exec(one)?.[1];
      return table !== undefined && !made.has(table);
    }).map(([what]) => what),
  ]);
}

describe('[PROC80] migrations expand first', () => {
  test.each([
    'drop table "calls";',
    'ALTER TABLE "calls" DROP COLUMN "reason";',
    'alter table calls drop constraint calls_pkey;',
    'alter table calls alter column reason drop not null;',
    'alter table calls alter column reason drop default;',
    'alter table calls rename column reason to why;',
    'ALTER TABLE "calls"\n\tRENAME TO "talks";',
    'alter table calls alter column reason set not null;',
    'ALTER TABLE "calls" ADD COLUMN "kind" text NOT NULL;',
    'alter table calls alter column id set data type text;',
    'alter table calls alter column id type text;',
    'ALTER TABLE "calls" ADD CONSTRAINT "calls_check" CHECK (true);',
    'create unique index calls_caller on calls (caller_id);',
    'truncate calls;',
  ])('refuses %j', (sql) => {
    expect(contractionsOf(sql)).toHaveLength(1);
  });

  test.each([
    'create table "kinds" ("id" uuid primary key not null); alter table "kinds" add constraint "kinds_name" unique ("name");',
    'CREATE UNLOGGED TABLE "kinds" ("id" uuid NOT NULL);--> statement-breakpoint\nCREATE UNIQUE INDEX "kinds_key" ON "kinds" USING btree ("id");',
    'alter table calls add column kind text;',
    `alter table calls add column kind text not null default 'voice';`,
    'create index calls_kind on calls (kind);',
    '-- Nothing is dropped here.\nalter table calls alter column kind set default 1;',
  ])('lets pass %j', (sql) => {
    expect(contractionsOf(sql)).toEqual([]);
  });

  test('a migration that takes something away says since which release nobody needs it', async () => {
    const released = (await hasLastRelease()) ? await migrationsOfLastRelease() : null;
    for (const file of files.filter((one) => Number(one.slice(0, 4)) > LAST_UNBOUND)) {
      const sql = readFileSync(join(folder, file), 'utf8');
      const needed = knowledgeNeeded([{ sql: [sql] }]);
      if (needed === 0) expect(contractionsOf(sql), `${file}: see docs/decisions/062`).toEqual([]);
      else expect(released ?? files, `${file}: the last release knows what it names`).toContain(files[needed - 1]);
    }
  });

  test('each comes after the one before', () => {
    const { entries } = JSON.parse(readFileSync(join(folder, 'meta/_journal.json'), 'utf8'));
    const tags: string[] = entries.map(({ tag }: { tag: string }) => `${tag}.sql`);
    expect(tags).toEqual(files);
    // The migrator skips migrations older than the newest one that a database has been through.
    const times: number[] = entries.map(({ when }: { when: number }) => when);
    expect(times).toEqual(times.toSorted((one, other) => one - other));
  });
});

describe('versions side by side', () => {
  let name: string;
  let clients: pg.Client[];
  const administer = async (statement: string) => {
    const client = new pg.Client(inject('cluster'));
    await client.connect();
    await client.query(statement);
    await client.end();
  };
  const open = async () => {
    const client = new pg.Client({ ...inject('cluster'), database: name });
    clients.push(client);
    await client.connect();
    return client;
  };
  beforeEach(async () => {
    clients = [];
    name = `pressel_${uuidV7().replaceAll('-', '')}`;
    await administer(copyStatement(name));
  });
  afterEach(async () => {
    for (const client of clients) await client.end();
    await administer(`drop database ${name}`);
  });

  const KNOWN = readMigrations();
  /** A version with one more migration, which removes what versions need that don't know this version's last one. */
  const contraction = (since: number): MigrationMeta => ({
    sql: [`-- Unneeded since ${String(since).padStart(4, '0')} (9.9.9): the column is read by nobody\nselect 1`],
    folderMillis: Date.now(),
    hash: 'newer',
    bps: true,
  });
  const migrateBy = async (migrations: MigrationMeta[]) => {
    const client = await open();
    return migrateTables(client, drizzle(client), migrations);
  };

  test('[PROC82] what an older version needs is what the newest contraction names', () => {
    expect(knowledgeNeeded(KNOWN)).toBe(0);
    expect(knowledgeNeeded([...KNOWN, contraction(7), contraction(5)])).toBe(8);
  });

  test('[PROC82] an older version starts on the tables of a newer one, unless that took away what it needs', async () => {
    await migrateBy([...KNOWN, { ...contraction(0), sql: ['alter table users add column badge text'] }]);
    await migrateBy(KNOWN);
    await migrateBy([...KNOWN, contraction(KNOWN.length - 1)]);
    await migrateBy(KNOWN);
    await expect(migrateBy(KNOWN.slice(0, -1))).rejects.toThrow('A newer Pressel has changed the database');
  });

  test('[PROC83] nothing is taken away from older processes that are there', async () => {
    const older = await open();
    await older.query('select pg_advisory_lock_shared($1)', [PROCESSES_LOCK]);
    const newer = [...KNOWN, contraction(KNOWN.length - 1)];
    // A process from before processes stated what they know.
    await expect(migrateBy(newer)).rejects.toThrow('Processes of an older Pressel');
    await older.query(`set application_name = '${processName(KNOWN.length - 1)}'`);
    await expect(migrateBy(newer)).rejects.toThrow('Processes of an older Pressel');
    await older.query(`set application_name = '${processName(KNOWN.length)}'`);
    await migrateBy(newer);
  });
});
