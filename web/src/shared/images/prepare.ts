import { canvasTools, type Preparation, pageSurface, prepareImage } from './shrink.ts';

/** Time limit, ms: the largest photo takes two seconds on a slow phone. */
const MAX_MS = 30_000;

export type PrepareImage = (file: Blob, signal: AbortSignal) => Promise<Preparation>;

export interface PreparerDeps {
  openWorker: () => Worker;
  /** Used without a worker, because a worker's code can't be loaded without a link. */
  prepareHere: (file: Blob) => Promise<Preparation>;
  maxMs?: number;
}

/** Prepares each image in a worker of its own, so that a talk isn't disturbed. Resolves when cancelled too. */
export const createPreparer =
  ({ openWorker, prepareHere, maxMs = MAX_MS }: PreparerDeps): PrepareImage =>
  async (file, signal) => {
    const worker = openWorker();
    const end = AbortSignal.any([signal, AbortSignal.timeout(maxMs)]);
    try {
      return await new Promise<Preparation>((resolve) => {
        const fail = () => resolve({ ok: false, fault: 'unreadable' });
        worker.addEventListener('message', (event: MessageEvent<Preparation>) => resolve(event.data));
        worker.addEventListener('error', () => resolve(prepareHere(file)));
        end.addEventListener('abort', fail);
        worker.postMessage(file);
      });
    } finally {
      worker.terminate();
    }
  };

const prepareHere = (file: Blob): Promise<Preparation> => prepareImage(file, canvasTools(pageSurface));

/** Uses a real worker; where workers have no canvas (Safari before 16.4), the page itself. */
export const prepareInBrowser: PrepareImage = (file, signal) =>
  typeof OffscreenCanvas === 'undefined'
    ? prepareHere(file)
    : createPreparer({
        openWorker: () => new Worker(new URL('./shrink-worker.ts', import.meta.url), { type: 'module' }),
        prepareHere,
      })(file, signal);
