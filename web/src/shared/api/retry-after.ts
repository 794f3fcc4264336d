import { createListeners } from '../listeners.ts';
import type { SnapshotSource } from '../use-snapshot.ts';
import { ApiError, errorCodeOf } from './api-error.ts';

/** A longer wait is an error that the user reads: they may want to do something else meanwhile. In ms. */
const WAIT_MAX_MS = 5_000;
/** Added at random, so that clients refused at the same moment don't all come back at once. In ms. */
const JITTER_MS = 1_000;
const RETRIES = 3;

/** Returns the wait that the server asked for before the call is made again, ms; 0 when it didn't. */
export const retryAfterMs = (error: unknown): number =>
  error instanceof ApiError ? (error.params.retryAfterSeconds ?? 0) * 1_000 : 0;

/** Makes calls again that the server refused for now. Its snapshot says whether any of them waits at this moment. */
export interface Patience extends SnapshotSource<boolean> {
  /**
   * Makes an attempt. Repeats it a few times if the server refused it as `too_many` and asked for a short wait. A
   * refused call changed nothing on the server, so a call that writes may be repeated too.
   * @param signal ends the wait: rejects with its reason
   */
  whenAllowed<T>(attempt: () => Promise<T>, signal?: AbortSignal): Promise<T>;
}

export function createPatience(): Patience {
  const listeners = createListeners();
  let waiting = 0;
  const wait = async (ms: number, signal: AbortSignal | undefined): Promise<void> => {
    waiting += 1;
    if (waiting === 1) listeners.notify();
    try {
      await pause(ms, signal);
    } finally {
      waiting -= 1;
      if (waiting === 0) listeners.notify();
    }
  };
  return {
    getSnapshot: () => waiting > 0,
    subscribe: listeners.add,
    async whenAllowed(attempt, signal) {
      for (let retries = RETRIES; ; retries -= 1) {
        try {
          return await attempt();
        } catch (error) {
          const waitMs = retryAfterMs(error);
          const isWorthIt = errorCodeOf(error) === 'too_many' && waitMs > 0 && waitMs <= WAIT_MAX_MS;
          if (retries === 0 || !isWorthIt) throw error;
          await wait(waitMs + Math.random() * JITTER_MS, signal);
        }
      }
    },
  };
}

function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const cancel = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', cancel);
      resolve();
    }, ms);
    if (signal?.aborted) cancel();
    else signal?.addEventListener('abort', cancel, { once: true });
  });
}
