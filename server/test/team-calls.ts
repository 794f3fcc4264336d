import { randomUUID } from 'node:crypto';
import type { CallId } from '@pressel/contract/calls';
import { eq, sql } from 'drizzle-orm';
import { expect, onTestFinished } from 'vitest';
import type { Tx } from '#src/db/connect.ts';
import { calls } from '#src/db/schema/calls.ts';
import { moveCall } from '#src/features/calls/calls.repository.ts';
import type { Person, TestApp } from './build-test-app.ts';
import { caughtUp, type Team } from './factories.ts';
import type { TestSocket } from './socket-client.ts';

export const connect = async (t: TestApp, { token }: Person): Promise<TestSocket> => {
  const socket = await t.connect(token);
  await caughtUp(socket);
  return socket;
};

/** Ana calls Bo. */
export async function ring(ana: TestSocket, bo: TestSocket, team: Team): Promise<CallId> {
  const ack = await ana.send('call_start', { userId: team.bo.id });
  if (!ack.ok) throw new Error(ack.code);
  await bo.next('call_ring');
  return ack.data.callId;
}

/** Ana calls Bo, who takes the call. */
export async function callBetween(ana: TestSocket, bo: TestSocket, team: Team): Promise<CallId> {
  const callId = await ring(ana, bo, team);
  expect(await bo.send('call_accept', { callId })).toEqual({ ok: true, data: {} });
  await ana.next('call_accepted');
  return callId;
}

/** Ends a socket's connection without a goodbye, as a lost network does. */
export async function lose(socket: TestSocket): Promise<void> {
  socket.raw.io.engine.close();
  await socket.disconnected;
}

/** Holds a call's row, so that nobody can change it; then changes it, and lets it go. */
export async function holdRow({ database: { db } }: Pick<TestApp, 'database'>, callId: CallId) {
  const [held, released] = [Promise.withResolvers<void>(), Promise.withResolvers<(tx: Tx) => Promise<unknown>>()];
  const work = db.transaction(async (tx) => {
    await tx.select().from(calls).where(eq(calls.id, callId)).for('update');
    held.resolve();
    await (await released.promise)(tx);
  });
  await held.promise;
  onTestFinished(() => released.resolve(async () => undefined));
  return {
    release: (change: (tx: Tx) => Promise<unknown> = async () => undefined) => {
      released.resolve(change);
      return work;
    },
    /** Whether a statement with these words waits for the row. */
    async isAwaited(words: string): Promise<boolean> {
      const { rows } = await db.execute(sql`select 1 from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock' and query ilike ${`%calls%${words}%`}`);
      return rows.length > 0;
    },
  };
}

/** Lets no end of a call be stored. Permit them again before the test's end: the next test may get this database. */
export const refuseEnds = ({ database: { db } }: Pick<TestApp, 'database'>): Promise<unknown> =>
  db.execute(sql`alter table calls add constraint no_end check (ended_at is null) not valid`);
export const permitEnds = ({ database: { db } }: Pick<TestApp, 'database'>): Promise<unknown> =>
  db.execute(sql`alter table calls drop constraint if exists no_end`);

/** Bo goes on at another process, and no other process hears of it: Redis lost the news. */
export const moveBo =
  (callId: CallId, { id: socket }: TestSocket) =>
  (tx: Tx) =>
    moveCall(tx, callId, 'callee', { serverId: randomUUID(), socket });
