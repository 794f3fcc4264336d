/**
 * One, two and three processes with 2,000 members in 100 channels, who talk, write, move, come and go at once: delays, throughput,
 * processor time, and memory per 1,000 members. Beside them, in turns within one run, Socket.IO alone over as many processes with the same
 * adapter, which tells as many the same. Clients, servers, PostgreSQL and Redis share the machine; clients choose a process by chance, as a
 * balancer would. The whole takes about 8 minutes. Smaller: `npm run bench -- scale 200 10 5` (members, channels, seconds of a turn).
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { startHost } from '../shared/host.ts';
import { processorTime } from '../shared/processor-time.ts';
import { conclude, percentile, round, type Verdict } from '../shared/report.ts';
import { type Delays, gatherAtScale, type Load, type ScaleCrowd } from '../shared/scale-crowd.ts';

const [MEMBERS = 2_000, CHANNELS = 100, TURN_S = 20] = process.argv.slice(2).map(Number);
const TURNS = 2;
/** Before anything is measured: both servers are as warm as each other. */
const WARM_S = 5;
const share = MEMBERS / 2_000;
const LOAD: Load = { talks: 40 * share, messages: 20 * share, positions: 200 * share, moves: 4 * share, drops: 0 };
const LIMIT_BESIDE_BARE = 1.5;
const LIMIT_OTHER_MS = 5;

/** What `server/test/processes-host.ts` answers. */
interface State {
  origins: string[];
  pids: number[];
  redisUrl: string;
}
interface Team {
  tokens: string[];
  channelIds: string[];
}
interface Side {
  pids: readonly number[];
  crowd: ScaleCrowd;
  delays: Delays[];
  processorMs: number;
  acts: number;
  refused: number;
}

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
  const { origins, pids, redisUrl } = host.ready as State;
  const bareHosts = Array.from({ length: count }, () =>
    fork(join(import.meta.dirname, '../../server/test/bare-scale-host.ts'), [redisUrl]),
  );
  try {
    const { tokens, channelIds } = (await host.ask({ ask: 'fill', members: MEMBERS, channels: CHANNELS })) as Team;
    const told = (await Promise.all(bareHosts.map((bare) => once(bare, 'message')))) as [{ origin: string }][];
    const emptyMb = residentMb(pids);
    const open = async (of: readonly string[], isBare: boolean, ofPids: readonly number[]): Promise<Side> => ({
      pids: ofPids,
      crowd: await gatherAtScale({ origins: of, tokens, channelIds, isBare }),
      ...{ delays: [], processorMs: 0, acts: 0, refused: 0 },
    });
    const ours = await open(origins, false, pids);
    const fullMb = residentMb(pids);
    const bare = await open(
      told.map(([{ origin }]) => origin),
      true,
      bareHosts.map(({ pid = 0 }) => pid),
    );
    for (const { crowd } of [bare, ours]) await crowd.run(LOAD, WARM_S);
    // In turns, so that what else the machine does is done to both.
    for (let turn = 0; turn < TURNS; turn += 1) for (const side of [bare, ours]) await runTurn(side);
    for (const { crowd } of [bare, ours]) crowd.close();
    return judge(count, ours, bare, (fullMb - emptyMb) / (MEMBERS / 1_000));
  } finally {
    for (const bare of bareHosts) bare.disconnect();
    await host.ask({ ask: 'close' }).catch(() => undefined);
  }
}

async function runTurn(side: Side): Promise<void> {
  const before = processorMs(side.pids);
  const { refused, acts, ...delays } = await side.crowd.run(LOAD, TURN_S);
  side.processorMs += processorMs(side.pids) - before;
  side.delays.push(delays);
  side.acts += acts;
  side.refused += refused;
}

function judge(count: number, ours: Side, bare: Side, mbPerThousand: number) {
  const all = (side: Side, kind: keyof Delays) => side.delays.flatMap((delays) => delays[kind]);
  const floor = (side: Side) => [...all(side, 'floorOwn'), ...all(side, 'floorOther')];
  const at = `${count} ${count === 1 ? 'process' : 'processes'}`;
  const fanOut = (side: Side) => [...floor(side), ...all(side, 'message'), ...all(side, 'position')];
  verdicts.push({
    what: `${at}: news to each who hears them, p95, beside Socket.IO alone with the same adapter`,
    value: percentile(fanOut(ours), 0.95) / percentile(fanOut(bare), 0.95),
    limit: LIMIT_BESIDE_BARE,
    unit: 'times',
  });
  verdicts.push({ what: `${at}: acts that were refused`, value: ours.refused, limit: 0, unit: 'acts' });
  if (count > 1)
    verdicts.push({
      what: `${at}: a grant to those at another process beside those at the talker's own, p95`,
      value: percentile(all(ours, 'floorOther'), 0.95) - percentile(all(ours, 'floorOwn'), 0.95),
      limit: LIMIT_OTHER_MS,
      unit: 'ms',
    });
  const kinds: (keyof Delays)[] = ['grant', 'floorOwn', 'floorOther', 'message', 'position', 'presence'];
  const of = (side: Side) => ({
    delayMs: Object.fromEntries(kinds.map((kind) => [kind, spreadOf(all(side, kind))])),
    actsPerSecond: round(side.acts / (TURNS * TURN_S)),
    newsPerSecond: round((fanOut(side).length + all(side, 'presence').length) / (TURNS * TURN_S)),
    refused: side.refused,
    /** Of all its processes together; 1 is one core. */
    cores: round(side.processorMs / (TURNS * TURN_S * 1_000)),
  });
  const result = { ours: of(ours), bare: of(bare), mbPerThousandMembers: round(mbPerThousand) };
  console.log(JSON.stringify({ processes: count, ...result }, null, 2));
  return result;
}
