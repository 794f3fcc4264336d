import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { ChannelId } from '@pressel/contract/ids';
import { createApi, type Person } from '@pressel/e2e/harness/api';

/** The channel of many messages, as server/test/lists-host.ts makes it. */
export const LONG_CHANNEL = '01900000-0000-7000-8000-0000000000aa' as ChannelId;

export interface TeamSize {
  users: number;
  channels: number;
  memberships: number;
  activities: number;
  /** In LONG_CHANNEL, of which the administrator is a member. */
  messages?: number;
}

/** A server with a large team, and its database to itself. Close it at the end. */
export interface LargeTeam {
  origin: string;
  /** Runs a statement that is posted there (`{ sql }`), with nothing but Fastify and JSON around it. */
  bareOrigin: string;
  admin: Person;
  /** Everybody gets a position and a session. @returns their tokens */
  scatter(): Promise<string[]>;
  /** From now on the statements of calls are kept, those before forgotten. Make one call after it. */
  recall(): Promise<void>;
  /** Runs the kept statements again, with nothing around them. @returns ms, and how many they were */
  bare(): Promise<{ ms: number; statements: number }>;
  /** Runs a statement on the database, with nothing around it. @returns ms, and its rows */
  time<Row>(sql: string): Promise<{ ms: number; rows: Row[] }>;
  close(): Promise<void>;
}

/** Starts the host of server/test/lists-host.ts and fills it: the requests and replies are told there. */
export async function startLargeTeam(size: TeamSize): Promise<LargeTeam> {
  const host = fork(join(import.meta.dirname, '../../server/test/lists-host.ts'), {
    env: { ...process.env, NODE_ENV: 'production' },
  });
  const { origin, bareOrigin } = (await reply(host)) as { origin: string; bareOrigin: string };
  // The first account becomes administrator; the others come without passwords, straight into the tables.
  const admin = await createApi(origin).person('Admin');
  const ask = async (request: object): Promise<unknown> => {
    host.send(request);
    return reply(host);
  };
  await ask({ ask: 'fill', size });
  return {
    origin,
    bareOrigin,
    admin,
    scatter: async () => ((await ask({ ask: 'scatter' })) as { tokens: string[] }).tokens,
    recall: async () => void (await ask({ ask: 'recall' })),
    bare: async () => (await ask({ ask: 'bare' })) as { ms: number; statements: number },
    time: async <Row>(sql: string) => (await ask({ ask: 'time', sql })) as { ms: number; rows: Row[] },
    async close() {
      const ended = once(host, 'exit');
      host.send({ ask: 'close' });
      await ended;
    },
  };
}

/** @throws Error when the host ends instead of answering */
async function reply(host: ChildProcess): Promise<unknown> {
  const ended = new AbortController();
  const fail = once(host, 'exit', { signal: ended.signal }).then(([code]) => {
    throw new Error(`The host of the bench ended with ${code}`);
  });
  const answered = once(host, 'message', { signal: ended.signal }).then(([message]: unknown[]) => message);
  try {
    return await Promise.race([answered, fail]);
  } finally {
    ended.abort();
    await Promise.allSettled([answered, fail]);
  }
}
