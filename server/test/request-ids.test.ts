import { randomUUID } from 'node:crypto';
import { type Call, type CallInput, TOKEN_HEADER } from '@pressel/contract/call';
import { deleteUserFromChannel } from '@pressel/contract/channels';
import { type ClientMessageId, sendMessage } from '@pressel/contract/chat';
import { getAllUsers } from '@pressel/contract/users';
import { sql } from 'drizzle-orm';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { buildTestApp, type TestApp } from './build-test-app.ts';
import { buildCluster, hasRedis, type TestCluster } from './cluster.ts';
import { enterRoom, makeTeam, type Team } from './factories.ts';
import { waitUntil } from './wait-until.ts';

const ID = 'from-the-proxy_1';

const callAs = <C extends Call>(t: TestApp, call: C, body: CallInput<C>, token: string, id?: string) =>
  t.app.inject({
    method: 'POST',
    url: call.path,
    headers: { [TOKEN_HEADER]: token, ...(id === undefined ? {} : { 'x-request-id': id }) },
    payload: body as object,
  });
const linesOf = ({ logLines }: TestApp, id: string) => logLines.filter(({ requestId }) => requestId === id);
const has = (t: TestApp, id: string, message: string) => linesOf(t, id).some(({ msg }) => msg === message);

describe('[PROC86] a call', () => {
  let t: TestApp;
  beforeEach(async () => {
    t = await buildTestApp();
  });
  afterEach(() => t.close());

  test('has the id that came with it, in its answer and in the log', async () => {
    const { token } = await t.signUp('Ana');
    const answer = await callAs(t, getAllUsers, {}, token, ID);
    expect(answer.headers['x-request-id']).toBe(ID);
    await waitUntil(() => has(t, ID, 'call_answered'));
    // The id is in each line once, whoever writes it.
    expect(linesOf(t, ID)).toMatchObject([{ call: getAllUsers.path, status: 200 }]);
  });

  test('has another one when that could do harm in a log', async () => {
    const { token } = await t.signUp('Ana');
    const wrong = [
      '',
      'short',
      'x'.repeat(65),
      'a b c d e f',
      '"},{"level":60',
      '$(reboot) now',
      'é'.repeat(9),
      '../../etc/passwd',
    ];
    const given = new Set<unknown>();
    for (const id of wrong) {
      const { headers } = await callAs(t, getAllUsers, {}, token, id);
      expect(headers['x-request-id']).toMatch(/^[\da-f-]{36}$/u);
      given.add(headers['x-request-id']);
    }
    expect(given.size).toBe(wrong.length);
    const log = JSON.stringify(t.logLines);
    for (const id of wrong.slice(1)) expect(log).not.toContain(id);
  });
});

describe.skipIf(!hasRedis)('[PROC86] a request to one of two processes', () => {
  let cluster: TestCluster;
  let [one, two] = [] as unknown as [TestApp, TestApp];
  let team: Team;
  beforeEach(async () => {
    cluster = await buildCluster();
    [one, two] = cluster.processes as [TestApp, TestApp];
    team = await makeTeam(one);
  });
  afterEach(() => cluster.close());

  test('is known at the other one by the facts and the news that come of it', async () => {
    const bo = await enterRoom(two, team.bo, 'Nord');
    const message = { channelId: team.nord, message: 'Hello', clientId: randomUUID() as ClientMessageId };
    await callAs(one, sendMessage, message, team.ana.token, 'the-message');
    await bo.next('messageResponse');
    await waitUntil(() => has(two, 'the-message', 'news_heard'));
    await callAs(
      one,
      deleteUserFromChannel,
      { userId: team.bo.id, channelId: team.nord },
      team.admin.token,
      'the-removal',
    );
    await bo.next('room_closed');
    for (const process of [one, two]) await waitUntil(() => has(process, 'the-removal', 'fact_told'));
    expect(JSON.stringify([...linesOf(two, 'the-message'), ...linesOf(two, 'the-removal')])).not.toMatch(
      /Hello|Nord|Bo/u,
    );
  });

  test('is one of its own for each event', async () => {
    const ana = await enterRoom(one, team.ana, 'Nord');
    const bo = await enterRoom(two, team.bo, 'Nord');
    await ana.send('floor_request', { seq: 1 });
    await bo.next('floor_changed', ({ talkers }) => talkers.length === 1);
    const [answered] = one.logLines.filter(({ msg, event }) => msg === 'event_answered' && event === 'floor_request');
    await waitUntil(() => has(two, String(answered?.requestId), 'news_heard'));
    const ids = one.logLines.flatMap(({ msg, requestId }) => (msg === 'event_answered' ? [requestId] : []));
    expect(new Set(ids).size).toBe(ids.length);
  });

  test('is not taken over from what another process could not have written', async () => {
    const bo = await enterRoom(two, team.bo, 'Nord');
    const channel = { id: team.nord, name: 'Nord-Est', rtcSession: 'x', version: 99, talkMode: 'single' };
    const news = JSON.stringify({ channel, request: 'a "quoted" id' });
    await cluster.database.db.execute(
      sql`insert into outbox (origin, fact, news) values (gen_random_uuid(), 'channelChanged', ${news}::jsonb)`,
    );
    await bo.next('room_changed');
    expect(JSON.stringify(two.logLines)).not.toContain('quoted');
  });
});
