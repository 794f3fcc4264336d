import { getImport, listImports } from '@pressel/contract/transfer';
import { updateUserMicState } from '@pressel/contract/voice';
import { sql } from 'drizzle-orm';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, inject, test } from 'vitest';
import * as z from 'zod';
import { loadSecrets } from '#src/accounts/secrets.ts';
import { openRedis, type Redis } from '#src/processes/redis.ts';
import { createRelay, type Relay } from '#src/processes/relay.ts';
import { uuidV7 } from '#src/shared/ids.ts';
import { audience } from '#src/sockets/sockets.ts';
import type { TestApp } from './build-test-app.ts';
import { buildCluster, hasRedis, type TestCluster } from './cluster.ts';
import { caughtUp, enterRoom, join, makeTeam, type Team } from './factories.ts';
import { waitUntil } from './wait-until.ts';

/** Values of a newer version's process that are unknown here. Rows of lists are in roll-back.test.ts. */
describe.skipIf(!hasRedis)('[PROC84] beside a newer version', () => {
  let cluster: TestCluster;
  let [one, two] = [] as unknown as [TestApp, TestApp];
  let team: Team;
  beforeEach(async () => {
    cluster = await buildCluster();
    [one, two] = cluster.processes as [TestApp, TestApp];
    team = await makeTeam(one);
  });
  afterEach(() => cluster.close());

  const query = async (statement: string) => (await cluster.database.db.execute(sql.raw(statement))).rows;
  const faults = () => [...one.logLines, ...two.logLines].filter(({ level }) => Number(level) >= 50);
  const said = (msg: string) => one.logLines.filter((line) => line.msg === msg);

  describe('facts', () => {
    const write = async (fact: string, news: unknown) => {
      const text = JSON.stringify(news).replaceAll("'", "''");
      await query(`insert into outbox (origin, fact, news) values (gen_random_uuid(), '${fact}', '${text}')`);
    };
    const renamed = (name: string, more: object = {}) => {
      const channel = { id: team.nord, name, rtcSession: name, version: 99, talkMode: 'single', ...more };
      return write('channelChanged', { channel, reason: 'new' });
    };

    test('one with a word and a field that nobody knows is told all the same', async () => {
      const ana = await enterRoom(one, team.ana, 'Nord');
      await renamed('Nord-Est', { talkMode: 'relay', colour: 'red' });
      expect(await ana.next('room_changed')).toMatchObject({ name: 'Nord-Est', talkMode: 'single' });
      expect(faults()).toEqual([]);
    });

    test('one that nobody knows is passed over, and named once', async () => {
      const ana = await enterRoom(one, team.ana, 'Nord');
      for (const fact of ['channelPainted', 'channelPainted', 'toString']) await write(fact, { colour: 'red' });
      await renamed('Nord-Est');
      await ana.next('room_changed');
      expect(said('fact_unknown').map(({ fact }) => fact)).toEqual(['channelPainted', 'toString']);
      expect(faults()).toEqual([]);
    });

    test('of one that can’t be read nobody misses anything: clients are sent back, and read anew', async () => {
      const ana = await enterRoom(one, team.ana, 'Nord');
      await write('membershipsChanged', { changes: 'all' });
      await ana.disconnected;
      expect(faults()).toEqual([]);
    });
  });

  describe('news in Redis', () => {
    let redis: Redis;
    let newer: Relay;
    beforeEach(async () => {
      const { installation } = await loadSecrets(cluster.database.db);
      const log = one.app.log;
      redis = await openRedis(String(inject('redis')), installation.toString('hex', 0, 8), log);
      newer = createRelay(redis, pino({ enabled: false }));
      await newer.open(() => undefined);
    });
    afterEach(async () => {
      await newer.close();
      await redis.close();
    });

    test('what can’t be read keeps nothing back that can', async () => {
      const ana = await enterRoom(one, team.ana, 'Nord');
      const topics = [
        'sockets',
        'signals',
        'calls',
        'positions',
        'presence.taken',
        'answers',
        'voice.mic',
        'settle',
        'settled',
      ];
      for (const topic of [...topics, 'weather']) {
        for (const message of [null, 7, [], {}, { id: 7, type: 'hold', userId: 'x', at: 'noon' }])
          newer.send(topic, message);
      }
      await redis.client.xAdd(`${redis.prefix}news`, '*', { entry: 'not JSON' });
      await redis.client.xAdd(`${redis.prefix}news`, '*', { entry: '{"from":"newer","first":1,"messages":["a"]}' });
      const packet = { type: 2, data: ['weather', { sky: 'blue' }], priority: 'high' };
      const weather = new Promise((resolve) => ana.raw.once('weather' as never, resolve as never));
      // An event that only pages of the newer version understand is passed on unchanged.
      ana.raw.offAny();
      newer.send('sockets', { rooms: [audience.inRoom(team.nord)], except: [], packet, via: 'satellite' });
      expect(await weather).toEqual({ sky: 'blue' });
      expect(faults()).toEqual([]);
      expect(said('relay_unreadable').length).toBeLessThanOrEqual(topics.length + 1);
    });

    test('a signal of another kind reaches its participant', async () => {
      const ana = await enterRoom(one, team.ana, 'Nord');
      const payload = { sdp: { type: 'answer', sdp: 'v=0\r\n' }, answerSendID: 'somebody' };
      const signal = {
        event: 'getAnswer',
        payload,
        to: ana.id,
        audiences: [audience.participant(team.nord, ana.id as never)],
      };
      newer.send('signals', {
        ...signal,
        limited: 'renegotiation',
        sharer: { person: 'x', device: 'y' },
        urgent: true,
      });
      expect(await ana.next('getAnswer')).toMatchObject({ answerSendID: 'somebody' });
    });

    test('a refusal with a code that nobody knows is one', async () => {
      const bo = await enterRoom(one, team.bo, 'Nord');
      bo.close();
      await waitUntil(async () => (await query('select 1 from user_sockets')).length === 0);
      // Bo is in the room at the newer process.
      await query(`with newer as (insert into servers (id) values (gen_random_uuid()) returning id)
        insert into user_sockets (socket_id, user_id, session_id, server_id, channel_id, joined_at)
        select 'newer', '${team.bo.id}', gen_random_uuid(), id, '${team.nord}', now() from newer`);
      newer.on('voice.mic', z.object({ id: z.string() }), ({ id }) => {
        newer.send('answers', { id, outcome: { failed: { code: 'on_holiday', params: { until: 'Monday' } } } });
      });
      const body = { userId: team.bo.id, micState: true, channelName: 'Nord' };
      const refused = await one.call(updateUserMicState, body, team.bo.token);
      expect([refused.status, refused.body.code]).toEqual([503, 'unavailable']);
      expect(faults()).toEqual([]);
    });
  });

  test('a floor keeps what nobody here knows of it, and one that can’t be read stops no other', async () => {
    const ana = await enterRoom(one, team.ana, 'Nord');
    expect(await ana.send('floor_request', { seq: 1 })).toMatchObject({ data: { type: 'granted' } });
    const later = (path: string, value: string) => `state::jsonb || jsonb_build_object('${path}', '${value}'::jsonb)`;
    await query(`update floors set revision = revision + 1, state = (${later('weather', '"fine"')}
      || jsonb_build_object('mode', 'relay'))::text where channel_id = '${team.nord}'`);
    await query(`insert into floors values ('${team.sud}', 1, '{"talkers": "nobody"}', 1, 1, true)`);
    const bo = await enterRoom(two, team.bo, 'Nord');
    expect(bo.state.floor).toMatchObject({ mode: 'single', talkers: [{ userId: team.ana.id }] });
    expect(await bo.send('floor_request', { seq: 1, queue: false })).toMatchObject({
      data: { type: 'denied', reason: 'taken' },
    });
    expect(await ana.send('floor_release', { seq: 2 })).toMatchObject({ ok: true });
    expect(
      await query(`select state::jsonb ->> 'weather' as weather from floors where channel_id = '${team.nord}'`),
    ).toEqual([{ weather: 'fine' }]);
    // Every process finds claims whose leases have ended, and frees them.
    expect(await bo.send('floor_request', { seq: 2 })).toMatchObject({ data: { type: 'granted' } });
    bo.close();
    await ana.next(
      'floor_changed',
      ({ talkers, version }) => talkers.length === 0 && version > bo.state.floor.version + 1,
    );
    const out = await two.connect(team.out.token);
    expect(await out.send('join_room', { room: 'Sud' })).toMatchObject({ ok: false, code: 'unavailable' });
  });

  test('a call of which more is known rings, and is taken', async () => {
    const [ana, bo] = [await one.connect(team.ana.token), await two.connect(team.bo.token)];
    await caughtUp(ana, bo);
    const begun = await ana.send('call_start', { userId: team.bo.id });
    if (!begun.ok) throw new Error(begun.code);
    const { callId } = begun.data;
    await query(`update calls set live = live || '{"hold": {"since": 1}}'`);
    await bo.next('call_ring');
    expect(await bo.send('call_accept', { callId })).toMatchObject({ ok: true });
    await ana.next('call_accepted');
    expect(await query(`select live ->> 'hold' as hold from calls`)).toEqual([{ hold: '{"since": 1}' }]);
  });

  test('an import in a state that nobody knows runs until it has ended, and what it came to is told by who can read it', async () => {
    const importId = uuidV7();
    await query(`insert into imports (owner_id, import_id, kind, state, process_id, started_at, done, total)
      values ('${team.admin.id}', '${importId}', 'devices', 'checking', gen_random_uuid(), now(), 3, 9)`);
    const found = () => one.call(getImport, { importId }, team.admin.token);
    expect((await found()).body.res).toEqual({ state: 'running', done: 3, total: 9 });
    expect((await one.call(listImports, {}, team.admin.token)).body.res).toMatchObject([
      { importId, state: 'running' },
    ]);
    for (const state of ['checked', 'stored']) {
      await query(`update imports set state = '${state}', ended_at = now(), outcome = '{"devices": 4}'`);
      expect([(await found()).status, (await found()).body.code]).toEqual([503, 'unavailable']);
    }
    expect(faults()).toEqual([]);
  });

  test('rows of participants that say more are listed and taken over', async () => {
    const bo = await enterRoom(one, team.bo, 'Nord');
    await query(`update user_sockets set video = 'hologram' where socket_id = '${bo.id}'`);
    const ana = await two.connect(team.ana.token);
    expect((await join(ana, 'Nord')).participants).toMatchObject([{ id: bo.id, video: 'off' }]);
  });
});
