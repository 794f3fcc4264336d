import { expect, test, vi } from 'vitest';
import { ChunkGoneError, createRenewal, loadableChunk } from './renewal.ts';

function start({ isServerThere = async () => true } = {}) {
  let lastAt = 0;
  let now = 1_000_000;
  const acts: string[] = [];
  const reload = vi.fn<() => void>(() => void acts.push('reload'));
  const look = vi.fn<() => void>();
  const forgetPage = async () => void acts.push('forget');
  const last = {
    read: () => lastAt,
    write: (at: number) => {
      lastAt = at;
    },
  };
  const pass = (ms: number) => {
    now += ms;
  };
  const create = () => createRenewal({ reload, forgetPage, look, isServerThere, last, now: () => now });
  return { reload, acts, look, create, pass };
}

test('the page reloads once, not in a loop', async () => {
  const { reload, create, pass } = start();
  expect(await create().renew()).toBe(true);
  pass(10_000);
  // The page after the reload knows only what was kept.
  expect(await create().renew()).toBe(false);
  expect(reload).toHaveBeenCalledTimes(1);
  pass(600_000);
  expect(await create().renew()).toBe(true);
});

test('never while somebody holds it', async () => {
  const { reload, create } = start();
  const renewal = create();
  const letGo = renewal.blockReload();
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
  renewal.blockReload();
  answer.resolve(true);
  expect(await renewing).toBe(false);
  expect(slow.reload).not.toHaveBeenCalled();
});

test('what could not be loaded is told apart from other faults', async () => {
  expect(await loadableChunk(async () => 1)()).toBe(1);
  const cause = new TypeError('Failed to fetch dynamically imported module');
  await expect(loadableChunk(() => Promise.reject(cause))()).rejects.toThrow(ChunkGoneError);
});

test('[APP6] what reloads asks the server for the page, and what is kept is the page without a server', async () => {
  const { create, acts } = start();
  await create().renew();
  expect(acts.splice(0)).toEqual(['forget', 'reload']);
  await create().reload();
  expect(acts).toEqual(['forget', 'reload']);
  const away = start({ isServerThere: async () => false });
  await away.create().reload();
  expect(away.acts).toEqual(['reload']);
});

test('[APP7] a newer version waits for the user, and is told together with who holds the page', () => {
  const { create, reload } = start();
  const renewal = create();
  const told = vi.fn<() => void>();
  renewal.subscribe(told);
  const letGo = renewal.blockReload();
  const letGoToo = renewal.blockReload();
  renewal.offer(true);
  renewal.offer(true);
  expect(renewal.getSnapshot()).toEqual({ isNewer: true, isHeld: true, apart: 'no' });
  letGo();
  expect(renewal.getSnapshot()).toEqual({ isNewer: true, isHeld: true, apart: 'no' });
  letGoToo();
  expect(renewal.getSnapshot()).toEqual({ isNewer: true, isHeld: false, apart: 'no' });
  expect(renewal.getSnapshot()).toBe(renewal.getSnapshot());
  expect(told).toHaveBeenCalledTimes(3);
  expect(reload).not.toHaveBeenCalled();
});

test('[APP5] a newer version is looked for now and then, however often it is asked for', () => {
  const { create, look, pass } = start();
  const renewal = create();
  renewal.look();
  expect(look, 'the page itself is new').not.toHaveBeenCalled();
  pass(60_000);
  renewal.look();
  renewal.look();
  expect(look).toHaveBeenCalledTimes(1);
  pass(60_000);
  renewal.look();
  expect(look).toHaveBeenCalledTimes(2);
});

test('[APP13] worker and server each say whether something newer is there', () => {
  const renewal = start().create();
  renewal.offer(true, 'server');
  renewal.offer(false);
  expect(renewal.getSnapshot().isNewer, 'the worker has the old one still').toBe(true);
  renewal.offer(false, 'server');
  expect(renewal.getSnapshot().isNewer).toBe(false);
});

test('[APP15] [APP17] those who hold the page say what they are at, and prepare for the reload that the user wants', async () => {
  const { create, acts } = start();
  const renewal = create();
  renewal.blockReload();
  const letGo = renewal.blockReload(() => 'listening');
  expect(renewal.attention()).toEqual(['working', 'listening']);
  letGo();
  expect(renewal.attention()).toEqual(['working']);
  renewal.beforeReload(() => void acts.push('prepare'));
  await renewal.reload();
  expect(acts).toEqual(['prepare', 'forget', 'reload']);
});
