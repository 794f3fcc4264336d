import { type Query, type QueryClient, QueryObserver } from '@tanstack/react-query';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createQueryClient } from '#src/shared/queries.tsx';
import { checkRuns, type Random } from '#test/random-source.ts';
import { createQueryPatcher } from './patch-queries.ts';

type Rows = Record<string, number>;
interface Read {
  key: string;
  /** The rows that the server read, once it did. */
  seen: Rows | undefined;
  answer: PromiseWithResolvers<Rows>;
}
const PEOPLE = ['ana', 'bob', 'cem', 'dan', 'eva', 'fay', 'gil', 'hal'];
/** `all`: a list of everybody. `odd`: of those whose state is odd, so that news may change its rows. */
const LISTS = ['all', 'odd'];
const SESSIONS = 400;

/** Opens a server that stores first, tells later and in order, and answers at any time after it read. */
function openWorld(queries: QueryClient) {
  const truth: Rows = Object.fromEntries(PEOPLE.map((name) => [name, 0]));
  const untold: [string, number][] = [];
  let reads: Read[] = [];
  let asked = 0;
  const view = (key: string): Rows =>
    Object.fromEntries(Object.entries(truth).filter(([, state]) => key === 'all' || state % 2 === 1));
  const patcher = createQueryPatcher(queries);
  const shown = new Map<string, () => void>();
  const world = {
    view,
    asked: () => asked,
    change(name: string) {
      truth[name] = (truth[name] ?? 0) + 1;
      untold.push([name, truth[name]]);
    },
    tell() {
      const [name, state] = untold.shift() ?? [];
      if (name === undefined || state === undefined) return;
      patcher.patch<Rows>(
        ['list'],
        (rows) => (name in rows && rows[name] !== state ? { ...rows, [name]: state } : rows),
        ({ queryKey }: Query) => queryKey[1] === 'odd',
      );
    },
    /** Shows or hides the list. */
    toggle(key: string) {
      const hide = shown.get(key);
      shown.delete(key);
      if (hide !== undefined) return hide();
      const queryFn = ({ signal }: { signal: AbortSignal }) => {
        asked += 1;
        const read: Read = { key, seen: undefined, answer: Promise.withResolvers() };
        reads.push(read);
        signal.addEventListener('abort', () => {
          reads = reads.filter((one) => one !== read);
          read.answer.reject(signal.reason);
        });
        return read.answer.promise;
      };
      const observer = new QueryObserver(queries, { queryKey: ['list', key], queryFn });
      shown.set(
        key,
        observer.subscribe(() => undefined),
      );
    },
    look(which: number) {
      const read = reads[which % Math.max(1, reads.length)];
      if (read) read.seen ??= view(read.key);
    },
    answer(which: number, isFailed: boolean) {
      const read = reads[which % Math.max(1, reads.length)];
      if (!read) return;
      reads = reads.filter((one) => one !== read);
      if (isFailed) read.answer.reject(new Error('refused'));
      else read.answer.resolve(read.seen ?? view(read.key));
    },
    isQuiet: () => untold.length === 0 && reads.length === 0,
    close() {
      for (const hide of shown.values()) hide();
      patcher.close();
    },
  };
  return world;
}

let queries: QueryClient;
beforeEach(() => {
  vi.useFakeTimers();
  queries = createQueryClient();
});
afterEach(() => {
  queries.clear();
  vi.useRealTimers();
});

/** Runs a session of steps in any order, some in one turn; then everything is told and answered. @returns what is wrong */
async function runSession({ below }: Random, steps: Iterable<number>): Promise<string[]> {
  const world = openWorld(queries);
  const list = () => LISTS[below(LISTS.length)] ?? '';
  const acts: Record<string, [weight: number, act: () => void]> = {
    change: [3, () => world.change(PEOPLE[below(PEOPLE.length)] ?? '')],
    tell: [3, world.tell],
    look: [3, () => world.look(below(4))],
    answer: [3, () => world.answer(below(4), false)],
    fail: [1, () => world.answer(below(4), true)],
    invalidate: [1, () => void queries.invalidateQueries({ queryKey: ['list'] })],
    remove: [1, () => queries.removeQueries({ queryKey: ['list'], type: 'inactive' })],
    toggle: [1, () => world.toggle(list())],
  };
  const bag = Object.values(acts).flatMap(([weight, act]) => Array.from({ length: weight }, () => act));
  for (const key of LISTS) world.toggle(key);
  for (const _step of steps) {
    bag[below(bag.length)]?.();
    if (below(2) === 0) await vi.advanceTimersByTimeAsync(below(4) === 0 ? below(700) : 0);
  }
  const before = world.asked();
  for (let round = 0; round < 60; round += 1) {
    world.tell();
    await vi.advanceTimersByTimeAsync(below(200));
    world.answer(0, false);
    await vi.advanceTimersByTimeAsync(below(200));
  }
  const wrong: string[] = [];
  if (!world.isQuiet() || world.asked() - before > 40) wrong.push(`read ${world.asked() - before} times`);
  for (const key of LISTS) {
    const query = queries.getQueryCache().find({ queryKey: ['list', key] });
    // A list that could not be read says so, with a way to try again.
    if (!query?.isActive() || query.state.status === 'error') continue;
    const [shown, truth] = [JSON.stringify(query.state.data), JSON.stringify(world.view(key))];
    if (shown !== truth) wrong.push(`${key} shows ${shown}, not ${truth}`);
  }
  world.close();
  queries.clear();
  return wrong;
}

test('[PRES24] whatever comes in whichever order, a list shows how things are once all is quiet', async () => {
  await checkRuns({ runs: SESSIONS, steps: 30 }, async (random, steps) => {
    expect(await runSession(random, steps)).toEqual([]);
  });
}, 60_000);
