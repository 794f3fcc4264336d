/**
 * The floor under load: many socket clients in many channels, on the real server in a process of its own. Clients and
 * server share the machine, so every latency includes the clients' own work; `calmClientLoopDelayP99Ms` says how busy they were.
 * Smaller: `npm run bench -- floor 100 5` (clients, channels).
 */
import { readFileSync } from 'node:fs';
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
const CALM_MS = 30_000;
/** Each client presses this often in the calm part, at random, and talks for up to TALK_MS. */
const PRESS_EVERY_MS = 20_000;
const TALK_MS = 1_000;
const STORM_MS = 15_000;
const HERDS = 20;
/** A grant feels instant below this; half of the 300 ms that press to ear may take. */
const LIMIT_GRANT_P95_MS = 150;
/** 2,000 requests a second. */
const LIMIT_THOUSAND_MS = 500;

interface Room {
  clients: FloorClient[];
  watch: ChannelWatch;
}

const server = await startPressel({ LOG_LEVEL: 'error' });
const handovers: number[] = [];
const beats: number[] = [];
try {
  const memoryMb: Record<string, number | null> = { started: residentMb(server.pid) };
  const rooms = await fill(server.origin);
  const clients = rooms.flatMap((room) => room.clients);
  memoryMb.entered = residentMb(server.pid);

  const loop = monitorEventLoopDelay({ resolution: 5 });
  loop.enable();
  const calmWithoutBeats = await pressCalmly(clients, server.pid);
  for (const client of clients) client.beat((ms) => beats.push(ms));
  const calm = { ...(await pressCalmly(clients, server.pid)), beatToAnswerMs: spreadOf(beats) };
  const calmLoopMs = loop.percentile(99) / 1e6;
  memoryMb.afterCalm = residentMb(server.pid);
  const herd = await pressTogether(rooms);
  const storm = await pressWithoutPause(clients);
  memoryMb.afterStorm = residentMb(server.pid);
  loop.disable();

  for (const client of clients) client.close();
  const figures = {
    clients: clients.length,
    channels: rooms.length,
    calmWithoutBeats,
    calm,
    calmClientLoopDelayP99Ms: round(calmLoopMs),
    herd,
    storm,
    memoryMb,
  };
  console.log(JSON.stringify(figures, null, 2));
  const twoHolders = rooms.reduce((sum, { watch }) => sum + watch.violations, 0);
  conclude('floor', figures, [
    { what: 'moments with two holders', value: twoHolders, limit: 0, unit: 'moments' },
    { what: 'herds not granted exactly once', value: herd.wrongGrants, limit: 0, unit: 'herds' },
    { what: 'request to grant, p95', value: calm.requestToGrantMs.p95, limit: LIMIT_GRANT_P95_MS, unit: 'ms' },
    {
      what: 'time for 1,000 requests without pause',
      value: 1_000_000 / storm.requestsAnsweredPerSecond,
      limit: LIMIT_THOUSAND_MS,
      unit: 'ms',
    },
  ]);
} finally {
  await server.dispose();
}

/** What is said of many durations, in ms. */
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

/** In each room everybody is somebody else, as the floor gives a user one claim; accounts are shared between rooms. */
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
    const watch: ChannelWatch = { holders: new Set(), violations: 0, releasedAt: 0 };
    const entered = team.map(({ token }) => enterFloor(origin, token, rtcSession, watch, (ms) => handovers.push(ms)));
    rooms.push({ clients: await Promise.all(entered), watch });
  }
  return rooms;
}

/** As people do: each now and then, waiting in line when another talks. */
async function pressCalmly(clients: readonly FloorClient[], serverPid: number) {
  const cpuBefore = cpuMs(serverPid);
  const grants: number[] = [];
  const answers: number[] = [];
  const end = performance.now() + CALM_MS;
  handovers.length = 0;
  const use = async (client: FloorClient) => {
    for (;;) {
      await sleep(Math.random() * 2 * PRESS_EVERY_MS);
      if (performance.now() > end) return;
      const { answer, answerMs, granted } = await client.press(true);
      answers.push(answerMs);
      if (answer.type === 'granted') grants.push(answerMs);
      if (await granted) await sleep(Math.random() * TALK_MS);
      await client.release();
    }
  };
  await Promise.all(clients.map(use));
  return {
    serverCpuPercent: round(((cpuMs(serverPid) - cpuBefore) / CALM_MS) * 100),
    pressesPerSecond: Math.round((answers.length / CALM_MS) * 1_000),
    requestToAnswerMs: spreadOf(answers),
    requestToGrantMs: spreadOf(grants),
    releaseToNextGrantMs: spreadOf(handovers),
  };
}

/** Everybody in every channel at the same moment: all are answered, one in each is granted. */
async function pressTogether(rooms: readonly Room[]) {
  const answers: number[] = [];
  const wholes: number[] = [];
  let wrongGrants = 0;
  for (let round = 0; round < HERDS; round++) {
    const begun = performance.now();
    await Promise.all(
      rooms.map(async ({ clients }) => {
        const pressed = await Promise.all(clients.map((client) => client.press(false)));
        answers.push(...pressed.map(({ answerMs }) => answerMs));
        if (pressed.filter(({ answer }) => answer.type === 'granted').length !== 1) wrongGrants += 1;
      }),
    );
    wholes.push(performance.now() - begun);
    await Promise.all(rooms.flatMap(({ clients }) => clients.map((client) => client.release())));
  }
  return { rounds: HERDS, requestToAnswerMs: spreadOf(answers), allAnsweredMs: spreadOf(wholes), wrongGrants };
}

/** As fast as answers come: how much the server can answer at all. */
async function pressWithoutPause(clients: readonly FloorClient[]) {
  const requests: number[] = [];
  const releases: number[] = [];
  const begun = performance.now();
  const use = async (client: FloorClient) => {
    while (performance.now() < begun + STORM_MS) {
      const { answerMs } = await client.press(false);
      requests.push(answerMs);
      releases.push(await client.release());
    }
  };
  await Promise.all(clients.map(use));
  const seconds = (performance.now() - begun) / 1_000;
  return {
    requestsAnsweredPerSecond: Math.round(requests.length / seconds),
    answersPerSecond: Math.round((requests.length + releases.length) / seconds),
    requestToAnswerMs: spreadOf(requests),
  };
}
