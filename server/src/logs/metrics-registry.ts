import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from '@prometheus-io/client';
import { shareUnderWay } from '#src/shared/keyed-lock.ts';
import type { Metrics } from './metrics.ts';

/** Metrics that are collected for a reader. */
export interface KeptMetrics extends Metrics {
  readonly contentType: string;
  /** Returns all metrics in Prometheus' text format. Simultaneous callers share one reading. */
  read(): Promise<string>;
}

/** Seconds. A floor request takes about a millisecond here, and must be answered within 300 ms (TS 22.179). */
const FLOOR_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.3, 1, 3];
const FAN_OUT_BUCKETS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5];
/** Seconds. There are fewer, because each call has its own set. */
const CALL_BUCKETS = [0.01, 0.05, 0.1, 0.5, 1, 5];

/** The metrics of this process: ours, and the client's own ones about Node.js (memory, event loop, garbage collection). */
export function createMetrics(version: string): KeptMetrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  const counter = (name: string, help: string, ...labelNames: string[]) =>
    new Counter({ name: `pressel_${name}`, help, labelNames, registers });
  const histogram = (name: string, help: string, buckets: number[], ...labelNames: string[]) =>
    new Histogram({ name: `pressel_${name}`, help, buckets, labelNames, registers });
  /** A gauge that is read at each scrape. */
  const gauge = (name: string, help: string, read: (own: Gauge<string>) => void, ...labelNames: string[]) =>
    new Gauge<string>({
      ...{ name, help, labelNames, registers },
      collect() {
        read(this);
      },
    });

  gauge('pressel_info', 'The version that runs.', (own) => own.set({ version }, 1), 'version');
  const requests = counter('requests_total', 'Requests over HTTP that were answered.', 'call', 'result');
  const durations = histogram('request_seconds', 'From a request to the end of its answer.', CALL_BUCKETS, 'call');
  const events = counter('events_total', 'Events that clients sent.', 'event', 'result');
  const errors = counter('errors_total', 'Refusals and failures.', 'through', 'code');
  const answers = counter('floor_requests_total', 'Requests for the floor, by answer.', 'answer');
  const grants = histogram('floor_grant_seconds', 'From a request for the floor to its grant.', FLOOR_BUCKETS);
  const talks = counter('talks_total', 'Talks that are over, by how they ended.', 'end');
  const talkSeconds = counter('talk_seconds_total', 'How long was talked.');
  const fanOut = histogram(
    'fan_out_seconds',
    'From news to the last socket of its audience.',
    FAN_OUT_BUCKETS,
    'process',
  );
  const queues = new Map<string, () => number>();
  const readQueues = (own: Gauge<string>) => {
    for (const [queue, read] of queues) own.set({ queue }, read());
  };
  const fanOutOf = { own: fanOut.labels('own'), another: fanOut.labels('another') };
  const byLabel = (name: string, help: string, label: string, read: () => Readonly<Record<string, number>>) => {
    const set = (own: Gauge<string>) => {
      for (const [value, count] of Object.entries(read())) own.set({ [label]: value }, count);
    };
    gauge(name, help, set, label);
  };
  gauge('pressel_queue_entries', 'What waits; of imports: what is under way.', readQueues, 'queue');

  // Looked up once: the client checks labels at each look-up, which takes longer than counting.
  const requestsOf = remember((call) => ({
    ok: requests.labels(call, 'ok'),
    refused: requests.labels(call, 'refused'),
    failed: requests.labels(call, 'failed'),
    duration: durations.labels(call),
  }));
  const eventsOf = remember((event) => ({ ok: events.labels(event, 'ok'), failed: events.labels(event, 'failed') }));
  const answersOf = remember((answer) => answers.labels(answer));

  return {
    contentType: registry.contentType,
    read: shareUnderWay(() => registry.metrics()),
    requested(call, status, seconds) {
      const own = requestsOf(call ?? 'other');
      own[status < 400 ? 'ok' : status < 500 ? 'refused' : 'failed'].inc();
      own.duration.observe(seconds);
    },
    heard(event, error) {
      eventsOf(event)[error === null ? 'ok' : 'failed'].inc();
      if (error !== null) errors.inc({ through: 'socket', code: error });
    },
    failed: (code) => errors.inc({ through: 'http', code }),
    floorAnswered(answer, seconds) {
      answersOf(answer).inc();
      if (answer === 'granted') grants.observe(seconds);
    },
    talked(end, seconds) {
      talks.inc({ end });
      talkSeconds.inc(seconds);
    },
    fannedOut: (seconds, process) => fanOutOf[process].observe(seconds),
    gauge: (name, help, read) => void gauge(name, help, (own) => own.set(read())),
    queue: (name, read) => void queues.set(name, read),
    contracts: (read) => byLabel('pressel_contracts', 'Sockets, by the contract of their clients.', 'contract', read),
    connections: (read) =>
      byLabel('pressel_database_connections', 'Connections to the database, and who waits for one.', 'state', read),
  };
}

function remember<Made>(make: (key: string) => Made): (key: string) => Made {
  const made = new Map<string, Made>();
  return (key) => {
    let known = made.get(key);
    if (known === undefined) {
      known = make(key);
      made.set(key, known);
    }
    return known;
  };
}
