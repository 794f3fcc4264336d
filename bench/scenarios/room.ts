/**
 * The chat of a room of two hundred: delays of messages and how many fit into a second, beside Socket.IO alone telling the same to as many,
 * in turns within one run. Also memory over the messages and positions of a busy hour, and pages of a channel that has a hundred thousand
 * messages. Clients and servers share the machine. Smaller: `npm run bench -- room 50`.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { changeUsers } from '@pressel/contract/users';
import { createApi, type Person } from '@pressel/e2e/harness/api';
import { startPressel } from '@pressel/e2e/harness/server-process';
import { type Crowd, gather, spreadOf } from '../shared/crowd.ts';
import { measureHistory } from '../shared/history-calls.ts';
import { gatherPositions, type PositionCrowd } from '../shared/position-crowd.ts';
import { conclude, median, percentile, round, type Verdict } from '../shared/report.ts';

const [size = 200] = process.argv.slice(2).map(Number);
const ROUNDS = 4;
const PER_SECOND = 20;
const ROUND_S = 8;
const FLOOD_SENDERS = 20;
const FLOOD_MESSAGES = 600;
/** A busy hour: one message a second, compressed. */
const HOUR_MESSAGES = 3_600;
const HOUR_PER_SECOND = 40;
const HOUR_PARTS = 6;
const BULK = 100;
const HOUR_MOVES_PER_SECOND = 50;
const LIMIT_DELAY = 1.5;
const LIMIT_RATE = 1.5;
const LIMIT_GROWTH = 1.1;

const bareHost = fork(join(import.meta.dirname, '../../server/test/bare-room-host.ts'));
const [{ origin: bareOrigin }] = (await once(bareHost, 'message')) as [{ origin: string }];
const server = await startPressel({ LOG_LEVEL: 'error' });
const verdicts: Verdict[] = [];
const figures: Record<string, unknown> = { members: size };
try {
  const api = createApi(server.origin);
  const admin = await api.person('Admin');
  const people: Person[] = [];
  for (let index = 0; index < size; index += 1) people.push(await api.person(`Member${index}`, admin.token));
  for (let from = 0; from < size; from += BULK) {
    const userIds = people.slice(from, from + BULK).map(({ id }) => id);
    await api.call(changeUsers, { userIds, change: { type: 'setMapRight', mapRight: true } }, admin.token);
  }
  const { rtcSession } = await api.channel(admin, 'Room', people);
  const tokens = people.map(({ token }) => token);
  const bare = await gather(bareOrigin, tokens, rtcSession);
  const ours = await gather(server.origin, tokens, rtcSession);
  await compare(bare, ours);
  bare.close();
  const moving = await gatherPositions(server.origin, tokens, true);
  await liveAnHour(ours, moving);
  moving.close();
  ours.close();
} finally {
  bareHost.disconnect();
  await server.dispose();
}
const history = await measureHistory();
console.log(JSON.stringify({ ...figures, history: history.figures }, null, 2));
conclude('room', { ...figures, history: history.figures }, [...verdicts, ...history.verdicts]);

/** Compares both in turns, so that the machine's other work meets both. */
async function compare(bare: Crowd, ours: Crowd): Promise<void> {
  const delays = { bare: [] as number[], ours: [] as number[] };
  const rates = { bare: [] as number[], ours: [] as number[] };
  for (const crowd of [bare, ours]) await crowd.talk(5 * PER_SECOND, PER_SECOND);
  for (let round = 0; round < ROUNDS; round += 1) {
    delays.bare.push(...(await bare.talk(ROUND_S * PER_SECOND, PER_SECOND)));
    delays.ours.push(...(await ours.talk(ROUND_S * PER_SECOND, PER_SECOND)));
    rates.bare.push(await bare.flood(FLOOD_SENDERS, FLOOD_MESSAGES));
    rates.ours.push(await ours.flood(FLOOD_SENDERS, FLOOD_MESSAGES));
  }
  figures.delayMs = { bare: spreadOf(delays.bare), ours: spreadOf(delays.ours) };
  console.log(JSON.stringify(figures.delayMs));
  figures.messagesPerSecond = { bare: round(median(rates.bare)), ours: round(median(rates.ours)) };
  verdicts.push({
    what: `delay to ${size} members at ${PER_SECOND} messages a second, p95, beside Socket.IO alone`,
    value: percentile(delays.ours, 0.95) / percentile(delays.bare, 0.95),
    limit: LIMIT_DELAY,
    unit: 'times',
  });
  verdicts.push({
    what: `messages a second to ${size} members as fast as ${FLOOD_SENDERS} can send: Socket.IO alone beside ours`,
    value: median(rates.bare) / median(rates.ours),
    limit: LIMIT_RATE,
    unit: 'times',
  });
}

async function liveAnHour(ours: Crowd, moving: PositionCrowd): Promise<void> {
  const residentMb: number[] = [];
  for (let part = 0; part < HOUR_PARTS; part += 1) {
    const messages = HOUR_MESSAGES / HOUR_PARTS;
    const moves = (messages / HOUR_PER_SECOND) * HOUR_MOVES_PER_SECOND;
    await Promise.all([ours.talk(messages, HOUR_PER_SECOND), moving.move(moves, HOUR_MOVES_PER_SECOND)]);
    residentMb.push(residentOf(server.pid));
  }
  figures.residentMbOverAnHour = residentMb;
  const [first = 0, last = 0] = [Math.max(...residentMb.slice(0, 2)), Math.min(...residentMb.slice(-2))];
  verdicts.push({
    what: 'memory at the end of an hour of messages and positions, beside its first third',
    value: last / first,
    limit: LIMIT_GROWTH,
    unit: 'times',
  });
}

/** @throws Error where there is no /proc */
function residentOf(pid: number): number {
  const kb = /^VmRSS:\s+(\d+)/mu.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return round(Number(kb) / 1_024);
}
