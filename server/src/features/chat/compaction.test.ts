import { getMessageReaders, markMessagesRead, sendMessage } from '@pressel/contract/chat';
import { asc, sql } from 'drizzle-orm';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { messageReads, messages } from '#src/db/schema/messages.ts';
import { buildTestApp, type Person, type TestApp } from '#test/build-test-app.ts';
import { makeTeam, type Team } from '#test/factories.ts';
import { compactReads, type RangeKey } from './message-upkeep.repository.ts';
import { createMessageUpkeep } from './message-upkeep.ts';

const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const LIVE_MS = 10_000;

describe('what was read is compacted', () => {
  let time: Date;
  let t: TestApp;
  let team: Team;
  beforeEach(async () => {
    time = new Date('2026-11-22T10:00:00.000Z');
    t = await buildTestApp({ now: () => time });
    team = await makeTeam(t);
  });
  afterEach(() => t.close());

  const later = (ms: number) => {
    time = new Date(time.getTime() + ms);
  };
  const send = async (person: Person) =>
    (await t.call(sendMessage, { channelId: team.nord, message: 'x' }, person.token)).body.message;
  const mark = (person: Person, from: number, to = from) =>
    t.call(markMessagesRead, { channelId: team.nord, from, to }, person.token);
  const ranges = async () => {
    const rows = await t.database.db.select().from(messageReads).orderBy(messageReads.userId, asc(messageReads.first));
    return rows.map(({ first, last }) => `${first}-${last}`);
  };
  /** Compacts this much later, when the sessions would have ended. */
  const compact = (laterMs: number, goesOn = async () => true) =>
    createMessageUpkeep({
      ...{ db: t.database.db, retentionDays: null, dropFiles: async () => undefined },
      now: () => new Date(time.getTime() + laterMs),
    }).compactReads(goesOn);
  /** The time at which each message was read, by its number and reader, ms. */
  const answers = async () => {
    const sent = await t.database.db.select().from(messages).orderBy(asc(messages.number));
    const found = new Map<string, { readAt: number; sentAt: number }>();
    for (const { id, number, createdAt } of sent) {
      const { body } = await t.call(getMessageReaders, { msgId: id as never }, team.admin.token);
      const times = body.res.map(({ readAt }) => Date.parse(readAt));
      expect(times, 'in the order of time').toEqual(times.toSorted((a, b) => a - b));
      for (const { userId, readAt } of body.res) {
        found.set(`${number} ${userId}`, { readAt: Date.parse(readAt), sentAt: createdAt.getTime() });
      }
    }
    return found;
  };

  test('[HIST20] a day later, messages that were read as they came are one entry', async () => {
    for (let count = 1; count <= 5; count += 1) {
      await send(team.bo);
      later(2 * SECOND_MS);
      await mark(team.ana, count);
      later(5 * MINUTE_MS);
    }
    // A message that was read later keeps its own time, and what comes after it begins anew.
    await send(team.bo);
    later(5 * MINUTE_MS);
    await mark(team.ana, 6);
    later(5 * MINUTE_MS);
    await send(team.bo);
    later(2 * SECOND_MS);
    await mark(team.ana, 7);
    const before = await answers();
    expect(await ranges()).toEqual(['1-1', '2-2', '3-3', '4-4', '5-5', '6-6', '7-7']);
    await compact(DAY_MS - MINUTE_MS);
    // Ranges younger than a day stay as they are.
    expect(await ranges()).toEqual(['1-5', '6-6', '7-7']);
    await compact(2 * DAY_MS);
    expect(await ranges()).toEqual(['1-5', '6-7']);
    const after = await answers();
    expect([...after.keys()]).toEqual([...before.keys()]);
    for (const [key, { readAt, sentAt }] of after) {
      const was = before.get(key)?.readAt ?? Number.NaN;
      expect(was - readAt).toBeGreaterThanOrEqual(0);
      expect(was - readAt).toBeLessThan(LIVE_MS);
      expect(readAt).toBeGreaterThanOrEqual(sentAt);
    }
  });

  test('[HIST20] who reads on upwards keeps the times of both', async () => {
    for (let count = 0; count < 4; count += 1) await send(team.bo);
    later(SECOND_MS);
    await mark(team.ana, 3, 4);
    later(30 * MINUTE_MS);
    await mark(team.ana, 1, 2);
    const before = await answers();
    await compact(3 * DAY_MS);
    expect(await ranges()).toEqual(['1-2', '3-4']);
    expect(await answers()).toEqual(before);
  });

  test('[HIST20] whatever was read in whatever order: no answer changes but for those seconds', async () => {
    const readers = [team.ana, team.admin, team.bo];
    let seed = 20_261_122;
    const random = (below: number) => {
      seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
      return seed % below;
    };
    let newest = 0;
    for (let step = 0; step < 120; step += 1) {
      if (newest < 3 || random(3) > 0) {
        await send(random(2) === 0 ? team.bo : team.ana);
        newest += 1;
      }
      later([SECOND_MS, 4 * SECOND_MS, 30 * SECOND_MS, 3 * MINUTE_MS][random(4)] ?? 0);
      const reader = readers[random(3)] ?? team.ana;
      const from = Math.max(1, newest - random(random(4) === 0 ? 12 : 2));
      await mark(reader, from, Math.min(newest, from + random(3)));
    }
    const before = await answers();
    const rows = await ranges();
    // Compacts in the smallest parts, which divide every run.
    const readBefore = new Date(time.getTime() + DAY_MS);
    let from: RangeKey | null = null;
    do {
      from = await compactReads(t.database.db, { from, readBefore, liveMs: LIVE_MS, limit: 2 });
    } while (from !== null);
    const compacted = await ranges();
    expect(compacted.length).toBeLessThan(rows.length);
    const after = await answers();
    expect([...after.keys()].toSorted()).toEqual([...before.keys()].toSorted());
    for (const [key, { readAt, sentAt }] of after) {
      const was = before.get(key)?.readAt ?? Number.NaN;
      expect(was - readAt).toBeGreaterThanOrEqual(0);
      expect(was - readAt).toBeLessThan(LIVE_MS);
      expect(readAt).toBeGreaterThanOrEqual(sentAt);
    }
    // Larger parts find nothing left to do.
    await compact(2 * DAY_MS);
    expect(await ranges()).toEqual(compacted);
  });

  test('[HIST20] it works in parts of bounded size, and ends when it is told to', async () => {
    await send(team.bo);
    const { db } = t.database;
    await db.execute(sql`insert into ${messages} (id, channel_id, number, user_id, user_display_name, text, client_id, created_at)
      select gen_random_uuid(), ${team.nord}, n, ${team.bo.id}, 'Bo', 'x', gen_random_uuid(), now() - interval '9 days' + n * interval '1 s'
      from generate_series(2, 12000) n`);
    await db.execute(sql`insert into ${messageReads} (channel_id, user_id, first_number, last_number, read_at)
      select channel_id, ${team.ana.id}, number, number, created_at from ${messages} where number > 1`);
    time = new Date();
    let parts = 0;
    await compact(0, async () => {
      parts += 1;
      return parts < 3;
    });
    expect(await ranges()).toHaveLength(12_000 - 1 - 2 * 4_999);
    await compact(0);
    expect(await ranges()).toEqual(['2-12000']);
  });

  test('[HIST20] what is marked meanwhile is neither lost nor doubled', async () => {
    for (let count = 1; count <= 30; count += 1) {
      await send(team.bo);
      if (count % 2 === 1) await mark(team.ana, count);
      later(2 * MINUTE_MS);
    }
    const marking = Array.from({ length: 30 }, (_, index) => mark(team.ana, 30 - index));
    const compacting = Array.from({ length: 5 }, () => compact(2 * DAY_MS));
    await Promise.all([...marking, ...compacting]);
    const numbers = (await ranges()).flatMap((range) => {
      const [first = 0, last = 0] = range.split('-').map(Number);
      return Array.from({ length: last - first + 1 }, (_, index) => first + index);
    });
    expect(numbers).toEqual(Array.from({ length: 30 }, (_, index) => index + 1));
  });
});
