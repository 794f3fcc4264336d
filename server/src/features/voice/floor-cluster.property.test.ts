import { FLOOR_LEASE_MS, FLOOR_TICK_MS, TALK_MAX_MS } from '@pressel/contract/limits';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createFakeDatabase } from '#test/fake-floor-rows.ts';
import { createFloorCluster, type Page } from '#test/floor-cluster.ts';
import { CHANNEL } from '#test/floor-harness.ts';
import { checkRuns, type Random } from '#test/random.ts';

const SEEDS = 25;
const STEPS = 80;
const NAMES = ['ana', 'bo', 'carl', 'dora', 'emil'];
/** A whole lease, and time to notice its end and tell of it on a slow day, ms. */
const SETTLED_MS = 2 * FLOOR_LEASE_MS + 2_000;

beforeEach(() => void vi.useFakeTimers({ now: 1_790_000_000_000 }));
afterEach(() => void vi.useRealTimers());

const check: (holds: boolean, message: string) => asserts holds = (holds, message) => {
  if (!holds) throw new Error(message);
};

/** Three processes, some of which are killed, on a database that stops and forgets, beside a Redis that is away now and then. */
async function createWorld(random: Random) {
  const database = createFakeDatabase(random, Date.now);
  const cluster = createFloorCluster(database, random, NAMES);
  const counts = { kills: 0, crashes: 0, stops: 0, away: 0, grants: 0, moves: 0, clocks: 0 };
  let highest = 0;
  /** The time since which more than one page believes that it has the floor, ms. */
  let bothSince: number | null = null;

  const look = () => {
    const believers = cluster.believers();
    if (believers.length < 2) bothSince = null;
    else bothSince ??= Date.now();
    const names = believers.map(({ name }) => name).join();
    check(
      bothSince === null || Date.now() - bothSince <= FLOOR_LEASE_MS,
      `${names} believe for a lease that they have the floor`,
    );
    const row = database.row(CHANNEL);
    check((row?.state.talkers.length ?? 0) <= 1, 'two have the floor');
  };
  const advance = async (ms: number) => {
    for (let left = ms; left > 0; left -= 50) {
      await vi.advanceTimersByTimeAsync(Math.min(50, left));
      cluster.tick();
      look();
    }
  };
  /** Lets the time go on until the work is done. */
  const run = async (work: Promise<unknown>) => {
    let isDone = false;
    void work.finally(() => {
      isDone = true;
    });
    while (!isDone) await advance(50);
  };
  /** Lets everything work for as long as it takes to agree again. */
  const settle = async () => {
    database.start();
    database.setFailures(0);
    cluster.setNewsAway(false);
    while (cluster.live().length < 3) await run(cluster.start());
    await advance(SETTLED_MS);
    for (const page of cluster.pages) if (page.process === null) await run(cluster.enter(page));
    await advance(SETTLED_MS);
    const row = database.row(CHANNEL);
    check(row !== null, 'the floor has a row');
    const { version, talkers, queue } = row.state;
    const talking = talkers.map(({ id }) => id);
    check(version >= highest, `[TALK24] version ${version} after ${highest}`);
    highest = version;
    const believing = cluster.believers().map(({ self }) => self);
    check(believing.join() === talking.join(), `${believing.join()} believe, ${talking.join()} has the floor`);
    check(talkers.length > 0 || queue.length === 0, '[TALK5] idle and waiting');
    for (const { name, floor } of cluster.pages) {
      check(floor?.version === version, `${name} knows version ${floor?.version} of ${version}`);
      check(
        floor.talkers.map(({ id }) => id).join() === talking.join(),
        `${name} hears of others under version ${version}`,
      );
    }
  };
  /** Whether a press on a free floor is granted, whatever was before. */
  const isUsable = async () => {
    for (const page of cluster.pages) if (page.talk !== null) cluster.release(page);
    await advance(SETTLED_MS);
    const page = random.pick(cluster.pages) as Page;
    cluster.press(page);
    await advance(1_500);
    check(page.talk !== null, `${page.name} presses on a free floor and doesn't get it`);
    counts.grants += 1;
  };

  const act = async () => {
    const page = random.pick(cluster.pages) as Page;
    const dice = random.below(100);
    if (dice < 35) cluster.press(page);
    else if (dice < 48) cluster.release(page);
    else if (dice < 53) cluster.cut(page);
    else if (dice < 63) {
      counts.moves += 1;
      await advance(random.below(60));
      void cluster.enter(page);
    } else if (dice < 66) cluster.leave(page);
    else if (dice < 70) {
      const victim = random.pick(cluster.live());
      if (victim !== undefined && cluster.live().length > 1) {
        counts.kills += 1;
        cluster.kill(victim);
      }
    } else if (dice < 74) void cluster.start();
    else if (dice < 76) {
      counts.crashes += 1;
      database.crash();
      await advance(random.below(1_000));
      database.start();
    } else if (dice < 78) {
      counts.stops += 1;
      database.stop();
      await advance(random.below(4_000));
      database.start();
    } else if (dice < 81) {
      counts.away += 1;
      cluster.setNewsAway(true);
    } else if (dice < 86) cluster.setNewsAway(false);
    else if (dice < 87) database.setFailures(random.chance(0.5) ? 0.1 : 0);
    else if (dice < 88) {
      counts.clocks += 1;
      database.setClock(-random.below(60_000));
    } else if (dice < 89) await advance(TALK_MAX_MS);
    else if (dice < 91) {
      await settle();
      await isUsable();
    } else await advance(random.below(1_500));
    await advance(random.below(2 * FLOOR_TICK_MS));
  };

  for (let started = 0; started < 3; started += 1) await run(cluster.start(started === 0));
  await run(Promise.all(cluster.pages.map((page) => cluster.enter(page))));
  await settle();
  return {
    act,
    settle,
    counts: () => ({ ...counts, ...cluster.counts, talks: cluster.talks.length }),
    close: cluster.close,
  };
}

it('[PROC22] [PROC24] [TALK24] at most one of three processes’ participants has the floor, whatever stops and is lost', {
  timeout: 120_000,
}, async () => {
  const totals: Record<string, number> = {};
  await checkRuns({ runs: SEEDS, steps: STEPS }, async (random, steps) => {
    vi.clearAllTimers();
    const world = await createWorld(random);
    for (const _step of steps) await world.act();
    await world.settle();
    await world.close();
    for (const [what, times] of Object.entries(world.counts())) totals[what] = (totals[what] ?? 0) + times;
  });
  // Otherwise the rules were not put to the test.
  for (const [what, times] of Object.entries(totals)) expect(times, what).toBeGreaterThan(8);
});
