import { readFileSync } from 'node:fs';
import { typedName } from '@pressel/contract/text';
import { sql } from 'drizzle-orm';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { uuidV7 } from '#src/shared/ids.ts';
import { openTestDatabase } from '#test/test-database.ts';
import type { Database, Tx } from './connect.ts';

const MIGRATION = readFileSync(new URL('./migrations/0015_clean_names.sql', import.meta.url), 'utf8').split(
  '--> statement-breakpoint',
);
const FUNCTIONS = MIGRATION.filter((statement) => statement.includes('CREATE FUNCTION'));

let database: Database;
beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database.close());

/** Runs the migration again: its functions and its table disappear with their session and transaction. */
const migrate = async (tx: Tx, statements = MIGRATION) => {
  for (const statement of statements) await tx.execute(sql.raw(statement));
};

/** Runs a test on rows that are rolled back afterwards. */
const inVain = async (work: (tx: Tx) => Promise<void>) => {
  const rolledBack = new Error('rolled back');
  await expect(
    database.db.transaction(async (tx) => {
      await work(tx);
      throw rolledBack;
    }),
  ).rejects.toBe(rolledBack);
};

const PARTS = [
  ...'ae n1#שمنک👨👩🏽🏴❤葛ᠠक्',
  ...['\u200c', '\u200d', '\ufe0f', '\ufe0e', '\u202e', '\u2066', '\u2069', '\u{e0067}', '\u{e007f}', '\u{e0100}'],
  ...['\u180b', '\u0301', '\u200b', '\t', '\n', '\u0085', '\u2028', '\u061c', '\u2800', '\u3164', '\u034f', '\u20e3'],
  ...['\u00a0', '\u3000', '\u00ad', '\u0007', '\ufeff', '\u{1d173}'],
];

test('[NAME4] the migration cleans a name as the contract does', async () => {
  const parts = fc.array(fc.constantFrom(...PARTS), { minLength: 1, maxLength: 8 });
  const names = fc.sample(parts, { seed: 15, numRuns: 20_000 }).map((some) => some.join(''));
  await inVain(async (tx) => {
    await migrate(tx, FUNCTIONS);
    const { rows } = await tx.execute<{ given: string; clean: string; hides: boolean }>(sql`
      select given, pg_temp.clean_name(given) as clean, pg_temp.hides(given) as hides
      from unnest(array(select jsonb_array_elements_text(${JSON.stringify(names)}::jsonb))) given`);
    const wrong = rows.filter(({ given, clean }) => clean !== typedName(given));
    expect(wrong).toEqual([]);
    // The migration skips the other rows: white space at the beginning could be their only fault, and it was never stored.
    const missed = rows.filter(({ given, clean, hides }) => !hides && clean !== given.trimStart().normalize('NFC'));
    expect(missed).toEqual([]);
  });
});

describe('[NAME4] what was stored before', () => {
  const EVE = 'Eve\u2069\u202ezyx';
  const [eve, ana, nobody] = [uuidV7(), uuidV7(), uuidV7()];
  const [nord, sud] = [uuidV7(), uuidV7()];
  const PERSIAN = 'می\u200cخواهم';
  const FAMILY = '👨\u200d👩\u200d👧 Feu';

  const fill = async (tx: Tx) => {
    await tx.execute(sql`insert into users (id, identifier, first_name, last_name, pseudo, phone_number, password_hash, role) values
      (${eve}, 'eve@example.org', ${EVE}, 'Roe', ${'\u200b'}, ${'\u202a+33 6 01\u202c'}, '-', 'member'),
      (${ana}, 'ana@example.org', 'Ana', ${PERSIAN}, ${FAMILY}, '', '-', 'member'),
      (${nobody}, 'no@example.org', ${'\u202e'}, ${'\u200b'}, '', '', '-', 'member')`);
    await tx.execute(sql`insert into channels (id, name, rtc_session) values
      (${nord}, ${'No\u202erd\u200b '}, 'Nord'), (${sud}, ${FAMILY}, '👨👩👧Feu')`);
    const entry = (id: string, first: string, display: string, target: string | null, channel: string | null) => sql`
      insert into activities (id, type, user_id, user_first_name, user_display_name, target_id, target_name, channel_id, channel_name, created_at)
      values (${uuidV7()}, 'channel_talk', ${id}, ${first}, ${display}, ${target === null ? null : eve}, ${target},
        ${channel === null ? null : nord}, ${channel}, now())`;
    await tx.execute(entry(eve, EVE, '\u200b', null, 'No\u202erd'));
    // Already added up, under two names that become one.
    await tx.execute(sql`delete from activity_deltas`);
    await tx.execute(sql`insert into activity_names (kind, id, name) values
      ('user', ${eve}, ${`${EVE}\n\u200b`}), ('channel', ${nord}, 'Nord'), ('channel', ${nord}, ${'No\u202erd'})`);
    await tx.execute(entry(eve, 'Eve\n\u202e', 'Eve', null, 'Nord'));
    await tx.execute(entry(ana, 'Ana', FAMILY, EVE, null));
    await tx.execute(sql`insert into activities (id, type, is_audit, details, created_at) values (${uuidV7()}, 'user_update', true,
      ${JSON.stringify({
        changes: [
          { field: 'pseudo', from: '', to: 'a\u202eb' },
          { field: 'lastName', from: PERSIAN, to: 'x' },
        ],
      })}::jsonb, now())`);
    await tx.execute(sql`insert into messages (id, channel_id, number, user_id, user_display_name, text, client_id, created_at)
      values (${uuidV7()}, ${nord}, 1, ${eve}, ${EVE}, ${'\u202eleft as it is'}, ${uuidV7()}, now())`);
    await tx.execute(sql`insert into calls (id, caller_id, caller_name, callee_id, callee_name, caller_socket, created_at)
      values (${uuidV7()}, ${eve}, ${EVE}, ${ana}, ${FAMILY}, 's', now())`);
  };

  const all = async (tx: Tx, statement: string) =>
    (await tx.execute<Record<string, unknown>>(sql.raw(statement))).rows.map((row) => Object.values(row));

  test('is cleaned wherever a name is kept, and found by it', () =>
    inVain(async (tx) => {
      await fill(tx);
      await migrate(tx);
      expect(
        await all(tx, 'select first_name, last_name, pseudo, phone_number from users order by identifier'),
      ).toEqual([
        ['Ana', PERSIAN, FAMILY, ''],
        ['Evezyx', 'Roe', '', '+33 6 01'],
        // Their names showed nothing, so the login replaces them.
        ['no@example.org', 'no@example.org', '', ''],
      ]);
      expect(await all(tx, `select search_text from users where id = '${eve}'`)).toEqual([
        ['evezyx\nroe\neve@example.org\n'],
      ]);
      expect(await all(tx, 'select name, rtc_session from channels order by name')).toEqual([
        ['Nord ', 'Nord'],
        [FAMILY, '👨👩👧Feu'],
      ]);
      expect(
        await all(
          tx,
          `select user_first_name, user_display_name, target_name, channel_name from activities where type = 'channel_talk'
          order by id`,
        ),
      ).toEqual([
        ['Evezyx', '—', null, 'Nord'],
        ['Eve ', 'Eve', null, 'Nord'],
        ['Ana', FAMILY, 'Evezyx', null],
      ]);
      expect(await all(tx, 'select kind, name from activity_names order by kind, name collate "C"')).toEqual([
        ['channel', 'Nord'],
        ['target', 'Evezyx'],
        ['user', 'Eve \nEve'],
        ['user', 'Evezyx\n—'],
      ]);
      expect(await all(tx, `select details from activities where type = 'user_update'`)).toEqual([
        [
          {
            changes: [
              { field: 'pseudo', from: '', to: 'ab' },
              { field: 'lastName', from: PERSIAN, to: 'x' },
            ],
          },
        ],
      ]);
      expect(await all(tx, 'select user_display_name, text from messages')).toEqual([
        ['Evezyx', '\u202eleft as it is'],
      ]);
      expect(await all(tx, 'select caller_name, callee_name from calls')).toEqual([['Evezyx', FAMILY]]);
    }));

  test('that is clean already stays as it is', () =>
    inVain(async (tx) => {
      await fill(tx);
      await migrate(tx);
      const tables = ['users', 'channels', 'activities', 'activity_names', 'activity_deltas', 'messages', 'calls'];
      const read = async () => {
        const rows: unknown[] = [];
        for (const table of tables) rows.push(await all(tx, `select one::text from ${table} one order by 1`));
        return rows;
      };
      const before = await read();
      await tx.execute(sql`drop table to_clean`);
      for (const name of ['hides', 'clean_once', 'clean_name', 'clean_kept']) {
        await tx.execute(sql.raw(`drop function pg_temp.${name}(text)`));
      }
      await tx.execute(sql`drop function pg_temp.clean_key(text, text)`);
      await migrate(tx);
      expect(await read()).toEqual(before);
    }));
});
