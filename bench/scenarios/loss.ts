/**
 * The cost of losing a process: three processes with 600 members in 30 rooms, in each of which somebody talks. Each process is killed in
 * turn, then one that has all 600 sockets is told to end while calls go on. In the same run, as many processes of Socket.IO with the same
 * adapter are killed and ended the same way; they store one row for each entry. `besideBare` says how many times as long, and how much
 * processor time, a return takes beside Socket.IO alone.
 *
 * Clients come back as pages do, and share the machine with everything. With 600 members Socket.IO alone is far from the limits on two
 * cores, so there the limits say something of this server. With 2,000, `npm run bench -- loss 2000 100` (members, channels), Socket.IO
 * alone misses them too, and only `besideBare` says something. The results of both sizes are kept, those of others aren't.
 */
import { fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { TOKEN_HEADER } from '@pressel/contract/call';
import { getChannelMessages, sendMessage } from '@pressel/contract/chat';
import { type FilledTeam, type HostedProcesses, startHost } from '../shared/host.ts';
import { processorTime } from '../shared/processor-time.ts';
import { conclude, percentile, round, tell, type Verdict } from '../shared/report.ts';
import { gatherReturning, shuffled } from '../shared/returning-crowd.ts';

const [MEMBERS = 600, CHANNELS = 30] = process.argv.slice(2).map(Number);
/** The names under which the results of these sizes are kept. */
const KEPT: Readonly<Record<string, string>> = { '600 30': 'loss', '2000 100': 'loss-2000' };
const PROCESSES = 3;
const BACK_LIMIT_MS = 2_000;
const FREE_LIMIT_MS = 3_000;
const WAIT_LIMIT_MS = 60_000;
/** Messages sent by HTTP while a process ends. */
const CALLS_PER_SECOND = 20;
/** The time from the beginning of a talk to the kill of a process: each claim was renewed by then. */
const TALK_MS = 1_500;

/** The figures of a side that are compared. */
type Compared = 'awayMs' | 'processorMsPerReturn';

/** The processes of one side, and the way to end one of them. */
interface Side {
  isBare: boolean;
  origins: () => readonly string[];
  pids: () => readonly number[];
  stop(server: number, signal: 'SIGTERM' | 'SIGKILL'): Promise<void>;
  start(server: number): Promise<void>;
}

const spreadOf = (values: readonly number[]) => ({
  count: values.length,
  p50: round(percentile(values, 0.5)),
  p95: round(percentile(values, 0.95)),
  p99: round(percentile(values, 0.99)),
  longest: round(Math.max(0, ...values)),
});

/** Processor time of the processes that run, ms. */
const processorMs = (pids: readonly number[]): number =>
  pids.reduce((sum, pid) => (pid > 0 ? sum + processorTime(pid).own : sum), 0);

/** Processor time of the clients since some time, ms: that of this process. */
const clientsMs = (since: NodeJS.CpuUsage): number => {
  const { user, system } = process.cpuUsage(since);
  return (user + system) / 1_000;
};

/** Counts each kind of failure. */
const counted = (failed: readonly string[]): Record<string, number> =>
  Object.fromEntries([...new Set(failed)].map((what) => [what, failed.filter((one) => one === what).length]));

const host = await startHost('processes-host.ts', [String(PROCESSES)]);
let state = host.ready as HostedProcesses;
const bare: { origin: string; pid: number }[] = [];
const figures: Record<string, unknown> = { members: MEMBERS, channels: CHANNELS, processes: PROCESSES };
const verdicts: Verdict[] = [];
try {
  const team = (await host.ask({ ask: 'fill', members: MEMBERS, channels: CHANNELS })) as FilledTeam;
  const ours: Side = {
    isBare: false,
    origins: () => state.origins,
    pids: () => state.pids,
    async stop(server, signal) {
      state = (await host.ask({ ask: 'stop', server, signal })) as HostedProcesses;
    },
    async start(server) {
      state = (await host.ask({ ask: 'start', server })) as HostedProcesses;
    },
  };
  const plain: Side = {
    isBare: true,
    origins: () => bare.map(({ origin }) => origin),
    pids: () => bare.map(({ pid }) => pid),
    async stop(server, signal) {
      const { pid } = bare[server] as (typeof bare)[number];
      process.kill(pid, signal);
      while (isAlive(pid)) await sleep(20);
      bare[server] = { origin: '', pid: 0 };
    },
    start: startBare,
  };
  for (let server = 0; server < PROCESSES; server += 1) await startBare(server);

  const killed = { bare: await measureKills(plain, team), ours: await measureKills(ours, team) };
  const ended = { bare: await measureEnd(plain, team), ours: await measureEnd(ours, team) };
  const beside = ({
    bare,
    ours,
  }: Record<'bare' | 'ours', Pick<Awaited<ReturnType<typeof measureKills>>, Compared>>) => ({
    awayP95: round(ours.awayMs.p95 / bare.awayMs.p95),
    processorMsPerReturn: round(ours.processorMsPerReturn / bare.processorMsPerReturn),
  });
  const besideBare = { killed: beside(killed), ended: beside(ended) };
  Object.assign(figures, { killed, ended, besideBare });
  console.log(JSON.stringify({ besideBare }));
  verdicts.push(
    {
      what: 'a client of a killed process is back in its room, p95',
      value: killed.ours.awayMs.p95,
      limit: BACK_LIMIT_MS,
      unit: 'ms',
    },
    {
      what: 'the floor of a talker who is lost is free',
      value: killed.ours.freeMs.longest,
      limit: FREE_LIMIT_MS,
      unit: 'ms',
    },
    {
      what: 'clients that came back as somebody new',
      value: killed.ours.anew + ended.ours.anew,
      limit: 0,
      unit: 'clients',
    },
    {
      what: 'a client of a process that ends is back in its room, p95',
      value: ended.ours.awayMs.p95,
      limit: BACK_LIMIT_MS,
      unit: 'ms',
    },
    {
      what: 'calls that failed while a process ended',
      value: ended.ours.calls?.failed.length ?? 0,
      limit: 0,
      unit: 'calls',
    },
  );
} finally {
  for (const { pid } of bare) if (pid > 0) process.kill(pid, 'SIGKILL');
  await host.close();
}
const kept = KEPT[`${MEMBERS} ${CHANNELS}`];
if (kept === undefined) tell(verdicts);
else conclude(kept, figures, verdicts);

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

async function startBare(server: number): Promise<void> {
  const child = fork(join(import.meta.dirname, '../../server/test/bare-scale-host.ts'), [
    state.redisUrl,
    state.databaseUrl,
  ]);
  const [{ origin }] = (await once(child, 'message')) as [{ origin: string }];
  child.send({ stores: true });
  bare[server] = { origin, pid: Number(child.pid) };
}

async function until(isSo: () => boolean): Promise<void> {
  const end = performance.now() + WAIT_LIMIT_MS;
  while (!isSo()) {
    if (performance.now() > end) throw new Error('It took more than a minute');
    await sleep(10);
  }
}

/** Each process is killed once. In every other room the talker never comes back, so the floor must become free by itself. */
async function measureKills(side: Side, team: FilledTeam) {
  const crowd = await gatherReturning({ ...team, origins: side.origins, isBare: side.isBare });
  const aways: number[] = [];
  const frees: number[] = [];
  const failed: string[] = [];
  let anew = 0;
  let usedMs = 0;
  let usedByClientsMs = 0;
  for (let server = 0; server < PROCESSES; server += 1) {
    const stayAway = (room: number) => !side.isBare && room % 2 === 0;
    const talkers = await crowd.talk(stayAway);
    await sleep(TALK_MS);
    crowd.take();
    const origin = String(side.origins()[server]);
    const gone = talkers.filter((one) => one.origin === origin && stayAway(one.room));
    const survivors = side.pids().filter((_, index) => index !== server);
    const before = processorMs(survivors);
    const clients = process.cpuUsage();
    const killedAt = performance.now();
    const stopping = side.stop(server, 'SIGKILL');
    await until(() => crowd.at(origin) === 0 && crowd.away() === 0);
    usedMs += processorMs(survivors) - before;
    usedByClientsMs += clientsMs(clients);
    await until(() => gone.every(({ room }) => crowd.freed().has(room)));
    await stopping;
    frees.push(...gone.map(({ room }) => (crowd.freed().get(room) as number) - killedAt));
    const losses = crowd.take();
    aways.push(...losses.aways);
    failed.push(...losses.failed);
    if (!side.isBare) anew += losses.aways.length - losses.resumed;
    await side.start(server);
    await crowd.release();
  }
  crowd.leave();
  const result = {
    ...{ awayMs: spreadOf(aways), freeMs: spreadOf(frees), processorMsPerReturn: round(usedMs / aways.length) },
    /** Processor time of the clients themselves, on the same machine. */
    clientsMsPerReturn: round(usedByClientsMs / aways.length),
    ...{ anew, failedAttempts: counted(failed) },
  };
  console.log(JSON.stringify({ killed: side.isBare ? 'bare' : 'ours', ...result }));
  return result;
}

/** All sockets are at one process, which is told to end. */
async function measureEnd(side: Side, team: FilledTeam) {
  const crowd = await gatherReturning({ ...team, origins: side.origins, isBare: side.isBare, firstAt: 0 });
  await sleep(TALK_MS);
  const origin = String(side.origins()[0]);
  const others = side.pids().slice(1);
  const before = others.map((pid) => processorTime(pid).own);
  const clients = process.cpuUsage();
  const calls = side.isBare ? null : callOn(side, team);
  const begunAt = performance.now();
  let stoppedMs = 0;
  const stopping = side.stop(0, 'SIGTERM').then(() => {
    stoppedMs = performance.now() - begunAt;
  });
  await until(() => crowd.at(origin) === 0 && crowd.away() === 0);
  const allBackMs = performance.now() - begunAt;
  await stopping;
  const usedMs = others.map((pid, index) => processorTime(pid).own - (before[index] ?? 0));
  const elapsedMs = performance.now() - begunAt;
  const usedByClientsMs = clientsMs(clients);
  const done = await calls?.end();
  const losses = crowd.take();
  const result = {
    awayMs: spreadOf(losses.aways),
    ...{
      allBackMs: round(allBackMs),
      stoppedMs: round(stoppedMs),
      anew: side.isBare ? 0 : losses.aways.length - losses.resumed,
    },
    /** Cores that each of the others used until then; 1 is one core. */
    cores: usedMs.map((ms) => round(ms / elapsedMs)),
    processorMsPerReturn: round(usedMs.reduce((sum, ms) => sum + ms, 0) / losses.aways.length),
    clientsMsPerReturn: round(usedByClientsMs / losses.aways.length),
    failedAttempts: counted(losses.failed),
    calls: done,
  };
  crowd.leave();
  await side.start(0);
  console.log(JSON.stringify({ ended: side.isBare ? 'bare' : 'ours', ...result }));
  return result;
}

/**
 * Members write and read by HTTP, on connections that are kept alive, at a process by chance. They pass over a process only if it refuses
 * the connection.
 */
function callOn(side: Side, { tokens, channelIds }: FilledTeam) {
  let isOn = true;
  const durations: number[] = [];
  const failed: string[] = [];
  const work: Promise<void>[] = [];
  async function call(
    path: string,
    token: string,
    body: object,
    [origin, ...others]: readonly string[],
  ): Promise<void> {
    if (origin === undefined) throw new Error('No process takes connections');
    const request = { method: 'POST', headers: { 'content-type': 'application/json', [TOKEN_HEADER]: token } };
    let response: Response;
    try {
      response = await fetch(`${origin}${path}`, { ...request, body: JSON.stringify(body) });
    } catch (error) {
      if (((error as Error).cause as { code?: string } | undefined)?.code !== 'ECONNREFUSED') throw error;
      return call(path, token, body, others);
    }
    const text = await response.text();
    if (!response.ok) throw new Error(`${path} was answered ${response.status} ${text}`);
  }
  async function act(index: number): Promise<void> {
    const member = (index * 7) % tokens.length;
    const [token, channelId] = [String(tokens[member]), channelIds[member % channelIds.length]];
    const origins = shuffled(side.origins().filter((origin) => origin !== ''));
    const begunAt = performance.now();
    try {
      if (index % 2 === 0) await call(getChannelMessages.path, token, { channelId }, origins);
      else await call(sendMessage.path, token, { channelId, message: 'Relève', clientId: randomUUID() }, origins);
      durations.push(performance.now() - begunAt);
    } catch (error) {
      const { message, cause } = error as Error;
      failed.push(cause === undefined ? message : `${message}: ${cause}`);
    }
  }
  const running = (async () => {
    for (let index = 0; isOn; index += 1) {
      work.push(act(index));
      await sleep(1_000 / CALLS_PER_SECOND);
    }
  })();
  return {
    async end() {
      isOn = false;
      await running;
      await Promise.all(work);
      return { ms: spreadOf(durations), failed };
    },
  };
}
