import type { ErrorCode } from '@pressel/contract/errors';

/**
 * What the server counts for its operator (OPS1). No label holds an id, a name or an address: each has a few values that the code
 * knows beforehand, so that neither people nor attackers add series (OPS3).
 */
export interface Metrics {
  /** A request was answered. `call`: its path in the contract; null: a page, a file, or an address that nothing serves. */
  requested(call: string | null, status: number, seconds: number): void;
  /** An event of the contract that a client sent was served; null: without an error. */
  heard(event: string, error: ErrorCode | null): void;
  /** A call was refused or failed. Those of events are told by `heard`. */
  failed(code: ErrorCode): void;
  /** The floor answered a request. */
  floorAnswered(answer: string, seconds: number): void;
  talked(end: string, seconds: number): void;
  /** News went to the sockets of an audience, so long after they were told: those of the process that told them, or of another one. */
  fannedOut(seconds: number, process: 'own' | 'another'): void;
  /** Has a number read at each scrape. */
  gauge(name: `pressel_${string}`, help: string, read: () => number): void;
  /** Has the length of a queue read at each scrape. */
  queue(name: string, read: () => number): void;
  /** Has the sockets counted at each scrape, by whether their clients speak the contract of this server. */
  contracts(read: () => Readonly<Record<string, number>>): void;
  /** Has the connections to the database counted at each scrape, by their state. */
  connections(read: () => Readonly<Record<string, number>>): void;
}

const ignore = (): void => undefined;

/** Counts nothing: as long as nobody asked for metrics. */
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
