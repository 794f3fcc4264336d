import { afterEach, expect, test, vi } from 'vitest';
import { WHICH_BUILD } from '#src/shared/build-cache.ts';
import { keepWorker } from './keep-worker.ts';

afterEach(() => document.head.replaceChildren());

/** A browser whose worker answers with a build; null: none controls the page. */
function browserWith(controlling: string | null) {
  const container = Object.assign(new EventTarget(), {
    controller: null as ServiceWorker | null,
    register: vi.fn(async (_: string | URL) => registration as unknown as ServiceWorkerRegistration),
  });
  const registration = {
    installing: null as object | null,
    waiting: null,
    update: vi.fn(async () => undefined),
  };
  const take = (build: string) => {
    const postMessage = (data: unknown, [port]: MessagePort[]) => {
      expect(data).toBe(WHICH_BUILD);
      port?.postMessage(build);
    };
    container.controller = { postMessage } as unknown as ServiceWorker;
  };
  if (controlling !== null) take(controlling);
  const locks = { request: vi.fn(async () => undefined) };
  const browser = { serviceWorker: container, locks } as unknown as Parameters<typeof keepWorker>[1];
  const takeOver = (build: string) => {
    take(build);
    container.dispatchEvent(new Event('controllerchange'));
  };
  return { browser, container, registration, locks, takeOver };
}

function createTold() {
  const told: boolean[] = [];
  return { told, renewal: { offer: (isNewer: boolean) => void told.push(isNewer), look: vi.fn<() => void>() } };
}

const pageOf = (build: string) => {
  const meta = document.createElement('meta');
  meta.name = 'build';
  meta.content = build;
  document.head.append(meta);
};

test('[APP4] a page keeps what its build needs while it is open', async () => {
  pageOf('one');
  const { browser, locks, container } = browserWith(null);
  await keepWorker(createTold().renewal, browser);
  expect(locks.request).toHaveBeenCalledWith('pressel-one', { mode: 'shared' }, expect.any(Function));
  expect(container.register).toHaveBeenCalledWith('/sw.js');
});

test('[APP5] the first worker of a page is none that is newer, the next one is', async () => {
  pageOf('one');
  const { browser, takeOver } = browserWith(null);
  const { told, renewal } = createTold();
  await keepWorker(renewal, browser);
  expect(told).toEqual([]);
  takeOver('one');
  await expect.poll(() => told).toEqual([false]);
  takeOver('two');
  await expect.poll(() => told).toEqual([false, true]);
});

test('[APP5] a page that was kept longer than its worker hears of it at its start, one that is ahead of it does not', async () => {
  pageOf('one');
  const old = createTold();
  await keepWorker(old.renewal, browserWith('two').browser);
  await expect.poll(() => old.told).toEqual([true]);
  const { browser, registration, takeOver } = browserWith('zero');
  registration.installing = {};
  const ahead = createTold();
  await keepWorker(ahead.renewal, browser);
  takeOver('one');
  await expect.poll(() => ahead.told).toEqual([false]);
});

test('[APP9] without workers, without a build and where they are refused all goes on as before', async () => {
  const { renewal } = createTold();
  const served = browserWith(null);
  await keepWorker(renewal, served.browser);
  expect(served.container.register, 'the dev server').not.toHaveBeenCalled();
  pageOf('one');
  await keepWorker(renewal, {});
  served.container.register.mockRejectedValue(new DOMException('refused', 'SecurityError'));
  await keepWorker(renewal, served.browser);
  document.dispatchEvent(new Event('visibilitychange'));
  expect(renewal.look).toHaveBeenCalled();
});
