/**
 * The cost of many people entering and leaving one room, for each join and leave: bytes that all participants receive,
 * and processor time of the server and its database. Clients and server share the machine; processor time is counted by
 * process. Other sizes: `npm run bench -- presence 50 200`.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { createApi, type Person } from '@pressel/e2e/harness/api';
import { startPressel } from '@pressel/e2e/harness/server-process';
import { connectPresence, type PresenceClient } from '../shared/presence-client.ts';
import { processorTime } from '../shared/processor-time.ts';
import { conclude, round, type Verdict } from '../shared/report.ts';

const given = process.argv.slice(2).map(Number);
const SIZES = given.length > 0 ? given : [50, 200, 1_000];
/** How many act at the same time, as when a shift begins. */
const AT_ONCE = 10;
/** Everything has arrived when nothing came for this long. */
const QUIET_MS = 1_500;
/** Growth of the cost of one join, beside the growth of the room: 1 is linear. Processor time is less exact. */
const LIMIT_BYTES = 1.1;
const LIMIT_PROCESSOR = 1.25;
/** A smaller cost counts as this much: if all close at once, nobody is left to be told. */
const NOTHING_KB = 1;
/** Limit for the news to each participant while two people a second come or go, kB/s. */
const LIMIT_NEWS = 1;
const CHANGES_A_SECOND = 2;
const PHASES = ['connect', 'join', 'leave', 'disconnect'] as const;

type Phase = (typeof PHASES)[number];
/** The cost for each participant who does it once. */
interface Cost {
  receivedByAllKb: number;
  messagesToAll: number;
  serverMs: number;
  serverAndDatabaseMs: number;
  takesMs: number;
}
type Costs = Record<Phase, Cost>;

const server = await startPressel({ LOG_LEVEL: 'error' });
const bySize: { size: number; costs: Costs }[] = [];
try {
  const api = createApi(server.origin);
  const admin = await api.person('Admin');
  const people: Person[] = [];
  const missing = Array.from({ length: Math.max(...SIZES) }, (_, index) => `Member${index}`);
  await inGroups(missing, async (name) => void people.push(await api.person(name, admin.token)));
  for (const size of SIZES) {
    const { rtcSession } = await api.channel(admin, `Room of ${size}`, people.slice(0, size));
    const costs = await measure(people.slice(0, size), rtcSession);
    console.log(`${size}:`, JSON.stringify(costs));
    bySize.push({ size, costs });
  }
} finally {
  await server.dispose();
}

async function measure(people: readonly Person[], room: string): Promise<Costs> {
  const clients: PresenceClient[] = [];
  /** Sums up what all clients received, even those that are gone. */
  const received = () => {
    const all = clients.map((client) => client.received());
    return {
      bytes: all.reduce((sum, one) => sum + one.bytes, 0),
      messages: all.reduce((sum, one) => sum + one.messages, 0),
    };
  };
  const quiet = async () => {
    for (let last = -1; received().bytes !== last; await sleep(QUIET_MS)) last = received().bytes;
  };
  const costOf = async (act: () => Promise<void>): Promise<Cost> => {
    const before = { ...received(), ...processorTime(server.pid), at: performance.now() };
    await act();
    const takesMs = performance.now() - before.at;
    await quiet();
    const after = { ...received(), ...processorTime(server.pid) };
    const each = (sum: number) => round(sum / people.length);
    return {
      receivedByAllKb: each((after.bytes - before.bytes) / 1_000),
      messagesToAll: each(after.messages - before.messages),
      serverMs: each(after.own - before.own),
      serverAndDatabaseMs: each(after.all - before.all),
      takesMs: each(takesMs),
    };
  };
  return {
    connect: await costOf(() =>
      inGroups(people, async ({ token }) => void clients.push(await connectPresence(server.origin, token))),
    ),
    join: await costOf(() => inGroups(clients, async (client) => void (await client.join(room)))),
    leave: await costOf(() => inGroups(clients, (client) => client.leave())),
    disconnect: await costOf(() => inGroups([...clients], (client) => client.close())),
  };
}

/** Runs a few at a time, the next as soon as one is done. */
async function inGroups<T>(all: readonly T[], act: (one: T) => Promise<void>): Promise<void> {
  const left = all.values();
  const work = async () => {
    for (const one of left) await act(one);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
}

/** The part of the news of entering and leaving that goes to each of the others. */
const news = bySize.map(({ size, costs: { join, leave } }): Verdict => {
  const ofOne = (join.receivedByAllKb + leave.receivedByAllKb) / 2 / size;
  return {
    what: `${size}: news to each participant, at ${CHANGES_A_SECOND} changes a second`,
    value: ofOne * CHANGES_A_SECOND,
    limit: LIMIT_NEWS,
    unit: 'kB/s',
  };
});

const growth = bySize.slice(1).flatMap(({ size, costs }, index): Verdict[] => {
  const smaller = bySize[index];
  if (smaller === undefined) return [];
  const grown = (of: (cost: Cost) => number, phase: Phase) =>
    of(costs[phase]) / of(smaller.costs[phase]) / (size / smaller.size);
  return PHASES.flatMap((phase) => [
    {
      what: `${phase}, ${smaller.size} to ${size}: bytes received by all, beside the growth of the room`,
      value: grown((cost) => Math.max(cost.receivedByAllKb, NOTHING_KB), phase),
      limit: LIMIT_BYTES,
      unit: 'times',
    },
    {
      what: `${phase}, ${smaller.size} to ${size}: processor time of server and database, beside the growth of the room`,
      value: grown((cost) => cost.serverAndDatabaseMs, phase),
      limit: LIMIT_PROCESSOR,
      unit: 'times',
    },
  ]);
});
conclude('presence', { atOnce: AT_ONCE, perParticipant: bySize }, [...news, ...growth]);
