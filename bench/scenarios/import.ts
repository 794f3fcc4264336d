/**
 * An import of users on the real server with its embedded database, while somebody else works. It measures a small call
 * before and meanwhile, and how near the hashing of passwords comes to nothing but hashing. Client and server share the
 * machine. Smaller: `npm run bench -- import 2000` (rows).
 */
import { randomUUID } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { hash } from '@node-rs/argon2';
import { getAllChannels } from '@pressel/contract/channels';
import { createMultipleChannels, createMultipleUsers, getImport } from '@pressel/contract/transfer';
import { createApi, type Person } from '@pressel/e2e/harness/api';
import { startPressel } from '@pressel/e2e/harness/server-process';
import { io } from 'socket.io-client';
import { conclude, percentile, round } from '../shared/report.ts';

const [rowCount = 10_000] = process.argv.slice(2).map(Number);
const CHANNELS = 200;
const CHANNELS_PER_USER = 3;
const CALL_EVERY_MS = 50;
const ALONE_MS = 10_000;
const BARE_MS = 10_000;
const ASK_EVERY_MS = 500;
/** The most that others may notice of an import. */
const LIMIT_CALL_P95_MS = 100;
/** Calls of others, progress and the rest may take a fifth of the machine from the hashing. */
const LIMIT_HASH_TIME = 1.25;
/** The server's own (RFC 9106, OWASP). */
const ARGON2ID = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;

const bareHashesPerSecond = await hashAlone();
const server = await startPressel({ LOG_LEVEL: 'error' });
try {
  const api = createApi(server.origin);
  const admin = await api.person('Admin');
  const channelData = Array.from({ length: CHANNELS }, (_, index) => ({ name: `Canal ${index}` }));
  await api.call(createMultipleChannels, { channelData }, admin.token);

  const alone = callAgainAndAgain(admin);
  await sleep(ALONE_MS);
  const aloneMs = await alone.stop();

  const hashing = await watchProgress(admin);
  const calls = callAgainAndAgain(admin);
  const begun = performance.now();
  const created = await importUsers(admin);
  const importSeconds = (performance.now() - begun) / 1_000;
  const meanwhileMs = await calls.stop();
  const hashingSeconds = hashing.close();
  if (created !== rowCount) throw new Error(`${created} users were created`);

  const hashesPerSecond = rowCount / hashingSeconds;
  const figures = {
    rows: rowCount,
    channels: CHANNELS,
    membershipsPerUser: CHANNELS_PER_USER,
    callAloneMs: spreadOf(aloneMs),
    callDuringImportMs: spreadOf(meanwhileMs),
    importSeconds: round(importSeconds),
    besidesHashingSeconds: round(importSeconds - hashingSeconds),
    hashesPerSecond: round(hashesPerSecond),
    bareHashesPerSecond: round(bareHashesPerSecond),
  };
  console.log(JSON.stringify(figures, null, 2));
  conclude('import', figures, [
    {
      what: "somebody else's call during an import, p95",
      value: percentile(meanwhileMs, 0.95),
      limit: LIMIT_CALL_P95_MS,
      unit: 'ms',
    },
    {
      what: 'time per password, against nothing but hashing',
      value: bareHashesPerSecond / hashesPerSecond,
      limit: LIMIT_HASH_TIME,
      unit: 'times',
    },
  ]);
} finally {
  await server.dispose();
}

/** The answer may take longer than Node's fetch waits for one (5 minutes). Then the client asks for the outcome. */
async function importUsers({ token }: Pick<Person, 'token'>): Promise<number> {
  const api = createApi(server.origin);
  const importId = randomUUID();
  try {
    return (await api.call(createMultipleUsers, { userData: rows(), importId }, token)).createdUsers.length;
  } catch (error) {
    for (;;) {
      const { res } = await api.call(getImport, { importId }, token);
      if (res.state === 'users') return res.outcome.created.length;
      if (res.state !== 'running') throw error;
      await sleep(ASK_EVERY_MS);
    }
  }
}

function rows() {
  return Array.from({ length: rowCount }, (_, index) => ({
    row: index + 2,
    firstName: `Prénom ${index}`,
    lastName: `Nom ${index}`,
    identifier: `user${index}@example.org`,
    pseudo: `Pseudo ${index}`,
    password: `secret ${index}`,
    mapRight: index % 2 === 0 ? 'VRAI' : 'FAUX',
    canal: Array.from({ length: CHANNELS_PER_USER }, (_, seat) => `Canal ${(index + seat * 7) % CHANNELS}`).join(';'),
  }));
}

/** A page of channels at a steady pace, whether or not earlier ones were answered: a server that stands still shows. */
function callAgainAndAgain({ token }: Pick<Person, 'token'>) {
  const api = createApi(server.origin);
  const durations: number[] = [];
  const open: Promise<void>[] = [];
  const timer = setInterval(() => {
    const asked = performance.now();
    const answered = api.call(getAllChannels, { limit: 5 }, token);
    open.push(answered.then(() => void durations.push(performance.now() - asked)));
  }, CALL_EVERY_MS);
  return {
    async stop(): Promise<number[]> {
      clearInterval(timer);
      await Promise.all(open);
      return durations;
    },
  };
}

/** Takes the time from the first sign of progress to the last. */
async function watchProgress({ token }: Pick<Person, 'token'>) {
  const socket = io(server.origin, { auth: { token }, transports: ['websocket'], reconnection: false });
  await new Promise<void>((resolve, reject) => {
    socket.once('connect', resolve);
    socket.once('connect_error', reject);
  });
  const moments: number[] = [];
  socket.on('import_progress', () => moments.push(performance.now()));
  return {
    close(): number {
      socket.close();
      return ((moments.at(-1) ?? 0) - (moments[0] ?? 0)) / 1_000;
    },
  };
}

/** Hashes without anything else on all cores. @returns hashes a second */
async function hashAlone(): Promise<number> {
  const end = performance.now() + BARE_MS;
  let count = 0;
  const lane = async () => {
    while (performance.now() < end) {
      await hash(`secret ${count}`, ARGON2ID);
      count += 1;
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() }, lane));
  return count / (BARE_MS / 1_000);
}

/** The median and other figures of many durations, in ms. */
function spreadOf(durations: readonly number[]) {
  const at = (share: number) => round(percentile(durations, share));
  return { count: durations.length, p50: at(0.5), p95: at(0.95), p99: at(0.99), max: at(1) };
}
