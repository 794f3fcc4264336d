import type { ChannelId } from '@pressel/contract/ids';
import type { FloorRow, FloorRows, Moment } from '#src/features/voice/floor-rows.ts';
import { SKEW_MS } from '#src/features/voice/floor-rows.ts';
import { nextDeadline } from '#src/features/voice/floor-state.ts';
import type { Random } from './random.ts';

/** How long a statement takes each way, usually and now and then, ms. */
const USUAL_MS = 5;
const SLOW_MS = 700;

/**
 * Test harness: the floors' tables in memory, as several processes see them. Statements take a while, sometimes fail, and are lost
 * with their process. Call it with fake timers. `floor-rows.test.ts` checks that it behaves like PostgreSQL.
 */
export function createFakeDatabase(random: Random, now: () => number) {
  const rows = new Map<ChannelId, FloorRow>();
  const locks = new Map<ChannelId, Promise<unknown>>();
  let epoch: number | null = null;
  let isUp = true;
  /** Changes with each stop, which ends all connections. */
  let life = 1;
  let aheadMs = 0;
  let failures = 0;
  const clock = () => Math.round(now() + aheadMs);
  const moment = (): Moment => ({ now: clock(), epoch });

  const down = () => {
    isUp = false;
    life += 1;
    locks.clear();
  };

  /** @param isDead whether the calling process is dead */
  const connect = (isDead: () => boolean): FloorRows => {
    const pause = async () => {
      await sleep(random.below(random.chance(0.01) ? SLOW_MS : USUAL_MS));
      if (isDead()) await new Promise(() => undefined);
    };
    async function statement<T>(work: () => T | Promise<T>): Promise<T> {
      const mine = life;
      const requireLink = () => {
        if (!isUp || life !== mine || random.chance(failures)) throw new Error('Connection terminated');
      };
      await pause();
      requireLink();
      const outcome = await work();
      await pause();
      requireLink();
      return structuredClone(outcome);
    }
    const list = (fits: (row: FloorRow, id: ChannelId) => boolean) =>
      statement(() => ({ ...moment(), rows: new Map([...rows].filter(([id, row]) => fits(row, id))) }));
    /** Waits for the row's lock, and holds it until the work is done. */
    const locked = async <T>(channelId: ChannelId, work: () => T | Promise<T>): Promise<T> => {
      const before = locks.get(channelId);
      const { promise, resolve } = Promise.withResolvers<void>();
      locks.set(channelId, promise);
      try {
        await before;
        return await work();
      } finally {
        if (locks.get(channelId) === promise) locks.delete(channelId);
        resolve();
      }
    };

    return {
      swap: (channelId, revision, next) =>
        statement(() => {
          const before = rows.get(channelId) ?? null;
          const isNow = Math.abs(clock() - next.at) <= SKEW_MS;
          const isStored = before?.revision === revision && isNow && !locks.has(channelId);
          if (isStored) rows.set(channelId, structuredClone(next));
          return { ...moment(), isStored, row: isStored ? null : before };
        }),
      change: (channelId, work) =>
        statement(async () => {
          const mine = life;
          await locked(channelId, async () => {
            await sleep(random.below(USUAL_MS));
            if (isDead() || life !== mine) return;
            epoch ??= clock();
            const next = work(structuredClone(rows.get(channelId) ?? null), { now: clock(), epoch });
            await sleep(random.below(USUAL_MS));
            if (next !== null && !isDead() && life === mine) rows.set(channelId, structuredClone(next));
          });
        }),
      read: (channelIds) => list((_row, id) => channelIds.includes(id)),
      listDue: (withinMs) =>
        list(({ state }) => (nextDeadline(state) ?? Number.POSITIVE_INFINITY) <= clock() + withinMs),
      listActive: (channelIds) => list(({ state }, id) => nextDeadline(state) !== null || channelIds.includes(id)),
      forget: (channelId) => statement(() => void rows.delete(channelId)),
      begin: (isNew) =>
        statement(() => {
          if (isNew) rows.clear();
          if (isNew || epoch === null) epoch = Math.max(clock(), (epoch ?? 0) + 1);
          return moment();
        }),
      close: async () => undefined,
    };
  };

  return {
    connect,
    row: (channelId: ChannelId) => rows.get(channelId) ?? null,
    /** Stops, and keeps everything. */
    stop: down,
    /** Stops, and forgets everything. */
    crash() {
      down();
      rows.clear();
      epoch = null;
    },
    start() {
      isUp = true;
    },
    setClock(ms: number) {
      aheadMs = ms;
    },
    /** Sets the share of statements that fail, before they have an effect or after it. */
    setFailures(share: number) {
      failures = share;
    },
  };
}

const sleep = (ms: number) => new Promise<void>((resolve) => void setTimeout(resolve, ms));
