import type { ErrorCode } from '@pressel/contract/errors';

/**
 * Metrics for the operator (OPS1). No label holds an id, a name or an address. Each has a few values that the code knows
 * beforehand, so neither people nor attackers can add series (OPS3).
 */
export interface Metrics {
  /** A request was answered. `call`: its path in the contract; null: a page, a file, or an unknown address. */
  requested(call: string | null, status: number, seconds: number): void;
  /** A client's event of the contract was handled; null: without an error. */
  heard(event: string, error: ErrorCode | null): void;
  /** A call was refused or failed. `heard` counts failed events. */
  failed(code: ErrorCode): void;
  /** The floor answered a request. */
  floorAnswered(answer: string, seconds: number): void;
  talked(end: string, seconds: number): void;
  /** News was sent to an audience's sockets this long after it was announced, by this process or by another one. */
  fannedOut(seconds: number, process: 'own' | 'another'): void;
  /** Registers a number that is read at each scrape. */
  gauge(name: `pressel_${string}`, help: string, read: () => number): void;
  /** Registers the length of a queue, read at each scrape. */
  queue(name: string, read: () => number): void;
  /** Registers a count of sockets, read at each scrape, by whether their clients speak this server's contract. */
  contracts(read: () => Readonly<Record<string, number>>): void;
  /** Registers a count of database connections, read at each scrape, by their state. */
  connections(read: () => Readonly<Record<string, number>>): void;
}

const ignore = (): void => undefined;

/** Counts nothing, while nobody has asked for metrics. */
export const NO_METRICS: Metrics = {
  requested: ignore,
  heard: ignore,
  failed: ignore,
  floorAnswered: ignore,
  talked: ignore,
  fannedOut: ignore,
  gauge: ignore,
  queue: ignore,
  contracts: ignore,
  connections: ignore,
};
