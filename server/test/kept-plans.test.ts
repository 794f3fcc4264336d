import { randomUUID } from 'node:crypto';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Db } from '#src/db/connect.ts';
import { recordWithin } from '#src/features/activities/activities.repository.ts';
import { findForMembers } from '#src/features/channels/channels.repository.ts';
import { createRoomStatements, listOccupantsOfEach } from '#src/features/presence/presence.repository.ts';
import { readStatusRows } from '#src/features/presence/status-news.repository.ts';
import { lookBeyond } from '#src/processes/outbox.ts';
import { buildTestApp, type TestApp } from './build-test-app.ts';
import { makeTeam, type Team } from './factories.ts';

/** PostgreSQL makes plans for the first five values. Then it compares their cost with that of one plan for all values. */
const TIMES = 8;
const PLANNED_FIRST = 5;
/** A part of each statement that no other one has. */
const KINDS = [
  'pg_current_snapshot',
  'from "user_sockets" left join',
  'from enter_room(',
  'asked.at',
  'from outbox where',
];

let t: TestApp;
let team: Team;
beforeAll(async () => {
  t = await buildTestApp();
  team = await makeTeam(t);
});
afterAll(() => t.close());

test('[PROC109] statements of entrances and of news about them are planned once for all values', async () => {
  const rooms = createRoomStatements(recordWithin);
  const plans = await t.database.db.transaction(async (tx) => {
    const { rows: servers } = await tx.execute<{ id: string }>(sql`select id from servers`);
    const row = {
      ...{ userId: team.ana.id, guestId: null, sessionId: randomUUID(), serverId: servers[0]?.id ?? '' },
      ...{ channelId: team.nord, joinedAt: new Date(), video: null, talkMs: null, isSilent: false },
    };
    for (let time = 0; time < TIMES; time += 1) {
      const moved = { userIds: [team.ana.id], everywhere: [team.ana.id], rooms: [team.nord] };
      await readStatusRows(tx as unknown as Db, moved);
      await listOccupantsOfEach(tx, [team.nord]);
      await rooms.enter(tx, { ...row, socketId: `s${time}` }, []);
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
