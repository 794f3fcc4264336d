import { getAllChannels, getUsersInChannel } from '@pressel/contract/channels';
import { getChannelPositions } from '@pressel/contract/positions';
import { getListUsersToExport } from '@pressel/contract/transfer';
import { getAllUsers } from '@pressel/contract/users';
import { sql } from 'drizzle-orm';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Database } from '#src/db/connect.ts';
import { PORTION } from '#src/shared/in-pieces.ts';
import { alone } from './alone.ts';
import { buildTestApp, type TestApp } from './build-test-app.ts';
import { makeTeam, type Team } from './factories.ts';
import { openStrictDatabase } from './test-database.ts';

const MORE_USERS = 1_200;

let mostRows = 0;

/** A connection of the pool that inspects its answers. */
class WatchedClient extends pg.Client {
  constructor(config?: string | pg.ClientConfig) {
    super(config);
    const query = this.query.bind(this) as (...args: unknown[]) => unknown;
    const watched = (...args: unknown[]): unknown => {
      const done = args.at(-1);
      if (typeof done !== 'function') return query(...args);
      return query(...args.slice(0, -1), (error: unknown, result?: pg.QueryResult) => {
        if (result !== undefined && result.fields.length > 2) mostRows = Math.max(mostRows, result.rows.length);
        done(error, result);
      });
    };
    this.query = watched as typeof this.query;
  }
}

alone('its database watches the statements of one process').describe('lists without a page', () => {
  let database: Database;
  let t: TestApp;
  let team: Team;
  beforeAll(async () => {
    database = await openStrictDatabase({ Client: WatchedClient as new () => pg.Client });
    t = await buildTestApp({ database });
    team = await makeTeam(t);
    await t.database.db.execute(sql`
      with added as (
        insert into users (id, identifier, first_name, last_name, password_hash, role)
        select gen_random_uuid(), 'm' || n || '@example.org', 'M' || n % 7, 'N' || n % 5, '-', 'member'
        from generate_series(1, ${MORE_USERS}) n returning id
      ), joined as (insert into channel_members (channel_id, user_id) select ${team.nord}::uuid, id from added)
      insert into last_positions (user_id, recorded_at, lat, lng, logged_at) select id, now(), 1, 2, now() from added`);
  });
  afterAll(async () => {
    await t.close();
    await database.close();
  });

  /** Runs `work`. @returns the most rows that one of its statements returned; answers with only ids or a count are left out */
  async function mostRowsOf(work: () => Promise<unknown>): Promise<number> {
    mostRows = 0;
    await work();
    return mostRows;
  }

  // The driver and Drizzle convert all rows of an answer without a pause; pauses after that don't help.
  test('[BUDGET8] are read in portions, in their order, and complete', async () => {
    const { token } = team.admin;
    const lists = {
      users: async () => {
        const { body } = await t.call(getAllUsers, {}, token);
        expect([body.res.length, body.totalRecords]).toEqual([MORE_USERS + 4, MORE_USERS + 4]);
        const paged = await t.call(getAllUsers, { start: 0, limit: 1_000 }, token);
        expect(body.res.slice(0, 1_000).map(({ id }) => id)).toEqual(paged.body.res.map(({ id }) => id));
        expect(body.res.filter(({ channels }) => channels?.[0]?.id === team.nord)).toHaveLength(MORE_USERS + 2);
      },
      channels: async () => {
        const { body } = await t.call(getAllChannels, {}, token);
        expect(body.res.map(({ name, users = [] }) => [name, users.length])).toEqual([
          ['Nord', MORE_USERS + 2],
          ['Sud', 1],
        ]);
      },
      members: async () => {
        const { body } = await t.call(getUsersInChannel, { channelId: team.nord }, token);
        expect([body.res.length, body.totalRecords]).toEqual([MORE_USERS + 2, MORE_USERS + 2]);
        const paged = await t.call(getUsersInChannel, { channelId: team.nord, start: 700, limit: 100 }, token);
        expect(body.res.slice(700, 800).map(({ id }) => id)).toEqual(paged.body.res.map(({ id }) => id));
      },
      positions: async () => {
        const { body } = await t.call(getChannelPositions, { channelId: team.nord }, token);
        const ids = body.res.map(({ userId }) => userId);
        expect(ids).toHaveLength(MORE_USERS);
        expect(ids).toEqual([...new Set(ids)].sort());
      },
      export: async () => {
        const { body } = await t.call(getListUsersToExport, {}, token);
        expect(body.res).toHaveLength(MORE_USERS + 4);
        expect(body.res.map(({ lastName }) => lastName)).toEqual(
          body.res.map(({ lastName }) => lastName).toSorted((a, b) => a.localeCompare(b, 'en')),
        );
        expect(body.res.filter(({ canal }) => canal === 'Nord')).toHaveLength(MORE_USERS + 2);
      },
    };
    for (const [name, list] of Object.entries(lists)) {
      expect([name, await mostRowsOf(list)]).toEqual([
        name,
        expect.toSatisfy((rows: number) => rows > 0 && rows <= PORTION),
      ]);
    }
  });
});
