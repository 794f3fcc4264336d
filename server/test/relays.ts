import { randomUUID } from 'node:crypto';
import { pino } from 'pino';
import * as z from 'zod';
import { openRedis, type Redis } from '#src/processes/redis.ts';
import { createRelay, type Relay } from '#src/processes/relay.ts';
import { type RedisServer, startRedis } from './redis-server.ts';
import { waitUntil } from './wait-until.ts';

/** A relay of a test, and what it told. */
export interface TestRelay {
  readonly relay: Relay;
  readonly redis: Redis;
  readonly heard: readonly unknown[];
  /** How much was heard each time when something was missed. */
  readonly missed: readonly number[];
}

export interface TestRelays {
  readonly server: RedisServer;
  /** The messages of their log. */
  readonly logged: readonly string[];
  open(url?: string): Promise<TestRelay>;
  /** Opens a connection to Redis with the same log. */
  openRedis(): Promise<Redis>;
  /** Closes something with the relays. */
  onClose(close: () => Promise<void>): void;
  close(): Promise<void>;
}

/** Relays over a Redis of their own. */
export async function startRelays(): Promise<TestRelays> {
  const logged: string[] = [];
  const log = pino({ level: 'info' }, { write: (line) => void logged.push(JSON.parse(line).msg) });
  const server = (await startRedis()) as RedisServer;
  const closers: (() => Promise<void>)[] = [() => server.stop('SIGKILL').then(() => undefined)];
  /** The relays of this test, and the probes that they heard. */
  const opened: { relay: Relay; probes: unknown[] }[] = [];

  async function probe(from: Relay, heard: readonly unknown[]): Promise<void> {
    const id = randomUUID();
    from.send('probe', id);
    await waitUntil(() => heard.includes(id));
  }
  async function connect(url = server.url): Promise<Redis> {
    const redis = await openRedis(url, 'test', log);
    closers.push(redis.close);
    return redis;
  }

  return {
    ...{ server, logged },
    async open(url) {
      const redis = await connect(url);
      const relay = createRelay(redis, log);
      const [heard, missed, probes]: [unknown[], number[], unknown[]] = [[], [], []];
      relay.on('probe', z.unknown(), (one) => void probes.push(one));
      relay.on('a', z.unknown(), (message) => void heard.push(message));
      await relay.open(() => void missed.push(heard.length));
      closers.push(relay.close);
      // Each has then heard that the other is there, and nothing more is on its way.
      for (const other of opened) {
        await probe(relay, other.probes);
        await probe(other.relay, probes);
        await probe(relay, other.probes);
      }
      opened.push({ relay, probes });
      return { relay, redis, heard, missed };
    },
    openRedis: () => connect(),
    onClose: (close) => void closers.push(close),
    async close() {
      for (const one of closers.splice(0).toReversed()) await one();
    },
  };
}

/** Sends numbers, each as one message. */
export const count = (relay: Relay, from: number, to: number): void => {
  for (const number of numbers(from, to)) relay.send('a', number);
};
export const numbers = (from: number, to: number): number[] =>
  Array.from({ length: to - from + 1 }, (_, index) => from + index);
