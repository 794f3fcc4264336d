/**
 * The map: how long the news of a move takes to two hundred members and how many fit into a second, beside Socket.IO alone telling the same
 * to as many. Then how smooth a map of five thousand stays while 200 a second move, beside the same map while nobody does. Both in turns
 * within one run; clients, browser and servers share the machine.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { changeUsers } from '@pressel/contract/users';
import { createApi, type Person } from '@pressel/e2e/harness/api';
import { startPressel } from '@pressel/e2e/harness/server-process';
import { measureFrames } from '../shared/map-frames.ts';
import { gatherPositions } from '../shared/position-crowd.ts';
import { conclude, median, percentile, round } from '../shared/report.ts';

const [size = 200] = process.argv.slice(2).map(Number);
const ROUNDS = 4;
const ROUND_S = 8;
const PER_SECOND = 20;
const BULK = 100;
const FLOOD_AT_A_TIME = 50;
const FLOOD_MOVES = 600;
const LIMIT_DELAY = 1.5;
const LIMIT_RATE = 1.5;
/** One picture more than the idle map takes may be left out, ms. */
const FRAME_MS = 1_000 / 60;

const { delays, rates } = await measureNews();
console.log(JSON.stringify({ delays, rates }));
const frames = await measureFrames();
conclude(
  'map',
  { members: size, movesPerSecond: PER_SECOND, delayMs: delays, mostMovesPerSecond: rates, frameMs: frames },
  [
    {
      what: `delay of a move to ${size} members, p95, beside Socket.IO alone`,
      value: delays.ours.p95 / delays.bare.p95,
      limit: LIMIT_DELAY,
      unit: 'times',
    },
    {
      what: `moves a second to ${size} members, ${FLOOD_AT_A_TIME} at a time: Socket.IO alone beside ours`,
      value: rates.bare / rates.ours,
      limit: LIMIT_RATE,
      unit: 'times',
    },
    {
      what: 'time between pictures with 5,000 on the map and 200 moves a second, p95, beyond the idle map',
      value: frames.busy.p95 - frames.idle.p95,
      limit: round(FRAME_MS),
      unit: 'ms',
    },
  ],
);

async function measureNews() {
  const bareHost = fork(join(import.meta.dirname, '../../server/test/bare-positions-host.ts'));
  const [{ origin: bareOrigin }] = (await once(bareHost, 'message')) as [{ origin: string }];
  const server = await startPressel({ LOG_LEVEL: 'error' });
  try {
    const api = createApi(server.origin);
    const admin = await api.person('Admin');
    const people: Person[] = [];
    for (let index = 0; index < size; index += 1) people.push(await api.person(`Member${index}`, admin.token));
    for (let from = 0; from < size; from += BULK) {
      const userIds = people.slice(from, from + BULK).map(({ id }) => id);
      await api.call(changeUsers, { userIds, change: { type: 'setMapRight', mapRight: true } }, admin.token);
    }
    await api.channel(admin, 'Room', people);
    const tokens = people.map(({ token }) => token);
    const bare = await gatherPositions(bareOrigin, tokens, false);
    const ours = await gatherPositions(server.origin, tokens, true);
    const times = { bare: [] as number[], ours: [] as number[] };
    const floods = { bare: [] as number[], ours: [] as number[] };
    for (const crowd of [bare, ours]) await crowd.move(5 * PER_SECOND, PER_SECOND);
    for (let turn = 0; turn < ROUNDS; turn += 1) {
      times.bare.push(...(await bare.move(ROUND_S * PER_SECOND, PER_SECOND)));
      times.ours.push(...(await ours.move(ROUND_S * PER_SECOND, PER_SECOND)));
      floods.bare.push(await bare.flood(FLOOD_AT_A_TIME, FLOOD_MOVES));
      floods.ours.push(await ours.flood(FLOOD_AT_A_TIME, FLOOD_MOVES));
    }
    bare.close();
    ours.close();
    return {
      delays: { bare: spread(times.bare), ours: spread(times.ours) },
      rates: { bare: round(median(floods.bare)), ours: round(median(floods.ours)) },
    };
  } finally {
    bareHost.disconnect();
    await server.dispose();
  }
}

function spread(times: readonly number[]) {
  const at = (share: number) => round(percentile(times, share));
  return { count: times.length, p50: at(0.5), p95: at(0.95), p99: at(0.99) };
}
