/**
 * Eight hours' worth of events in twenty minutes on two processes: 200 members in 10 channels talk, write, move, come and go, and lose
 * their links. Memory, timers, open handles, Redis keys, and connections to Redis and the database must stay flat. The heaps are read after
 * their garbage was collected, so that a leak of 30 bytes an act is seen. The whole takes about 21 minutes. Shorter:
 * `npm run bench -- soak 4` (minutes of events: the same rate, fewer events, and only larger leaks are seen; 1 kB an act is seen in one
 * minute).
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { type HostedProcesses, startHost } from '../shared/host.ts';
import { conclude, round, type Verdict } from '../shared/report.ts';
import { gatherAtScale, type Load } from '../shared/scale-crowd.ts';

const [MINUTES = 20] = process.argv.slice(2).map(Number);
const PARTS = 10;
const MEMBERS = 200;
const CHANNELS = 10;
/** How much faster than in life: eight hours in twenty minutes. */
const FASTER = 24;
const anHour = (count: number) => (count * FASTER) / 3_600;
/**
 * Events of an hour: 30 talks in each channel; each member writes 5 messages, moves 60 times, leaves and comes back 4 times, loses the link
 * twice.
 */
const LOAD: Load = {
  talks: anHour(30 * CHANNELS),
  messages: anHour(5 * MEMBERS),
  positions: anHour(60 * MEMBERS),
  moves: anHour(4 * MEMBERS),
  drops: anHour(2 * MEMBERS),
};
const LIMIT_GROWTH = 1.1;
/**
 * Both heaps together may rise by this from the second part to the last. Without a leak they differ by 1 MB, up or down, however long it
 * runs.
 */
const LIMIT_RISE_MB = 3;
/** The garbage is collected after this time, ms. */
const COLLECT_MS = 1_000;
/** The allowed difference: some come and go by themselves, such as the timer of a pause. */
const SLACK = 5;
const TOKEN = 'token-of-the-bench-soak';

interface Shared {
  redisKeys: number;
  redisConnections: number;
  databaseConnections: number;
}

const collector = pathToFileURL(join(import.meta.dirname, '../../server/test/collect-garbage.ts'));
const host = await startHost('processes-host.ts', ['2'], {
  SERVER_METRICS_TOKEN: TOKEN,
  SERVER_NODE_OPTIONS: `--expose-gc --import ${collector}`,
});
const { origins, pids } = host.ready as HostedProcesses;
const parts: Record<string, number>[] = [];
let refused = 0;
let acts = 0;
try {
  const { tokens, channelIds } = (await host.ask({ ask: 'fill', members: MEMBERS, channels: CHANNELS })) as {
    tokens: string[];
    channelIds: string[];
  };
  const crowd = await gatherAtScale({ origins, tokens, channelIds, isBare: false });
  for (let part = 0; part < PARTS; part += 1) {
    const done = await crowd.run(LOAD, (MINUTES * 60) / PARTS);
    refused = done.refused;
    acts += done.acts;
    for (const pid of pids) process.kill(pid, 'SIGUSR2');
    await sleep(COLLECT_MS);
    const shared = (await host.ask({ ask: 'count' })) as Shared;
    const own = await Promise.all(origins.map(readMetrics));
    const sum = (name: keyof (typeof own)[number]) => own.reduce((total, one) => total + one[name], 0);
    const counts = {
      ...{ residentMb: residentMb(), heapMb: round(sum('heapMb')), timers: sum('timers'), handles: sum('handles') },
      ...{ ...shared, refused, acts },
    };
    console.log(JSON.stringify(counts));
    parts.push(counts);
  }
  crowd.close();
} finally {
  await host.close();
}

/** Compares the smallest of the last third with the largest of the first: a figure that only goes up and down has not grown. */
const grown = (name: string) => {
  const values = parts.map((part) => part[name] ?? Number.NaN);
  const third = Math.ceil(values.length / 3);
  return { first: Math.max(...values.slice(0, third)), last: Math.min(...values.slice(-third)) };
};
const inTimes = (name: string): Verdict => {
  const { first, last } = grown(name);
  return {
    what: `${name} of both processes in the last third, beside the first`,
    ...{ value: last / first, limit: LIMIT_GROWTH, unit: 'times' },
  };
};
const inAll = (name: string): Verdict => {
  const { first, last } = grown(name);
  return { what: `${name} more in the last third than in the first`, value: last - first, limit: SLACK, unit: 'more' };
};
/** Bytes that an act leaves in the heaps, by the line that fits all parts but the first, in which the processes warm up. */
function keptBytesAnAct(): number {
  const points = parts.slice(1).map(({ acts: x = 0, heapMb = 0 }) => ({ x, y: heapMb * 2 ** 20 }));
  const mean = (of: 'x' | 'y') => points.reduce((sum, point) => sum + point[of], 0) / points.length;
  const [meanX, meanY] = [mean('x'), mean('y')];
  const rise = points.reduce((sum, { x, y }) => sum + (x - meanX) * (y - meanY), 0);
  return rise / points.reduce((sum, { x }) => sum + (x - meanX) ** 2, 0);
}

const kept = keptBytesAnAct();
const actsSinceWarm = acts - (parts[0]?.acts ?? 0);
conclude(
  'soak',
  {
    minutes: MINUTES,
    faster: FASTER,
    members: MEMBERS,
    channels: CHANNELS,
    load: LOAD,
    keptBytesAnAct: round(kept),
    parts,
  },
  [
    ...['residentMb', 'heapMb'].map(inTimes),
    ...['timers', 'handles', 'redisKeys', 'redisConnections', 'databaseConnections'].map(inAll),
    {
      what: 'rise of the heaps of both processes, without garbage, from the second part to the last',
      ...{ value: (kept * actsSinceWarm) / 2 ** 20, limit: LIMIT_RISE_MB, unit: 'MB' },
    },
    { what: 'acts that were refused in the last part', value: refused, limit: 0, unit: 'acts' },
  ],
);

async function readMetrics(origin: string): Promise<{ heapMb: number; timers: number; handles: number }> {
  const response = await fetch(`${origin}/metrics`, { headers: { authorization: `Bearer ${TOKEN}` } });
  const text = await response.text();
  const valuesOf = (name: RegExp) =>
    [...text.matchAll(name)].reduce((sum, [, value]) => sum + Number(value), 0) || Number.NaN;
  return {
    heapMb: valuesOf(/^nodejs_heap_size_used_bytes (\S+)/gmu) / 2 ** 20,
    timers: valuesOf(/^nodejs_active_resources\{type="Timeout"\} (\S+)/gmu),
    handles: valuesOf(/^nodejs_active_resources_total (\S+)/gmu),
  };
}

/** @throws Error where there is no /proc */
function residentMb(): number {
  const kb = pids.map((pid) => Number(/^VmRSS:\s+(\d+)/mu.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]));
  return round(kb.reduce((sum, one) => sum + one, 0) / 1_024);
}
