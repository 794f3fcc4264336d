import type { ChannelId } from '@pressel/contract/ids';
import { FLOOR_LEASE_MS, TALK_MAX_MS } from '@pressel/contract/limits';
import type { FloorNews } from '@pressel/contract/voice';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, inject, test } from 'vitest';
import { type Processes, type ServerProcess, startProcesses } from './processes.ts';
import { joinResumable, type Resumable } from './resuming.ts';
import { type Member, makeChannelAt, signUpAt } from './room-client.ts';
import { connectSocket, type TestSocket } from './socket-client.ts';
import { TEMPLATE } from './test-database.ts';
import { waitUntil } from './wait-until.ts';

/** Each clock rounds. */
const ROUNDING_MS = 10;

interface Entry {
  ms: number;
  end: string;
  at: Date;
}

/** Two real processes on one PostgreSQL, both of which end while Ana talks. */
describe.skipIf(inject('redis') === null)('all processes end at once during a talk', { timeout: 240_000 }, () => {
  let processes: Processes;
  let first: ServerProcess;
  let database: pg.Client;
  let ana: Member;
  let nord: ChannelId;
  const sockets: TestSocket[] = [];
  beforeEach(async () => {
    processes = await startProcesses({ count: 2, cluster: inject('cluster'), template: TEMPLATE });
    [first] = processes.servers as [ServerProcess];
    database = new pg.Client(processes.databaseUrl);
    await database.connect();
    ana = await signUpAt(first.origin, 'Ana');
    nord = await makeChannelAt(first.origin, ana, 'Nord', [ana]);
  }, 240_000);
  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.close();
    await database?.end();
    await processes?.close();
  });

  const open = async (): Promise<TestSocket> => {
    const socket = await connectSocket(first.origin, ana.token);
    sockets.push(socket);
    return socket;
  };
  /** Ana presses, and gets the floor. */
  const press = async (socket: TestSocket): Promise<FloorNews> => {
    expect(await socket.send('floor_request', { channelId: nord, seq: 1 })).toMatchObject({
      data: { type: 'granted' },
    });
    return socket.next('floor_changed', ({ talkers }) => talkers.length === 1);
  };
  const endAll = (signal: 'SIGTERM' | 'SIGKILL') => Promise.all(processes.servers.map((server) => server.stop(signal)));
  const comeBack = async ({ token }: Resumable, floor: FloorNews, claim?: number): Promise<Resumable> =>
    joinResumable(await open(), nord, token, { floor, ...(claim !== undefined && { claim }) });
  const entries = async () =>
    (
      await database.query<Entry>(
        `select (details->>'durationMs')::int as ms, details->>'end' as end, created_at as at from activities
        where type = 'channel_talk' order by created_at`,
      )
    ).rows;
  /** The entries, after everything that waits was stored. */
  const allEntries = async () => {
    // Otherwise the processes would wait 2 s for others to take them over.
    for (const socket of sockets.splice(0)) socket.close();
    await endAll('SIGTERM');
    return entries();
  };
  /** Makes the processes from before look as if they had died a minute earlier than they did. */
  const ageProcesses = async (ids: readonly string[]) => {
    await database.query(`update servers set seen_at = seen_at - interval '1 minute' where id = any($1)`, [ids]);
  };
  const serverIds = async () =>
    (await database.query<{ id: string }>('select id from servers')).rows.map(({ id }) => id);
  /** How long Ana's lease goes on, ms; 0: it is over. */
  const leaseLeftMs = async () =>
    (
      await database.query<{ left: number }>(
        'select (due_at - extract(epoch from clock_timestamp()) * 1000)::float as left from floors where is_due',
      )
    ).rows[0]?.left ?? 0;
  /**
   * Lets all processes end while Ana talks. A machine that stands still may end her lease before they are told to: then she talks once
   * more, at processes that were started again.
   */
  const cutTalk = async (
    signal: 'SIGTERM' | 'SIGKILL',
    renew: (talker: Resumable) => Promise<unknown> = async () => undefined,
  ) => {
    for (;;) {
      const talker = await joinResumable(await open(), nord);
      const asked = Date.now();
      const floor = await press(talker);
      const begun = Date.now();
      // The rest of the lease ends while the processes wait for others to take their participants over.
      await waitUntil(async () => (await leaseLeftMs()) < FLOOR_LEASE_MS / 2);
      const renewing = Date.now();
      await renew(talker);
      const renewed = Date.now();
      const servers = await serverIds();
      const told = Date.now();
      await endAll(signal);
      const ended = Date.now();
      // The floor of a process that is killed stays as it was.
      const wasOver =
        signal === 'SIGKILL' ? !(await hasTalker()) : (await entries()).some(({ at }) => Number(at) < told);
      if (!wasOver) return { ...{ talker, floor, servers }, times: { asked, begun, renewing, renewed, ended } };
      await database.query(`delete from activities where type = 'channel_talk'`);
      await Promise.all(processes.servers.map((server) => server.start()));
    }
  };
  const hasTalker = async () =>
    (await database.query<{ state: string }>('select state from floors')).rows.some(
      ({ state }) => JSON.parse(state).talkers.length > 0,
    );

  test.each(['SIGKILL', 'SIGTERM'] as const)(
    '[PROC69] [TALK162] after a %s a talk that goes on is one entry, with its whole time',
    async (signal) => {
      const { talker, floor, times } = await cutTalk(signal);
      await first.start();
      const back = await comeBack(talker, floor, 1);
      const heardMs = Date.now() - times.begun;
      await back.send('floor_release', { channelId: nord, seq: 2 });
      const [entry, ...more] = await allEntries();
      expect(more).toEqual([]);
      // On a very slow machine its time is over before it is released.
      if (heardMs > TALK_MAX_MS - 1_000 && entry?.end !== 'released') return;
      expect(back.state).toMatchObject({ self: { id: talker.id }, floor: { talkers: [{ id: talker.id }] } });
      expect(entry?.end).toBe('released');
      expect(entry?.ms).toBeGreaterThan(heardMs - ROUNDING_MS);
    },
  );

  test.each(['SIGKILL', 'SIGTERM'] as const)(
    '[PROC69] [TALK162] after a %s a talk whose talker doesn’t come back is one entry, as far as it was heard',
    async (signal) => {
      const { servers, times } = await cutTalk(signal, (talker) =>
        talker.send('floor_renew', { channelId: nord, seq: 1 }),
      );
      // The one that starts first is killed as well.
      await first.start();
      await first.stop('SIGKILL');
      await first.start();
      expect(await entries()).toEqual([]);
      await ageProcesses(servers);
      await waitUntil(async () => (await entries()).length > 0);
      const [entry, ...more] = await allEntries();
      expect(more).toEqual([]);
      expect(entry?.end).toBe('left');
      expect(entry?.ms).toBeGreaterThan(times.renewing - times.begun - ROUNDING_MS);
      expect(entry?.ms).toBeLessThan(times.renewed - times.asked + ROUNDING_MS);
      expect(Number(entry?.at)).toBeLessThanOrEqual(times.ended);
    },
  );

  test('[TALK162] a talker who comes back without pressing has one entry, which ended when it was heard last', async () => {
    const talker = await joinResumable(await open(), nord);
    const floor = await press(talker);
    await endAll('SIGKILL');
    const killed = Date.now();
    await first.start();
    await comeBack(talker, floor);
    const [entry, ...more] = await allEntries();
    expect(more).toEqual([]);
    expect(entry?.end).toBe('left');
    expect(Number(entry?.at)).toBeLessThanOrEqual(killed);
  });

  test('[PROC69] a talker who can’t resume has one entry as well', async () => {
    const socket = await open();
    await socket.send('join_room', { room: 'x', channelId: nord });
    await press(socket);
    await endAll('SIGKILL');
    // Nothing is left of its participant.
    await database.query('delete from user_sockets');
    await first.start();
    expect(await allEntries()).toMatchObject([{ end: 'left' }]);
  });
});
