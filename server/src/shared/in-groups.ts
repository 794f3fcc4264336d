import { AsyncLocalStorage } from 'node:async_hooks';

export interface GroupsOptions {
  /** Maximum of work that is under way. */
  most: number;
  /** Work that takes longer counts no more, ms: it may hang, and the others go on. */
  patienceMs: number;
}

/** `next`: before what waits in order. `at once`: it never waits, but counts, so further work begins later. */
export type Turn = 'in order' | 'next' | 'at once';

export type InGroups = <T>(work: () => Promise<T>, turn?: Turn) => Promise<T>;

/**
 * Begins work in the order in which it came. While half of `most` or more is under way, further work waits, and then begins together. So the
 * event loop is never filled by it, and what it asks the database goes in rounds (`inRounds`).
 */
export function inGroups({ most, patienceMs }: GroupsOptions): InGroups {
  const half = Math.ceil(most / 2);
  const [next, others]: [(() => void)[], (() => void)[]] = [[], []];
  let underWay = 0;

  const begin = (): void => {
    if (underWay >= half) return;
    while (underWay < most) {
      const start = next.shift() ?? others.shift();
      if (start === undefined) return;
      underWay += 1;
      start();
    }
  };
  const end = (): void => {
    underWay -= 1;
    begin();
  };

  return <T>(work: () => Promise<T>, turn: Turn = 'in order'): Promise<T> => {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    // Other work may begin it; it belongs to its own request all the same.
    const within = AsyncLocalStorage.snapshot();
    const start = (): void => {
      let isCounted = true;
      const leave = (): void => {
        if (isCounted) end();
        isCounted = false;
      };
      const timer = setTimeout(leave, patienceMs);
      const done = (): void => {
        clearTimeout(timer);
        leave();
      };
      // `work` may throw at once.
      const worked = within(async () => work());
      worked.then(resolve, reject);
      worked.then(done, done);
    };
    if (turn === 'at once') {
      underWay += 1;
      start();
    } else {
      (turn === 'next' ? next : others).push(start);
      begin();
    }
    return promise;
  };
}
