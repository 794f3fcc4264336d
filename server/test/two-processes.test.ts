import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ChannelId } from '@pressel/contract/ids';
import { FLOOR_LEASE_MS, FLOOR_TICK_MS } from '@pressel/contract/limits';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { type Processes, type ServerProcess, startProcesses } from './processes.ts';
import {
  enterAsPage,
  type Member,
  makeChannelAt,
  messagesAt,
  type RoomClient,
  sendTextAt,
  signUpAt,
} from './room-client.ts';
import { startServer } from './start-server.ts';
import { waitUntil } from './wait-until.ts';

/** The short part of `npm run test:processes`: two real processes on one PostgreSQL and one Redis, without a balancer in between. */
describe.skipIf(inject('redis') === null)('two processes', { timeout: 240_000 }, () => {
  let processes: Processes;
  let [first, second]: ServerProcess[] = [];
  let [ana, bo]: Member[] = [];
  let nord: ChannelId;
  let [anaPage, boPage]: RoomClient[] = [];
  beforeAll(async () => {
    processes = await startProcesses({ count: 2, cluster: inject('cluster') });
    [first, second] = processes.servers as [ServerProcess, ServerProcess];
    ana = await signUpAt(first.origin, 'Ana');
    bo = await signUpAt(second.origin, 'Bo');
    nord = await makeChannelAt(second.origin, ana, 'Nord', [ana, bo]);
    anaPage = await enterAsPage(() => first?.origin || (second?.origin ?? ''), ana, nord);
    boPage = await enterAsPage(() => second?.origin ?? '', bo, nord);
  }, 240_000);
  afterAll(async () => {
    anaPage?.close();
    boPage?.close();
    await processes?.close();
  });

  test('are one room, with one floor and one discussion', async () => {
    await waitUntil(() => anaPage?.others().includes(boPage?.id as never) ?? false);
    expect(boPage?.others()).toEqual([anaPage?.id]);
    expect(await anaPage?.press()).toMatchObject({ type: 'granted' });
    expect(await boPage?.press()).toMatchObject({ type: 'denied', reason: 'taken' });
    await waitUntil(() => boPage?.floor().talkers[0] === anaPage?.id);
    await anaPage?.release();
    await waitUntil(() => boPage?.floor().talkers.length === 0);
    expect(await boPage?.press()).toMatchObject({ type: 'granted' });
    await boPage?.release();

    const message = await sendTextAt(first?.origin ?? '', ana as Member, nord, 'Hello');
    await waitUntil(() => (boPage?.of('messageResponse').length ?? 0) > 0);
    expect(await messagesAt(second?.origin ?? '', bo?.token ?? '', nord)).toMatchObject([{ id: message.id }]);
  });

  test('[FILE11] a process with another folder of files refuses to start, and says what to do', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'pressel-other-'));
    const { databaseUrl, redis } = processes;
    const run = startServer({ DATA_DIR: dataDir, DATABASE_URL: databaseUrl, REDIS_URL: redis.url, LOG_LEVEL: 'warn' });
    expect(await run.ended).toBe(1);
    expect(run.errors()).toContain('DATA_DIR/files is not the folder of the processes that run on this database');
    // Nothing of it is left, and the others go on.
    await rm(dataDir, { recursive: true });
    expect((await fetch(`${first?.origin}/readyz`)).status).toBe(200);
  });

  test('the floor of a process that is killed is free within its lease, or its talker goes on by the other one', async () => {
    expect(await anaPage?.press()).toMatchObject({ type: 'granted' });
    await waitUntil(() => boPage?.floor().talkers[0] === anaPage?.id);
    const killedAt = performance.now();
    await first?.stop('SIGKILL');
    await waitUntil(() => anaPage?.isThere() === true);
    expect(anaPage?.ids.size).toBe(1);
    // By then it is back and talks on; otherwise its claim is over.
    await waitUntil(
      () => performance.now() - killedAt > FLOOR_LEASE_MS + FLOOR_TICK_MS || anaPage?.isTalking() === true,
    );
    if (anaPage?.isTalking() === true) expect(await boPage?.press()).toMatchObject({ type: 'denied', reason: 'taken' });
    await anaPage?.release();
    await waitUntil(async () => (await boPage?.press())?.type === 'granted');
    await boPage?.release();
    await sendTextAt(second?.origin ?? '', ana as Member, nord, 'Still here');
    expect(await messagesAt(second?.origin ?? '', bo?.token ?? '', nord)).toHaveLength(2);
  });

  test('[PROC51] a process that is told to end waits 2 s for another one to take over whoever is in a room by it', async () => {
    const toldAt = performance.now();
    expect(await second?.stop('SIGTERM')).toBe(0);
    expect(performance.now() - toldAt).toBeGreaterThan(2_000);
  });
});
