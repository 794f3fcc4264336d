import { cacheOf, WHICH_BUILD, WORKER_PATH } from '#src/shared/build-cache.ts';
import { LOOK_MS, type Renewal } from '#src/shared/renewal.ts';

/** Interval at which an open page makes the browser look for a newer version, ms. */
const EVERY_MS = 30 * LOOK_MS;

/** The parts of the browser that are used here. */
interface Browser {
  /** Undefined in insecure contexts (plain http). */
  serviceWorker?: Pick<ServiceWorkerContainer, 'controller' | 'register' | 'addEventListener'>;
  locks?: Pick<LockManager, 'request'>;
}

/**
 * Registers the service worker, keeps what this page's build needs, and says when a newer one is there. Does nothing in the dev
 * server, whose page names no build, and where the browser has no workers.
 */
export async function keepWorker(
  renewal: Pick<Renewal, 'offer' | 'look'>,
  { serviceWorker: workers, locks }: Browser = navigator,
): Promise<void> {
  const build = document.querySelector<HTMLMetaElement>('meta[name=build]')?.content;
  if (build === undefined || workers === undefined) return;
  // The page holds this lock until it is closed. The worker sees the lock and keeps the files of this build.
  locks?.request(cacheOf(build), { mode: 'shared' }, () => new Promise(() => undefined)).catch(() => undefined);
  const compare = () => {
    const { port1: answer, port2: port } = new MessageChannel();
    answer.onmessage = ({ data }) => renewal.offer(data !== build);
    workers.controller?.postMessage(WHICH_BUILD, [port]);
  };
  workers.addEventListener('controllerchange', compare);
  try {
    const registration = await workers.register(WORKER_PATH);
    await registration.update();
    // A worker that is still installing takes over soon and is asked then.
    if ((registration.installing ?? registration.waiting) === null) compare();
  } catch {
    // Workers are forbidden, the disk is full, or the server is away. Everything works without a worker too.
  }
  setInterval(renewal.look, EVERY_MS);
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'visible') renewal.look();
  });
}
