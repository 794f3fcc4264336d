import { AsyncLocalStorage } from 'node:async_hooks';
import * as z from 'zod';
import { uuidV7 } from './ids.ts';

/** What a proxy or a client may call its request: it is written into logs, so it is short and has no sign that means anything there. */
export const requestId = z.string().regex(/^[\w-]{8,64}$/u);

/** Which request the work under way is for. There is one for the process, as there is one log: every line says it, whoever writes it. */
const requests = new AsyncLocalStorage<string>();

/** The id of a request: the one that came with it, if it may be written down, else a new one. */
export const requestIdFrom = (given: unknown): string => requestId.safeParse(given).data ?? uuidV7();

export const currentRequest = (): string | undefined => requests.getStore();

/** Does work for a request, of this process or of another one, and all that follows from it; undefined: for none. */
export const forRequest = <T>(id: string | undefined, work: () => T): T =>
  id === undefined ? requests.exit(work) : requests.run(id, work);
