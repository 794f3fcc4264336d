/**
 * The floor under load: many socket clients in many channels, on the real server in a process of its own. Beside it, the same clients use
 * Socket.IO alone, which answers as a floor does. Both take turns within one run. Clients and servers share the machine, so every latency
 * includes the clients' own work; `calmClientLoopDelayP99Ms` says how busy they were. Smaller: `npm run bench -- floor 100 5` (clients,
 * channels).
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { createApi, type Person } from '@pressel/e2e/harness/api';
import { startPressel } from '@pressel/e2e/harness/server-process';
import { type ChannelWatch, enterFloor, type FloorClient } from '../shared/floor-client.ts';
import { processorTime } from '../shared/processor-time.ts';
import { conclude, percentile, round } from '../shared/report.ts';

const [clientCount = 1_000, channelCount = 50] = process.argv.slice(2).map(Number);
const perChannel = Math.round(clientCount / channelCount);
/** How many rooms one account is in at once: the server allows a user no more screens than 32. */
const ROOMS_PER_ACCOUNT = 25;
/** How often each part is measured, in turns with Socket.IO alone: the machine's other work meets both. */
const TURNS = 3;
const CALM_MS = 10_000;
/** Each client presses this often in the calm part, at random, and talks for up to TALK_MS. */
const PRESS_EVERY_MS = 20_000;
const TALK_MS = 1_000;
/** The server takes this many presses of one client at once, and then ten a second: nobody presses faster. */
const STORM_PRESSES = 30;
/** After this time without a press it takes that many again. */
const STORM_REST_MS = 3_500;
const HERDS = 7;
/** The server checks, signs, leases and keeps a floor, and Socket.IO alone does none of it. So it may take this many times as long. */
const LIMIT_GRANT = 6;
const LIMIT_HERD = 3;
const LIMIT_STORM = 6;

interface Room {
  clients: FloorClient[];
  watch: ChannelWatch;
  handovers: number[];
}

/** One side of the comparison: our server, or Socket.IO alone. */
interface Side {
  rooms: Room[];
  pid: number;
  calmWithoutBeats: Calm;
  calm: Calm;
  herd: { answers: number[]; wholes: number[]; wrongGrants: number };
  storm: { requests: number[]; releases: number[]; seconds: number };
}

interface Calm {
  grants: number[];
  answers: number[];
  handovers: number[];
  beats: number[];
  processorMs: number;
}

const server = await startPressel({ LOG_LEVEL: 'error' });
const bareHost = fork(join(import.meta.dirname, '../../server/test/bare-floor-host.ts'));
try {
  const [{ origin: bareOrigin }] = (await once(bareHost, 'message')) as [{ origin: string }];
  const memoryMb: Record<string, number | null> = { started: residentMb(server.pid) };
  const ours = sideOf(await fill(server.origin), server.pid);
  memoryMb.entered = residentMb(server.pid);
  const bare = sideOf(await fillBare(bareOrigin), bareHost.pid ?? Number.NaN);
  const inTurns = async (act: (side: Side) => Promise<void>) => {
    for (let turn = 0; turn < TURNS; turn += 1) for (const side of [bare, ours]) await act(side);
  };

  const loop = monitorEventLoopDelay({ resolution: 5 });
  loop.enable();
  await inTurns((side) => pressCalmly(side, side.calmWithoutBeats));
  await inTurns((side) => pressCalmlyAndBeat(side));
  const calmLoopMs = loop.percentile(99) / 1e6;
  memoryMb.afterCalm = residentMb(server.pid);
  await inTurns(pressTogether);
  await inTurns(pressWithoutPause);
  memoryMb.afterStorm = residentMb(server.pid);
  loop.disable();

  const clients = ours.rooms.flatMap((room) => room.clients);
  for (const { rooms } of [ours, bare]) for (const client of rooms.flatMap((room) => room.clients)) client.close();
  const figures = {
    clients: clients.length,
    channels: ours.rooms.length,
    ...figuresOf(ours),
    bare: figuresOf(bare),
    calmClientLoopDelayP99Ms: round(calmLoopMs),
    memoryMb,
  };
  console.log(JSON.stringify(figures, null, 2));
  const twoHolders = ours.rooms.reduce((sum, { watch }) => sum + watch.violations, 0);
  const beside = (what: string, value: number, limit: number) => ({ what, value, limit, unit: 'times' });
  conclude('floor', figures, [
    { what: 'moments with two holders', value: twoHolders, limit: 0, unit: 'moments' },
    { what: 'herds not granted exactly once', value: ours.herd.wrongGrants, limit: 0, unit: 'herds' },
    beside(
      'request to grant, p95, beside Socket.IO alone',
      percentile(ours.calm.grants, 0.95) / percentile(bare.calm.grants, 0.95),
      LIMIT_GRANT,
    ),
    beside(
      'all channels at once until all are answered, median, beside Socket.IO alone',
      percentile(ours.herd.wholes, 0.5) / percentile(bare.herd.wholes, 0.5),
      LIMIT_HERD,
    ),
    beside(
      'requests answered a second without pause: Socket.IO alone beside ours',
      requestsPerSecond(bare) / requestsPerSecond(ours),
      LIMIT_STORM,
    ),
  ]);
} finally {
  bareHost.disconnect();
  await server.dispose();
}

function sideOf(rooms: Room[], pid: number): Side {
  const calm = (): Calm => ({ grants: [], answers: [], handovers: [], beats: [], processorMs: 0 });
  return {
    rooms,
    pid,
    calmWithoutBeats: calm(),
    calm: calm(),
    herd: { answers: [], wholes: [], wrongGrants: 0 },
    storm: { requests: [], releases: [], seconds: 0 },
  };
}

function figuresOf({ calmWithoutBeats, calm, herd, storm }: Side) {
  const calmOf = ({ processorMs, answers, grants, handovers }: Calm) => ({
    serverCpuPercent: round((processorMs / (TURNS * CALM_MS)) * 100),
    pressesPerSecond: Math.round((answers.length / (TURNS * CALM_MS)) * 1_000),
    requestToAnswerMs: spreadOf(answers),
    requestToGrantMs: spreadOf(grants),
    releaseToNextGrantMs: spreadOf(handovers),
  });
  return {
    calmWithoutBeats: calmOf(calmWithoutBeats),
    calm: { ...calmOf(calm), beatToAnswerMs: spreadOf(calm.beats) },
    herd: {
      rounds: TURNS * HERDS,
      requestToAnswerMs: spreadOf(herd.answers),
      allAnsweredMs: spreadOf(herd.wholes),
      wrongGrants: herd.wrongGrants,
    },
    storm: {
      requestsAnsweredPerSecond: Math.round(requestsPerSecond({ storm })),
      answersPerSecond: Math.round((storm.requests.length + storm.releases.length) / storm.seconds),
      requestToAnswerMs: spreadOf(storm.requests),
    },
  };
}

function requestsPerSecond({ storm }: Pick<Side, 'storm'>): number {
  return storm.requests.length / storm.seconds;
}

/** The median and other figures of many durations, in ms. */
function spreadOf(durations: readonly number[]) {
  const at = (share: number) => round(percentile(durations, share));
  return { count: durations.length, p50: at(0.5), p95: at(0.95), p99: at(0.99), max: at(1) };
}

/** Resident memory in MB, as Linux counts it; null where there is no /proc. */
function residentMb(pid: number): number | null {
  try {
    const kilobytes = /VmRSS:\s+(\d+) kB/u.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    return kilobytes === undefined ? null : Math.round(Number(kilobytes) / 1024);
  } catch {
    return null;
  }
}

/** Processor time of the server's own process, ms; not a number where there is no /proc. */
function cpuMs(pid: number): number {
  try {
    return processorTime(pid).own;
  } catch {
    return Number.NaN;
  }
}

/** Fills the rooms. Each room has a user only once, as the floor gives a user one claim; rooms share accounts. */
async function fill(origin: string): Promise<Room[]> {
  const api = createApi(origin);
  const admin = await api.person('Admin');
  const rooms: Room[] = [];
  let team: Person[] = [];
  for (let index = 0; index < channelCount; index++) {
    if (index % ROOMS_PER_ACCOUNT === 0) {
      const names = Array.from({ length: perChannel }, (_, seat) => `Member${index}x${seat}`);
      team = await Promise.all(names.map((name) => api.person(name, admin.token)));
    }
    const { rtcSession } = await api.channel(admin, `Channel ${index}`, team);
    const tokens = team.map(({ token }) => token);
    rooms.push(await enterAll(origin, rtcSession, tokens));
  }
  return rooms;
}

async function fillBare(origin: string): Promise<Room[]> {
  const rooms: Room[] = [];
  for (let index = 0; index < channelCount; index++)
    rooms.push(await enterAll(origin, `Channel ${index}`, Array<string>(perChannel).fill('')));
  return rooms;
}

async function enterAll(origin: string, name: string, tokens: readonly string[]): Promise<Room> {
  const watch: ChannelWatch = { holders: new Set(), violations: 0, releasedAt: 0 };
  const handovers: number[] = [];
  const entered = tokens.map((token) => enterFloor(origin, token, name, watch, (ms) => handovers.push(ms)));
  return { clients: await Promise.all(entered), watch, handovers };
}

/** Clients press as people do: each now and then, waiting in line when another talks. */
async function pressCalmly({ rooms, pid }: Side, calm: Calm): Promise<void> {
  const cpuBefore = cpuMs(pid);
  const end = performance.now() + CALM_MS;
  for (const { handovers } of rooms) handovers.length = 0;
  const use = async (client: FloorClient) => {
    for (;;) {
      const pressAt = performance.now() + Math.random() * 2 * PRESS_EVERY_MS;
      await sleep(Math.max(0, Math.min(pressAt, end) - performance.now()));
      if (pressAt > end) return;
      const { answer, answerMs, granted } = await client.press(true);
      calm.answers.push(answerMs);
      if (answer.type === 'granted') calm.grants.push(answerMs);
      if (await granted) await sleep(Math.random() * TALK_MS);
      await client.release();
    }
  };
  const clients = rooms.flatMap((room) => room.clients);
  await Promise.all(clients.map(use));
  calm.processorMs += cpuMs(pid) - cpuBefore;
  calm.handovers.push(...rooms.flatMap(({ handovers }) => handovers));
}

async function pressCalmlyAndBeat(side: Side): Promise<void> {
  const clients = side.rooms.flatMap((room) => room.clients);
  const stops = clients.map((client) => client.beat((ms) => side.calm.beats.push(ms)));
  await pressCalmly(side, side.calm);
  for (const stop of stops) stop();
}

/** All clients of every channel press at the same moment: all are answered, one in each is granted. */
async function pressTogether({ rooms, herd }: Side): Promise<void> {
  for (let round = 0; round < HERDS; round++) {
    const begun = performance.now();
    await Promise.all(
      rooms.map(async ({ clients }) => {
        const pressed = await Promise.all(clients.map((client) => client.press(false)));
        herd.answers.push(...pressed.map(({ answerMs }) => answerMs));
        if (pressed.filter(({ answer }) => answer.type === 'granted').length !== 1) herd.wrongGrants += 1;
      }),
    );
    herd.wholes.push(performance.now() - begun);
    await Promise.all(rooms.flatMap(({ clients }) => clients.map((client) => client.release())));
  }
}

/** Clients press as fast as answers come, as often as one client may: how much the server can answer at all. */
async function pressWithoutPause({ rooms, storm }: Side): Promise<void> {
  await sleep(STORM_REST_MS);
  const begun = performance.now();
  const use = async (client: FloorClient) => {
    for (let press = 0; press < STORM_PRESSES; press += 1) {
      const { answerMs } = await client.press(false);
      storm.requests.push(answerMs);
      storm.releases.push(await client.release());
    }
  };
  await Promise.all(rooms.flatMap((room) => room.clients).map(use));
  storm.seconds += (performance.now() - begun) / 1_000;
}
