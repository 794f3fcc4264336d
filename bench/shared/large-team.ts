import type { ChannelId } from '@pressel/contract/ids';
import { createApi, type Person } from '@pressel/e2e/harness/api';
import { startHost } from './host.ts';

/** The channel of many messages, as server/test/lists-host.ts makes it. */
export const LONG_CHANNEL = '01900000-0000-7000-8000-0000000000aa' as ChannelId;

export interface TeamSize {
  users: number;
  channels: number;
  memberships: number;
  activities: number;
  /** Messages in LONG_CHANNEL, of which the administrator is a member. */
  messages?: number;
}

/** Whether the server keeps to its allowances. Benches that repeat one call without pause switch them off. */
export type Allowances = 'with' | 'without';

/** A server with a large team, and its database to itself. Close it at the end. */
export interface LargeTeam {
  origin: string;
  /** Runs a statement that is posted there (`{ sql }`), with nothing but Fastify and JSON around it. */
  bareOrigin: string;
  admin: Person;
  /** Everybody gets a position and a session. @returns their tokens */
  scatter(): Promise<string[]>;
  /** From now on keeps the statements of calls, and forgets earlier ones. Make one call after it. */
  recall(): Promise<void>;
  /** Runs the kept statements again, with nothing around them. @returns ms, and how many they were */
  bare(): Promise<{ ms: number; statements: number }>;
  /** Runs a statement on the database, with nothing around it. @returns ms, and its rows */
  time<Row>(sql: string): Promise<{ ms: number; rows: Row[] }>;
  /** The longest time that work held the server's event loop since the last question, ms of processor time. */
  held(): Promise<number>;
  close(): Promise<void>;
}

/** Starts the host of server/test/lists-host.ts, which describes its requests and replies, and fills it. */
export async function startLargeTeam(size: TeamSize, allowances: Allowances = 'without'): Promise<LargeTeam> {
  const host = await startHost('lists-host.ts', [allowances]);
  const { origin, bareOrigin } = host.ready as { origin: string; bareOrigin: string };
  // The first account becomes administrator; the others come without passwords, straight into the tables.
  const admin = await createApi(origin).person('Admin');
  const { ask } = host;
  await ask({ ask: 'fill', size });
  return {
    origin,
    bareOrigin,
    admin,
    scatter: async () => ((await ask({ ask: 'scatter' })) as { tokens: string[] }).tokens,
    recall: async () => void (await ask({ ask: 'recall' })),
    bare: async () => (await ask({ ask: 'bare' })) as { ms: number; statements: number },
    time: async <Row>(sql: string) => (await ask({ ask: 'time', sql })) as { ms: number; rows: Row[] },
    held: async () => ((await ask({ ask: 'held' })) as { ms: number }).ms,
    close: host.close,
  };
}
