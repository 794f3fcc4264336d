/**
 * Eight hours' worth of events in twenty minutes on two processes: 200 members in 10 channels talk, write, move, come and go, and lose their
 * links. Memory, timers, open handles, Redis keys, and connections to Redis and the database must stay flat. The whole takes about
 * 21 minutes. Shorter: `npm run bench -- soak 4` (minutes of events; fewer events, the same rate).
 */
import { readFileSync } from 'node:fs';
import { startHost } from '../shared/host.ts';
import { conclude, round, type Verdict } from '../shared/report.ts';
import { gatherAtScale, type Load } from '../shared/scale-crowd.ts';

const [MINUTES = 20] = process.argv.slice(2).map(Number);
const PARTS = 10;
const MEMBERS = 200;
const CHANNELS = 10;
/** How much faster than in life: eight hours in twenty minutes. */
const FASTER = 24;
const anHour = (count: number) => (count * FASTER) / 3_600;
/** In an hour: 30 talks in each channel; each member writes 5 messages, moves 60 times, leaves and comes back 4 times, loses the link twice. */
const LOAD: Load = {
  talks: anHour(30 * CHANNELS),
  messages: anHour(5 * MEMBERS),
  positions: anHour(60 * MEMBERS),
  moves: anHour(4 * MEMBERS),
  drops: anHour(2 * MEMBERS),
};
const LIMIT_GROWTH = 1.1;
/** Some come and go by themselves, such as the timer of a pause. */
const SLACK = 5;
const TOKEN = 'token-of-the-bench-soak';

interface State {
  origins: string[];
  pids: number[];
}
interface Shared {
  redisKeys: number;
  redisConnections: number;
  databaseConnections: number;
}

const host = await startHost('processes-host.ts', ['2'], { SERVER_METRICS_TOKEN: TOKEN });
const { origins, pids } = host.ready as State;
const parts: Record<string, number>[] = [];
let refused = 0;
try {
  const { tokens, channelIds } = (await host.ask({ ask: 'fill', members: MEMBERS, channels: CHANNELS })) as {
    tokens: string[];
    channelIds: string[];
  };
  const crowd = await gatherAtScale({ origins, tokens, channelIds, isBare: false });
  for (let part = 0; part < PARTS; part += 1) {
    ({ refused } = await crowd.run(LOAD, (MINUTES * 60) / PARTS));
    const shared = (await host.ask({ ask: 'count' })) as Shared;
    const own = await Promise.all(origins.map(readMetrics));
    const sum = (name: keyof (typeof own)[number]) => own.reduce((total, one) => total + one[name], 0);
    const counts = {
      ...{ residentMb: residentMb(), heapMb: round(sum('heapMb')), timers: sum('timers'), handles: sum('handles') },
      ...{ ...shared, refused },
    };
    console.log(JSON.stringify(counts));
    parts.push(counts);
  }
  crowd.close();
} finally {
  await host.close();
}

/** The smallest of the last third beside the largest of the first: what only goes up and down is no growth. */
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
conclude('soak', { minutes: MINUTES, faster: FASTER, members: MEMBERS, channels: CHANNELS, load: LOAD, parts }, [
  ...['residentMb', 'heapMb'].map(inTimes),
  ...['timers', 'handles', 'redisKeys', 'redisConnections', 'databaseConnections'].map(inAll),
  { what: 'acts that were refused in the last part', value: refused, limit: 0, unit: 'acts' },
]);

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
