import { type CallId, getCalls, type OwnCall } from '@pressel/contract/calls';
import { deleteUserFromChannel } from '@pressel/contract/channels';
import { CALLS_PAGE } from '@pressel/contract/limits';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { calls } from '#src/db/schema/calls.ts';
import { uuidV7 } from '#src/shared/ids.ts';
import { buildTestApp, type Person, type TestApp } from '#test/build-test-app.ts';
import { caughtUp, makeChannel, makeTeam, type Team } from '#test/factories.ts';
import type { TestSocket } from '#test/socket-client.ts';

let t: TestApp;
let team: Team;
let time: number;
beforeEach(async () => {
  time = Date.now();
  t = await buildTestApp({ now: () => new Date(time) });
  team = await makeTeam(t);
});
afterEach(() => t.close());

const connect = async (person: Person): Promise<TestSocket> => {
  const socket = await t.connect(person.token);
  await caughtUp(socket);
  return socket;
};

/** @throws Error when refused */
async function start(socket: TestSocket, callee: Pick<Person, 'id'>): Promise<CallId> {
  const ack = await socket.send('call_start', { userId: callee.id });
  if (!ack.ok) throw new Error(ack.code);
  return ack.data.callId;
}

const callsOf = async ({ token }: Person, before?: CallId) => {
  const { status, body } = await t.call(getCalls, before === undefined ? {} : { before }, token);
  expect(status).toBe(200);
  return body;
};
const told = ({ other, isOwn, durationMs, end, rejection }: OwnCall) => [
  other.display_name,
  isOwn ? 'made' : 'got',
  durationMs,
  end,
  rejection,
];

describe('[RING18] the list of one’s own calls', () => {
  test('has those that were made, taken, rejected and missed, the newest first, as each of the two sees them', async () => {
    const [ana, bo] = [await connect(team.ana), await connect(team.bo)];
    const taken = await start(ana, team.bo);
    await bo.send('call_accept', { callId: taken });
    time += 75_000;
    await bo.send('call_end', { callId: taken });
    time += 1_000;
    const rejected = await start(bo, team.ana);
    await ana.send('call_reject', { callId: rejected, rejection: 'call_back' });
    time += 1_000;
    const missed = await start(ana, team.bo);
    await ana.send('call_end', { callId: missed });
    expect((await callsOf(team.ana)).res.map(told)).toEqual([
      ['Bo Test', 'made', null, 'cancelled', null],
      ['Bo Test', 'got', null, 'rejected', 'call_back'],
      ['Bo Test', 'made', 75_000, 'hung_up', null],
    ]);
    expect((await callsOf(team.bo)).res.map(told)).toEqual([
      ['Ana Test', 'got', null, 'cancelled', null],
      ['Ana Test', 'made', null, 'rejected', 'call_back'],
      ['Ana Test', 'got', 75_000, 'hung_up', null],
    ]);
    expect((await callsOf(team.out)).res, 'a stranger has none of them').toEqual([]);
    expect((await callsOf(team.admin)).res, 'nor has an administrator').toEqual([]);
  });

  test('comes in pages, each from before a call of one’s own', async () => {
    const row = (n: number) => ({
      id: uuidV7(time + n),
      ...{ callerId: team.ana.id, callerName: 'Ana', calleeId: team.bo.id, calleeName: `B${n}`, callerSocket: 's' },
      createdAt: new Date(time + n),
    });
    const rows = Array.from({ length: CALLS_PAGE + 3 }, (_, n) => row(n));
    await t.database.db.insert(calls).values(rows);
    const first = await callsOf(team.ana);
    expect([first.res.length, first.hasMore]).toEqual([CALLS_PAGE, true]);
    const second = await callsOf(team.ana, first.res.at(-1)?.id);
    expect([second.res.map(({ other }) => other.display_name), second.hasMore]).toEqual([['B2', 'B1', 'B0'], false]);
    expect((await callsOf(team.out, first.res[0]?.id)).res, 'a call of others is no place').toEqual([]);
  });

  test('is refused without a token, and for what is no call', async () => {
    expect(await t.call(getCalls, {})).toMatchObject({ status: 401 });
    for (const before of ['x', 5, null]) {
      expect(await t.call(getCalls, { before } as never, team.ana.token)).toMatchObject({ status: 400 });
    }
  });
});

describe('[RING19] "write to me"', () => {
  test('leads to the smallest channel of both, and is told to the caller alone', async () => {
    await makeChannel(t, team.admin, 'Duo', [team.ana.id, team.bo.id]);
    await makeChannel(t, team.admin, 'Trio', [team.ana.id, team.bo.id, team.out.id]);
    await t.call(deleteUserFromChannel, { userId: team.ana.id, channelId: team.nord }, team.admin.token);
    const [ana, bo] = [await connect(team.ana), await connect(team.bo)];
    const rings = bo.next('call_ring');
    const callId = await start(ana, team.bo);
    expect(await rings).toMatchObject({ callId, canWrite: true });
    const over = ana.next('call_over');
    const overThere = bo.next('call_over');
    await bo.send('call_reject', { callId, rejection: 'write_me' });
    expect(await over).toMatchObject({ rejection: 'write_me', writeIn: { name: 'Duo', rtcSession: 'Duo' } });
    expect(await overThere).not.toHaveProperty('writeIn');
  });

  test('is not offered to those who share no channel, and leads nowhere', async () => {
    const [admin, out] = [await connect(team.admin), await connect(team.out)];
    const rings = out.next('call_ring');
    const callId = await start(admin, team.out);
    expect(await rings).toMatchObject({ canWrite: false });
    const over = admin.next('call_over');
    await out.send('call_reject', { callId, rejection: 'write_me' });
    expect(await over).not.toHaveProperty('writeIn');
  });
});
