/**
 * One, two and three processes with 2,000 members in 100 channels, who talk, write, move, come and go at once. Measured are delays,
 * throughput, processor time, and memory per 1,000 members. Beside them, in turns within one run, Socket.IO alone runs over as many
 * processes with the same adapter, and tells as many the same. In every other turn it also stores one row before it tells, where the
 * product does. Clients, servers, PostgreSQL and Redis share the machine; clients choose a process by chance, as a balancer would. The
 * whole takes about 10 minutes. Smaller: `npm run bench -- scale 200 10 5` (members, channels, seconds of a turn).
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type FilledTeam, type HostedProcesses, startHost } from '../shared/host.ts';
import { processorTime } from '../shared/processor-time.ts';
import { conclude, percentile, round, type Verdict } from '../shared/report.ts';
import { type Delays, gatherAtScale, type Heard, type Load, type ScaleCrowd } from '../shared/scale-crowd.ts';

const [MEMBERS = 2_000, CHANNELS = 100, TURN_S = 20] = process.argv.slice(2).map(Number);
const TURNS = 2;
/** Seconds before anything is measured, so that both servers are equally warm. */
const WARM_S = 5;
const share = MEMBERS / 2_000;
const LOAD: Load = { talks: 40 * share, messages: 20 * share, positions: 200 * share, moves: 4 * share, drops: 0 };
const LIMIT_BESIDE_BARE = 1.5;
/** By this share, the number of packets may differ from the product's: otherwise the comparison is not of the same. */
const LIMIT_DIFFERENT = 0.1;
const LIMIT_OTHER_MS = 5;
const FLOOR = ['floorOwn', 'floorOther'] as const;
/** The news that a room gets. Coming and going has a figure of its own. */
const NEWS = [...FLOOR, 'message', 'position'] as const;

interface Side {
  pids: readonly number[];
  crowd: ScaleCrowd;
  delays: Delays[];
  heard: ReadonlyMap<string, Heard>[];
  processorMs: number;
  acts: number;
  refused: number;
}
/** `bare` tells, `storing` stores first. */
type Sides = Record<'ours' | 'bare' | 'storing', Side>;

const spreadOf = (values: readonly number[]) => ({
  count: values.length,
  p50: round(percentile(values, 0.5)),
  p95: round(percentile(values, 0.95)),
  p99: round(percentile(values, 0.99)),
});

const processorMs = (pids: readonly number[]): number => pids.reduce((sum, pid) => sum + processorTime(pid).own, 0);

/** @throws Error where there is no /proc */
const residentMb = (pids: readonly number[]): number =>
  pids.reduce((sum, pid) => {
    const kb = /^VmRSS:\s+(\d+)/mu.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    return sum + Number(kb) / 1_024;
  }, 0);

const verdicts: Verdict[] = [];
const figures: Record<string, unknown> = { members: MEMBERS, channels: CHANNELS, load: LOAD };
for (const count of [1, 2, 3]) figures[`processes${count}`] = await measure(count);
conclude('scale', figures, verdicts);

async function measure(count: number) {
  const host = await startHost('processes-host.ts', [String(count)]);
  const { origins, pids, redisUrl, databaseUrl } = host.ready as HostedProcesses;
  const bareHosts = Array.from({ length: count }, () =>
    fork(join(import.meta.dirname, '../../server/test/bare-scale-host.ts'), [redisUrl, databaseUrl]),
  );
  try {
    const { tokens, channelIds } = (await host.ask({
      ask: 'fill',
      members: MEMBERS,
      channels: CHANNELS,
    })) as FilledTeam;
    const told = (await Promise.all(bareHosts.map((bare) => once(bare, 'message')))) as [{ origin: string }][];
    const emptyMb = residentMb(pids);
    const gather = (of: readonly string[], isBare: boolean) =>
      gatherAtScale({ origins: of, tokens, channelIds, isBare });
    const ours = sideOf(await gather(origins, false), pids);
    const fullMb = residentMb(pids);
    const bareCrowd = await gather(
      told.map(([{ origin }]) => origin),
      true,
    );
    const [bare, storing] = [0, 1].map(() =>
      sideOf(
        bareCrowd,
        bareHosts.map(({ pid = 0 }) => pid),
      ),
    ) as [Side, Side];
    for (const { crowd } of [bare, ours]) await crowd.run(LOAD, WARM_S);
    // Takes turns, so that the machine's other work meets all.
    for (let turn = 0; turn < TURNS; turn += 1) {
      for (const side of [bare, storing, ours]) {
        for (const one of bareHosts) one.send({ stores: side === storing });
        await runTurn(side);
      }
    }
    for (const { crowd } of [bare, ours]) crowd.close();
    return judge(count, { ours, bare, storing }, (fullMb - emptyMb) / (MEMBERS / 1_000));
  } finally {
    for (const bare of bareHosts) bare.disconnect();
    await host.close().catch(() => undefined);
  }
}

function sideOf(crowd: ScaleCrowd, pids: readonly number[]): Side {
  return { pids, crowd, delays: [], heard: [], processorMs: 0, acts: 0, refused: 0 };
}

async function runTurn(side: Side): Promise<void> {
  const before = processorMs(side.pids);
  const { refused, acts, delays, heard } = await side.crowd.run(LOAD, TURN_S);
  side.processorMs += processorMs(side.pids) - before;
  side.delays.push(delays);
  side.heard.push(heard);
  side.acts += acts;
  side.refused += refused;
}

function delaysOf({ delays }: Side, kinds: readonly (keyof Delays)[]): number[] {
  return delays.flatMap((one) => kinds.flatMap((kind) => one[kind]));
}
function heardOf({ heard, acts }: Side): { packetsPerAct: number; bytesPerPacket: number } {
  const all = heard.flatMap((one) => [...one.values()]);
  const packets = all.reduce((sum, one) => sum + one.packets, 0);
  return {
    packetsPerAct: packets / acts,
    bytesPerPacket: all.reduce((sum, { bytes }) => sum + bytes, 0) / packets,
  };
}

function judge(count: number, { ours, bare, storing }: Sides, mbPerThousand: number) {
  const at = `${count} ${count === 1 ? 'process' : 'processes'}`;
  const beside = (other: Side, kinds: readonly (keyof Delays)[]) =>
    percentile(delaysOf(ours, kinds), 0.95) / percentile(delaysOf(other, kinds), 0.95);
  const times = { limit: LIMIT_BESIDE_BARE, unit: 'times' };
  verdicts.push(
    {
      what: `${at}: news to each who hears them, p95, beside Socket.IO alone with the same adapter, which stores a row where ours does`,
      ...{ value: beside(storing, NEWS), ...times },
    },
    {
      what: `${at}: positions, which are told before they are stored, p95, beside Socket.IO alone with the same adapter`,
      ...{ value: beside(bare, ['position']), ...times },
    },
    {
      what: `${at}: packets that members hear for each act, more or fewer than of Socket.IO alone`,
      value: Math.abs(heardOf(ours).packetsPerAct / heardOf(bare).packetsPerAct - 1),
      ...{ limit: LIMIT_DIFFERENT, unit: 'of them' },
    },
    { what: `${at}: acts that were refused`, value: ours.refused, limit: 0, unit: 'acts' },
  );
  const other = (own: keyof Delays, others: keyof Delays) =>
    percentile(delaysOf(ours, [others]), 0.95) - percentile(delaysOf(ours, [own]), 0.95);
  if (count > 1)
    verdicts.push(
      {
        what: `${at}: news of a grant to those at another process beside those at the talker's own, p95`,
        ...{ value: other('floorOwn', 'floorOther'), limit: LIMIT_OTHER_MS, unit: 'ms' },
      },
      {
        what: `${at}: a grant where another process changed the floor last, beside one where the talker's own did, p95`,
        ...{ value: other('grantOwn', 'grantOther'), limit: LIMIT_OTHER_MS, unit: 'ms' },
      },
    );
  const kinds: (keyof Delays)[] = ['grantOwn', 'grantOther', ...NEWS, 'presence'];
  const of = (side: Side) => ({
    delayMs: Object.fromEntries(kinds.map((kind) => [kind, spreadOf(delaysOf(side, [kind]))])),
    actsPerSecond: round(side.acts / (TURNS * TURN_S)),
    newsPerSecond: round((heardOf(side).packetsPerAct * side.acts) / (TURNS * TURN_S)),
    packetsPerAct: round(heardOf(side).packetsPerAct),
    bytesPerPacket: round(heardOf(side).bytesPerPacket),
    refused: side.refused,
    /** Cores that all its processes used together; 1 is one core. */
    cores: round(side.processorMs / (TURNS * TURN_S * 1_000)),
    processorMsPerAct: round(side.processorMs / side.acts),
  });
  const result = {
    ...{ ours: of(ours), storing: of(storing), bare: of(bare) },
    besideBare: Object.fromEntries(kinds.map((kind) => [kind, round(beside(bare, [kind]))])),
    besideStoring: Object.fromEntries(kinds.map((kind) => [kind, round(beside(storing, [kind]))])),
    mbPerThousandMembers: round(mbPerThousand),
  };
  console.log(JSON.stringify({ processes: count, ...result }, null, 2));
  return result;
}
