import { AsyncLocalStorage } from 'node:async_hooks';
import * as z from 'zod';
import { uuidV7 } from '#src/shared/ids.ts';

/** The id that a proxy or a client may give its request. It is written into logs, so it is short and has no special characters. */
export const requestId = z.string().regex(/^[\w-]{8,64}$/u);

/** The request that the current work belongs to. One store serves the whole process, so that all log lines can name it. */
const requests = new AsyncLocalStorage<string>();

/** The id of a request: the one that came with it, if it is well-formed, else a new one. */
export const requestIdFrom = (given: unknown): string => requestId.safeParse(given).data ?? uuidV7();

export const currentRequest = (): string | undefined => requests.getStore();

/** Runs work, and everything that follows from it, for a request of any process; undefined: for none. */
export const forRequest = <T>(id: string | undefined, work: () => T): T =>
  id === undefined ? requests.exit(work) : requests.run(id, work);
