import { asc, sql } from 'drizzle-orm';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { activities } from '#src/db/schema/activities.ts';
import type { LoggedAct } from '#src/history/change.ts';
import { createLog } from '#src/logs/log.ts';
import type { Relay } from '#src/processes/relay.ts';
import { openTestDatabase } from '#test/test-database.ts';
import { recordActivities } from './activities.repository.ts';
import { createSettle, createTalkLog, type TalkLog, WAITING_MAX } from './talk-log.ts';

describe('making all processes store what waits', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  type Heard = (message: unknown) => void;

  /** Processes that hear each other at once. */
  function createProcesses(count: number, there = count) {
    const ids = Array.from({ length: there }, (_, of) => `process ${of}`);
    let isLinked = true;
    const heard: { topic: string; of: number; follow: Heard }[] = [];
    const processes = Array.from({ length: count }, (_, of) => {
      const flushes: PromiseWithResolvers<void>[] = [];
      const relay: Pick<Relay, 'send' | 'on' | 'isLinked'> = {
        isLinked: () => isLinked,
        on: (topic, schema, follow) =>
          void heard.push({ topic, of, follow: (message) => follow(schema.parse(message), null) }),
        send(topic, message) {
          for (const one of heard) if (one.topic === topic && one.of !== of) one.follow(message);
        },
      };
      const flush = () => {
        const one = Promise.withResolvers<void>();
        flushes.push(one);
        return one.promise;
      };
      const processId = `process ${of}`;
      const listOthers = async () => ids.filter((id) => id !== processId);
      return { flushes, settle: createSettle({ processId, flush, relay, listOthers }) };
    });
    const cutOff = () => {
      isLinked = false;
    };
    return [processes, cutOff] as const;
  }

  /** Whether the work is over once everything that can go on went on. */
  async function isOver(work: Promise<void>): Promise<boolean> {
    let over = false;
    void work.then(() => {
      over = true;
    });
    await vi.advanceTimersByTimeAsync(0);
    return over;
  }

  test('[LOG22] a cursor is named when every process has stored what waited there', async () => {
    const [[one, two, three]] = createProcesses(3);
    const settling = one?.settle.everywhere() as Promise<void>;
    expect(await isOver(settling)).toBe(false);
    one?.flushes[0]?.resolve();
    two?.flushes[0]?.resolve();
    expect(await isOver(settling)).toBe(false);
    // Its database is away for a moment: its entries are not stored, and nobody should wait for that.
    three?.flushes[0]?.reject(new Error('away'));
    expect(await isOver(settling)).toBe(true);
  });

  test('[LOG22] a process that died is not waited for longer than a living one may take', async () => {
    const [[one, two]] = createProcesses(2, 3);
    const settling = one?.settle.everywhere() as Promise<void>;
    await vi.advanceTimersByTimeAsync(0);
    one?.flushes[0]?.resolve();
    two?.flushes[0]?.resolve();
    await vi.advanceTimersByTimeAsync(600);
    expect(await isOver(settling)).toBe(false);
    await vi.advanceTimersByTimeAsync(100);
    expect(await isOver(settling)).toBe(true);
  });

  test('[LOG22] without other processes the own entries are enough', async () => {
    const [[one]] = createProcesses(1);
    const settling = one?.settle.everywhere() as Promise<void>;
    await vi.advanceTimersByTimeAsync(0);
    one?.flushes[0]?.resolve();
    expect(await isOver(settling)).toBe(true);
  });

  describe('[PROC70] whoever reads what happened last', () => {
    test('waits until every process has stored what waited there', async () => {
      const [[one, two]] = createProcesses(2);
      const settling = one?.settle.soon() as Promise<void>;
      one?.flushes[0]?.resolve();
      expect(await isOver(settling)).toBe(false);
      two?.flushes[0]?.resolve();
      expect(await isOver(settling)).toBe(true);
    });

    test('waits once for a process that died, and again for one that answers late', async () => {
      const [[one, two]] = createProcesses(2, 3);
      const first = one?.settle.soon() as Promise<void>;
      await vi.advanceTimersByTimeAsync(0);
      one?.flushes[0]?.resolve();
      await vi.advanceTimersByTimeAsync(699);
      expect(await isOver(first)).toBe(false);
      await vi.advanceTimersByTimeAsync(1);
      expect(await isOver(first)).toBe(true);
      const second = one?.settle.soon() as Promise<void>;
      one?.flushes[1]?.resolve();
      expect(await isOver(second), 'nobody else ever answers').toBe(true);
      two?.flushes[0]?.resolve();
      await vi.advanceTimersByTimeAsync(0);
      const third = one?.settle.soon() as Promise<void>;
      one?.flushes[2]?.resolve();
      expect(await isOver(third)).toBe(false);
      two?.flushes[2]?.resolve();
      expect(await isOver(third)).toBe(true);
    });

    test('waits for nobody while Redis is away', async () => {
      const [[one], cutOff] = createProcesses(2);
      cutOff();
      const settling = one?.settle.soon() as Promise<void>;
      one?.flushes[0]?.resolve();
      expect(await isOver(settling)).toBe(true);
    });

    test('asks once for all who ask while it is asked', async () => {
      const [[one, two]] = createProcesses(2);
      const first = one?.settle.soon();
      const others = Array.from({ length: 5 }, () => one?.settle.soon() as Promise<void>);
      for (const round of [0, 1]) {
        await vi.advanceTimersByTimeAsync(0);
        for (const process of [one, two]) process?.flushes[round]?.resolve();
      }
      await Promise.all([first, ...others]);
      expect([one?.flushes.length, two?.flushes.length]).toEqual([2, 2]);
    });
  });

  /** The errors of PostgreSQL when it is stopped, and when a value is wrong. */
});

const away = () => Object.assign(new Error('terminating connection'), { code: '57P01' });
const wrong = () => Object.assign(new Error('invalid text'), { code: '22021' });

const talk = (name: string): LoggedAct => ({
  type: 'channel_talk',
  user: { id: '01900000-0000-7000-8000-000000000001', firstName: name, displayName: name, address: null },
  channel: { id: '01900000-0000-7000-9000-000000000001', name: 'Nord' },
  at: new Date('2026-11-22T10:00:00.000Z'),
});
const talks = (count: number) => Array.from({ length: count }, (_, index) => talk(`${index}`));
const nameOf = ({ user }: LoggedAct) => user?.firstName ?? '';

describe('the log of talks', () => {
  let lines: Record<string, unknown>[];
  let stored: string[];
  /** Returns the error that refuses a statement, or null. */
  let refuse: (entries: readonly LoggedAct[]) => Error | null;
  let log: TalkLog;
  beforeEach(() => {
    lines = [];
    stored = [];
    refuse = () => null;
    log = createTalkLog(
      async (entries) => {
        const error = refuse(entries);
        if (error !== null) throw error;
        stored.push(...entries.map(nameOf));
      },
      createLog('debug', { write: (line: string) => lines.push(JSON.parse(line)) }),
    );
  });
  afterEach(() => log.close());
  const add = (acts: readonly LoggedAct[]) => {
    for (const act of acts) log.add(act);
  };
  const losses = () => lines.flatMap(({ msg, lost }) => (msg === 'talk_log_failed' ? [lost] : []));

  test('[LOG4] keeps its entries while the database is away, and stores them in their order afterwards', async () => {
    refuse = away;
    add([talk('a'), talk('b')]);
    await log.flush();
    add([talk('c')]);
    await log.flush();
    expect(stored).toEqual([]);
    refuse = () => null;
    await log.flush();
    expect(stored).toEqual(['a', 'b', 'c']);
    // Logged once for each time that the database is away, however often it is tried.
    expect(lines.map(({ msg }) => msg)).toEqual(['talk_log_delayed']);
  });

  test('[LOG4] tries again by itself', async () => {
    refuse = away;
    add([talk('a')]);
    await log.flush();
    refuse = () => null;
    await vi.waitUntil(() => stored.length > 0, { timeout: 30_000 });
  });

  test('[LOG4] tries again while the server stops', async () => {
    let attempts = 0;
    refuse = () => {
      attempts += 1;
      return attempts < 3 ? away() : null;
    };
    add([talk('a')]);
    await log.close();
    expect([stored, losses()]).toEqual([['a'], []]);
  });

  test('[LOG4] does not hold up the stop when the database stays away, and says what is lost', async () => {
    refuse = away;
    add([talk('a'), talk('b')]);
    await log.close();
    expect(losses()).toEqual([2]);
  });

  test('[LOG4] keeps a limited number of entries, and says how many more there were', async () => {
    refuse = away;
    add(talks(WAITING_MAX + 3));
    await log.flush();
    expect(losses()).toEqual([3]);
    refuse = () => null;
    await log.flush();
    expect(stored).toHaveLength(WAITING_MAX);
  });

  test('[LOG30] an entry that is stored by itself waits with the others while the database is away', async () => {
    await log.put(talk('a'));
    expect(stored).toEqual(['a']);
    refuse = away;
    await log.put(talk('b'));
    refuse = wrong;
    await expect(log.put(talk('bad'))).rejects.toThrow('invalid text');
    refuse = () => null;
    await log.flush();
    expect(stored).toEqual(['a', 'b']);
  });

  test('an entry that can never be stored holds up no other', async () => {
    refuse = (entries) => (entries.some((entry) => nameOf(entry) === 'bad') ? wrong() : null);
    add([talk('a'), talk('bad'), talk('b')]);
    await log.flush();
    expect([stored, losses()]).toEqual([['a', 'b'], [1]]);
  });
});

test('[LOG4] an entry is stored once, also when nobody knows whether the first attempt stored it', async () => {
  const database = await openTestDatabase();
  let isCut = true;
  const log = createTalkLog(
    async (entries) => {
      await recordActivities(database.db, entries);
      // The connection breaks after the commit.
      if (isCut) throw away();
    },
    createLog('silent', { write: () => undefined }),
  );
  log.add(talk('a'));
  log.add(talk('b'));
  await log.flush();
  isCut = false;
  await log.flush();
  await log.close();
  const rows = await database.db.select().from(activities).orderBy(asc(activities.id));
  expect(rows.map(({ userFirstName }) => userFirstName)).toEqual(['a', 'b']);
  const counted = await database.db.execute(sql`select sum(n)::int as n from activity_deltas`);
  expect(counted.rows).toEqual([{ n: 2 }]);
  await database.close();
});
