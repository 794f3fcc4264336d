import { expect, test, vi } from 'vitest';
import { createRenewal, PartGone, part } from './renewal.ts';

function start({ isServerThere = async () => true } = {}) {
  let lastAt = 0;
  let now = 1_000_000;
  const reload = vi.fn<() => void>();
  const last = {
    read: () => lastAt,
    write: (at: number) => {
      lastAt = at;
    },
  };
  const pass = (ms: number) => {
    now += ms;
  };
  const create = () => createRenewal({ reload, isServerThere, last, now: () => now });
  return { reload, create, pass };
}

test('the page reloads once, not in a loop', async () => {
  const { reload, create, pass } = start();
  expect(await create().renew()).toBe(true);
  pass(10_000);
  // What runs after the reload knows nothing but what was kept.
  expect(await create().renew()).toBe(false);
  expect(reload).toHaveBeenCalledTimes(1);
  pass(600_000);
  expect(await create().renew()).toBe(true);
});

test('never while somebody holds it', async () => {
  const { reload, create } = start();
  const renewal = create();
  const letGo = renewal.hold();
  expect(await renewal.renew()).toBe(false);
  expect(reload).not.toHaveBeenCalled();
  letGo();
  expect(await renewal.renew()).toBe(true);
});

test('never without a server, and not when it is held by the time the server answers', async () => {
  const away = start({ isServerThere: async () => false });
  expect(await away.create().renew()).toBe(false);
  const answer = Promise.withResolvers<boolean>();
  const slow = start({ isServerThere: () => answer.promise });
  const renewal = slow.create();
  const renewing = renewal.renew();
  renewal.hold();
  answer.resolve(true);
  expect(await renewing).toBe(false);
  expect(slow.reload).not.toHaveBeenCalled();
});

test('what could not be loaded is told apart from other faults', async () => {
  expect(await part(async () => 1)()).toBe(1);
  const cause = new TypeError('Failed to fetch dynamically imported module');
  await expect(part(() => Promise.reject(cause))()).rejects.toThrow(PartGone);
});
