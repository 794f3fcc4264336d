import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Db } from '#src/db/connect.ts';
import { findForMembers } from '#src/features/channels/channels.repository.ts';
import { listOccupants } from '#src/features/presence/presence.repository.ts';
import { readStatusRows } from '#src/features/presence/status-news.repository.ts';
import { lookBeyond } from '#src/processes/outbox.ts';
import { buildTestApp, type TestApp } from './build-test-app.ts';
import { makeTeam, type Team } from './factories.ts';

/** PostgreSQL makes plans for the first five values. Then it compares their cost with that of one plan for all values. */
const TIMES = 8;
const PLANNED_FIRST = 5;
/** A part of each statement that no other one has. */
const KINDS = ['pg_current_snapshot', '"user_sockets"."video"', 'asked.at', 'from outbox where'];

let t: TestApp;
let team: Team;
beforeAll(async () => {
  t = await buildTestApp();
  team = await makeTeam(t);
});
afterAll(() => t.close());

test('[PROC109] statements of entrances and of news about them are planned once for all values', async () => {
  const plans = await t.database.db.transaction(async (tx) => {
    for (let time = 0; time < TIMES; time += 1) {
      const moved = { userIds: [team.ana.id], everywhere: [team.ana.id], rooms: [team.nord] };
      await readStatusRows(tx as unknown as Db, moved);
      await listOccupants(tx, team.nord);
      await lookBeyond(tx, { id: time });
      await findForMembers(tx, [{ id: team.nord, userId: team.ana.id }]);
    }
    // The plans that this connection made for the values of one run.
    const { rows } = await tx.execute<{ kind: string; made: number }>(
      sql`select kind, custom_plans::int as made
        from unnest(${sql.param(KINDS)}::text[]) with ordinality as kinds (kind, at)
        join pg_prepared_statements on position(kind in statement) > 0 and custom_plans + generic_plans >= ${TIMES}
        order by at`,
    );
    return rows;
  });
  expect(plans).toEqual(KINDS.map((kind) => ({ kind, made: PLANNED_FIRST })));
});
