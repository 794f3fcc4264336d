import { getUsersInChannel } from '@pressel/contract/channels';
import { searchMessages } from '@pressel/contract/chat';
import { sql } from 'drizzle-orm';
import { expect } from 'vitest';
import { messages } from '#src/db/schema/messages.ts';
import { alone } from '#test/alone.ts';
import { buildTestApp, type Person } from '#test/build-test-app.ts';
import { makeTeam } from '#test/factories.ts';
import { waitUntil } from '#test/wait-until.ts';

/** Never asked within a transaction, which sees one picture of the others until its end. */
const WAITING = sql`(select 1 from pg_stat_activity where wait_event_type = 'Lock'
  and datname = current_database()) as waiting`;

alone('each process lets two search at once').test(
  'CHAT6: searches that take long hold up nobody else: two at once, fifty in turn, then a time to wait',
  async () => {
    const t = await buildTestApp();
    const team = await makeTeam(t);
    const search = (person: Person) => t.call(searchMessages, { channelId: team.nord, text: 'x' }, person.token);
    const searches: ReturnType<typeof search>[] = [];
    await t.database.db.transaction(async (tx) => {
      await tx.execute(sql`lock table ${messages} in access exclusive mode`);
      for (let round = 0; round < 26; round += 1) searches.push(search(team.ana), search(team.bo));
      searches.push(search(team.admin), search(team.admin));
      const refused: Awaited<ReturnType<typeof search>>[] = [];
      for (const one of searches) void one.then((reply) => refused.push(reply));
      // Two search, and fifty wait; the network decides which two come too late.
      await waitUntil(async () => refused.length === 2 && (await t.database.db.$count(WAITING)) === 2);
      expect(refused.map(({ status, body }) => [status, body.code, body.params])).toEqual(
        refused.map(() => [503, 'unavailable', { retryAfterSeconds: 2 }]),
      );
      for (let round = 26; round < 30; round += 1) await search(team.ana);
      const { status, body } = await search(team.ana);
      expect([status, body.code, body.params?.retryAfterSeconds]).toEqual([429, 'too_many', expect.any(Number)]);
      // Every other connection is free.
      const reads = Array.from({ length: 20 }, () =>
        t.call(getUsersInChannel, { channelId: team.nord }, team.out.token).then((reply) => reply.status),
      );
      expect(new Set(await Promise.all(reads))).toEqual(new Set([403]));
      expect(await t.database.db.$count(WAITING)).toBe(2);
    });
    const statuses = (await Promise.all(searches)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(52);
    await t.close();
  },
);
