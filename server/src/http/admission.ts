import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { TOKEN_HEADER } from '@pressel/contract/call';
import { ERRORS } from '@pressel/contract/errors';
import { createFairQueue } from '#src/limits/gate.ts';
import type { Refusals } from '#src/limits/refusals.ts';
import type { Metrics } from '#src/logs/metrics.ts';
import { failureBody } from '#src/shared/app-error.ts';
import type { Budget, Payer } from './budget.ts';

/** The longest wait of a request before it is refused, ms. A client that repeats it at once is slowed to this pace. */
const PATIENCE_MS = 3_000;
/** Maximum of waiting requests, for one payer and in total. The first has room for 300 browsers with six connections each. */
const WAITING_OF_PAYER = 2_000;
const WAITING_IN_ALL = 10_000;

/** The turnstile calls one of these two once, immediately or later. */
interface Outcome {
  go(): void;
  /** `isHeld`: the request has waited as long as it may; otherwise too many wait already. */
  refuse(retryAfterSeconds: number, isHeld: boolean): void;
}

export interface Turnstile {
  /** @returns a function that takes the request out of the queue, without an outcome */
  enter(payer: Payer, outcome: Outcome): () => void;
  /** How many requests wait. */
  waiting(): number;
  close(): void;
}

export interface TurnstileDeps {
  /** Calls back in the next turn of the event loop. */
  nextTurn(callback: () => void): void;
  patienceMs?: number | undefined;
  waitingOfPayer?: number;
  waitingInAll?: number;
}

interface Waiting extends Outcome {
  payer: Payer;
  timer: NodeJS.Timeout;
}

/**
 * Lets one request in for each turn of the event loop, so that a burst of requests delays other work by one request only. Payers
 * take turns, and each needs points. If nothing waits, a request is let in at once.
 */
export function createTurnstile(deps: TurnstileDeps): Turnstile {
  const { patienceMs = PATIENCE_MS, waitingOfPayer = WAITING_OF_PAYER, waitingInAll = WAITING_IN_ALL } = deps;
  const queue = createFairQueue<Waiting>();
  let isTurnTaken = false;
  let refill: NodeJS.Timeout | undefined;

  const letIn = ({ payer, go }: Pick<Waiting, 'payer' | 'go'>): void => {
    isTurnTaken = true;
    deps.nextTurn(() => {
      isTurnTaken = false;
      letNextIn();
    });
    payer.pay(1);
    go();
  };
  const letNextIn = (): void => {
    if (isTurnTaken || queue.size === 0) return;
    let soonestMs = patienceMs;
    const next = queue.take((_key, { payer }) => {
      const waitMs = payer.waitMs();
      soonestMs = Math.min(soonestMs, waitMs);
      return waitMs === 0;
    });
    if (next !== undefined) {
      clearTimeout(next.timer);
      letIn(next);
      return;
    }
    clearTimeout(refill);
    refill = setTimeout(letNextIn, soonestMs).unref();
  };
  const retryAfterSeconds = (payer: Payer): number =>
    Math.max(1, Math.ceil(payer.waitMs(queue.sizeOf(payer.key) + 1) / 1_000));

  return {
    waiting: () => queue.size,
    enter(payer, { go, refuse }) {
      if (!isTurnTaken && queue.sizeOf(payer.key) === 0 && payer.waitMs() === 0) {
        letIn({ payer, go });
        return () => undefined;
      }
      if (queue.size >= waitingInAll || queue.sizeOf(payer.key) >= waitingOfPayer) {
        refuse(retryAfterSeconds(payer), false);
        return () => undefined;
      }
      const wait = () => setTimeout(end, patienceMs).unref();
      const end = (): void => {
        // With points it waits only because the server stalled or is slow: that isn't the payer's fault.
        if (payer.waitMs() === 0) waiting.timer = wait();
        else if (queue.remove(payer.key, waiting)) refuse(retryAfterSeconds(payer), true);
      };
      const waiting: Waiting = { payer, go, refuse, timer: wait() };
      queue.add(payer.key, waiting);
      letNextIn();
      return () => {
        clearTimeout(waiting.timer);
        queue.remove(payer.key, waiting);
      };
    },
    close() {
      clearTimeout(refill);
      for (let next = queue.take(); next !== undefined; next = queue.take()) {
        clearTimeout(next.timer);
        next.refuse(1, false);
      }
    },
  };
}

export interface AdmissionDeps {
  turnstile: Turnstile;
  budget: Budget;
  addressOf(request: IncomingMessage): string;
  /** Whether the request belongs to an open socket, which has its own allowances. */
  isOfSocket(request: IncomingMessage): boolean;
  refusals: Pick<Refusals, 'note'>;
  metrics: Pick<Metrics, 'failed'>;
}

const payers = new WeakMap<IncomingMessage, Payer>();
/** The payer of a request at the turnstile; undefined if it didn't pass one. */
export const paidBy = (request: IncomingMessage): Payer | undefined => payers.get(request);

/**
 * Puts the turnstile before everything that answers requests, including files, pages and Socket.IO's handshakes. It comes
 * before the framework, so that waiting and refused requests cost next to nothing.
 */
export function admitByTurns(server: Server, deps: AdmissionDeps): void {
  const { turnstile, budget, addressOf, isOfSocket, refusals, metrics } = deps;
  const serve = server.listeners('request') as ((request: IncomingMessage, response: ServerResponse) => void)[];
  server.removeAllListeners('request');
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const go = () => {
      for (const listener of serve) listener.call(server, request, response);
    };
    if (isOfSocket(request)) return go();
    const address = addressOf(request);
    const payer = budget.payerOf(tokenOf(request), address);
    payers.set(request, payer);
    const leave = turnstile.enter(payer, {
      go,
      refuse(retryAfterSeconds, isHeld) {
        refusals.note('request_refused', address, { code: 'too_many' });
        metrics.failed('too_many');
        refuse(response, retryAfterSeconds, isHeld);
      },
    });
    response.once('close', leave);
  });
}

/** Returns the token of a request; undefined if it has none. */
export function tokenOf({ headers }: Pick<IncomingMessage, 'headers'>): string | undefined {
  const token = headers[TOKEN_HEADER];
  return typeof token === 'string' && token !== '' ? token : undefined;
}

function refuse(response: ServerResponse, retryAfterSeconds: number, isHeld: boolean): void {
  const body = JSON.stringify(failureBody('too_many', { retryAfterSeconds }));
  response.writeHead(ERRORS.too_many.status, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    'cache-control': 'no-store',
    'retry-after': String(retryAfterSeconds),
    // A client that is refused at once has so many waiting requests that a new connection costs it little.
    ...(isHeld ? {} : { connection: 'close' }),
  });
  response.end(body);
}
