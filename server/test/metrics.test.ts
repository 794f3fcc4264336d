import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { logIn } from '@pressel/contract/auth';
import { getAllChannels } from '@pressel/contract/channels';
import { getAllUsers } from '@pressel/contract/users';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { listenForMetrics } from '#src/http/metrics-endpoint.ts';
import { createMetrics, type KeptMetrics } from '#src/logs/metrics-registry.ts';
import { alone } from './alone.ts';
import { buildTestApp, TEST_CONTRACT, type TestApp } from './build-test-app.ts';
import { caughtUp, enterRoom, makeTeam } from './factories.ts';
import { connectSocket } from './socket-client.ts';

const TOKEN = 'token-of-the-operator';
const SAMPLE = /^(\w+)(?:\{(.*)\})? (\S+)$/u;

/** The samples of a scrape: `name{labels}` and value. */
const samplesOf = (text: string) =>
  text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const [, name = '', labels = '', value = ''] = SAMPLE.exec(line) ?? [];
      const pairs = [...labels.matchAll(/(\w+)="([^"]*)"/gu)].map(([, key = '', text = '']) => [key, text] as const);
      return { name, labels: Object.fromEntries(pairs), value: Number(value) };
    });

/** Node's own client is used because `fetch` doesn't allow choosing the Host header. */
async function statusFor(port: number, host: string): Promise<number | undefined> {
  const [response]: IncomingMessage[] = await once(
    request({ host: '127.0.0.1', port, path: '/metrics', headers: { host } }).end(),
    'response',
  );
  response?.resume();
  return response?.statusCode;
}

alone('each process counts what it does itself').describe('metrics', () => {
  let t: TestApp;
  let metrics: KeptMetrics;
  beforeEach(async () => {
    metrics = createMetrics('0.0.0-test');
    t = await buildTestApp({ metrics, config: { metrics: { token: TOKEN, listen: null } } });
  });
  afterEach(() => t.close());

  const read = async (): Promise<ReturnType<typeof samplesOf>> => {
    const response = await t.app.inject({ url: '/metrics', headers: { authorization: `Bearer ${TOKEN}` } });
    expect(response.statusCode).toBe(200);
    return samplesOf(response.body);
  };
  const sampleOf = async (name: string, labels: Record<string, string> = {}) =>
    (await read()).find((one) => one.name === name && Object.entries(labels).every(([key, v]) => one.labels[key] === v))
      ?.value;

  test('are for whoever has the token [OPS2]', async () => {
    const ask = (authorization?: string) =>
      t.app.inject({ url: '/metrics', headers: authorization === undefined ? {} : { authorization } });
    for (const wrong of [undefined, '', 'Bearer', `Bearer ${TOKEN}x`, `Basic ${TOKEN}`, TOKEN]) {
      const refused = await ask(wrong);
      expect([wrong, refused.statusCode, refused.json().code]).toEqual([wrong, 401, 'unauthenticated']);
    }
    const answer = await ask(`Bearer ${TOKEN}`);
    expect(answer.statusCode).toBe(200);
    expect(answer.headers).toMatchObject({ 'content-type': metrics.contentType, 'cache-control': 'no-store' });
    expect(answer.body).toContain('pressel_info{version="0.0.0-test"} 1');
  });

  test('count requests and events by what became of them, and errors by code [OPS1]', async () => {
    const { ana, admin } = await makeTeam(t);
    const before = (await sampleOf('pressel_requests_total', { call: getAllChannels.path, result: 'ok' })) ?? 0;
    await t.call(getAllChannels, {}, admin.token);
    await t.call(getAllUsers, {}, 'no token');
    await t.call(logIn, { user_email: ana.email, user_password: 'wrong', remember: false });
    const socket = await enterRoom(t, ana, 'Nord');
    await socket.send('floor_release', { seq: 1, channelId: '01900000-0000-7000-8000-00000000000c' } as never);

    expect(await sampleOf('pressel_requests_total', { call: getAllChannels.path, result: 'ok' })).toBe(before + 1);
    expect(await sampleOf('pressel_requests_total', { call: getAllUsers.path, result: 'refused' })).toBe(1);
    expect(await sampleOf('pressel_request_seconds_count', { call: getAllUsers.path })).toBe(1);
    expect(await sampleOf('pressel_errors_total', { through: 'http', code: 'bad_credentials' })).toBe(1);
    expect(await sampleOf('pressel_errors_total', { through: 'http', code: 'unauthenticated' })).toBe(1);
    expect(await sampleOf('pressel_errors_total', { through: 'socket', code: 'not_in_room' })).toBe(1);
    expect(await sampleOf('pressel_events_total', { event: 'join_room', result: 'ok' })).toBe(1);
    expect(await sampleOf('pressel_events_total', { event: 'floor_release', result: 'failed' })).toBe(1);
  });

  test('count who is there, what is asked of the floor, and how long was talked [OPS1]', async () => {
    const team = await makeTeam(t);
    const ana = await enterRoom(t, team.ana, 'Nord');
    const bo = await enterRoom(t, team.bo, 'Nord');
    await ana.send('floor_request', { seq: 1, queue: true });
    await bo.send('floor_request', { seq: 1, queue: false });
    expect(await sampleOf('pressel_sockets')).toBe(2);
    expect(await sampleOf('pressel_participants')).toBe(2);
    expect(await sampleOf('pressel_rooms')).toBe(1);
    expect(await sampleOf('pressel_linked')).toBe(1);
    expect(await sampleOf('pressel_floor_requests_total', { answer: 'granted' })).toBe(1);
    expect(await sampleOf('pressel_floor_requests_total', { answer: 'denied' })).toBe(1);
    expect(await sampleOf('pressel_floor_grant_seconds_count')).toBe(1);
    await ana.send('floor_release', { seq: 2 });
    await caughtUp(ana, bo);

    expect(await sampleOf('pressel_talks_total', { end: 'released' })).toBe(1);
    expect(await sampleOf('pressel_talk_seconds_total')).toBeGreaterThan(0);
    expect(await sampleOf('pressel_fan_out_seconds_count')).toBeGreaterThan(0);
  });

  test('show queues, connections to the database, the event loop and memory [OPS1]', async () => {
    const samples = await read();
    const queues = samples.filter(({ name }) => name === 'pressel_queue_entries').map(({ labels }) => labels.queue);
    expect(queues.toSorted()).toEqual(
      ['requests', 'light', 'heavy', 'images', 'mailboxes', 'changes', 'searches', 'imports', 'talk_log'].toSorted(),
    );
    const states = samples.filter(({ name }) => name === 'pressel_database_connections');
    expect(states.map(({ labels }) => labels.state)).toEqual(['used', 'idle', 'waiting']);
    const names = new Set(samples.map(({ name }) => name));
    for (const name of ['nodejs_eventloop_lag_p99_seconds', 'process_resident_memory_bytes'])
      expect(names).toContain(name);
  });

  test('count sockets by whether their pages speak the server’s contract, without repeating what they say [PROC85]', async () => {
    const { token } = await t.signUp('Ana');
    const said = [TEST_CONTRACT, 'older', 'x'.repeat(5_000), ['older'], { toString: 'older' }, 7, null, '', undefined];
    for (const contract of said) await connectSocket(t.origin, '', { auth: { token, contract } });
    const samples = (await read()).filter(({ name }) => name === 'pressel_contracts');
    expect(samples.map(({ labels, value }) => [labels.contract, value])).toEqual([
      ['same', 1],
      ['other', 2],
      ['unsaid', 6],
    ]);
    expect(JSON.stringify(t.logLines)).not.toContain('older');
  });

  test('tell of nobody, and no client can add series to them [OPS3]', async () => {
    const team = await makeTeam(t);
    const ana = await enterRoom(t, team.ana, 'Nord');
    await ana.send('floor_request', { seq: 1, queue: true });
    await ana.send('message', { message: 'secret words' } as never);
    const roam = async (name: string) => {
      await t.app.inject({ url: `/${name}?token=${name}` });
      await t.post(`/user/api/${name}`, { [name]: name }, name);
      await t.app.inject({ url: '/healthz', headers: { 'x-forwarded-for': name, 'user-agent': name } });
      ana.raw.emit(name as never, ...([name] as never));
      await ana.send('beat', { version: name } as never);
      await caughtUp(ana);
    };
    await roam('first');
    const before = await read();
    for (let n = 0; n < 20; n += 1) await roam(`stranger-${n}`);
    const after = await read();
    // Node.js metrics come and go with garbage collections.
    const ours = (samples: typeof before) => samples.filter(({ name }) => name.startsWith('pressel_'));
    const seriesOf = (samples: typeof before) => ours(samples).map(({ name, labels }) => [name, labels]);
    expect(seriesOf(after)).toEqual(seriesOf(before));

    const labels = ours(after).flatMap((one) => Object.entries(one.labels));
    expect([...new Set(labels.map(([key]) => key))].toSorted()).toEqual(
      [
        'answer',
        'call',
        'code',
        'contract',
        'event',
        'le',
        'process',
        'queue',
        'result',
        'state',
        'through',
        'version',
      ].toSorted(),
    );
    const people = [team.admin, team.ana, team.bo, team.out];
    const known = people.flatMap(({ id, email, token }) => [id, email, token]);
    for (const secret of [...known, team.nord, team.sud, ana.id, 'Nord', 'Ana', 'stranger', '127.0.0.1', 'secret']) {
      expect(labels.filter(([, value]) => value.includes(secret))).toEqual([]);
    }
  });
});

test('nobody answers for metrics that are not switched on [OPS2]', async () => {
  const t = await buildTestApp();
  const metrics = await t.app.inject({ url: '/metrics', headers: { authorization: `Bearer ${TOKEN}` } });
  const unknown = await t.app.inject({ url: '/no-such-page' });
  expect([metrics.statusCode, metrics.json()]).toEqual([unknown.statusCode, unknown.json()]);
  await t.close();
});

alone('each process has a port of its own').describe('metrics on a port of their own [OPS2]', () => {
  const listen = { port: 0, host: '127.0.0.1' };
  const open = async (token: string | null) => {
    const metrics = createMetrics('0.0.0-test');
    const t = await buildTestApp({ metrics, config: { metrics: { token, listen } } });
    const listener = await listenForMetrics(metrics, { token, listen }, t.app.log);
    const ask = (path: string, init?: RequestInit) => fetch(`http://127.0.0.1:${listener.port}${path}`, init);
    return { t, ask, close: async () => Promise.all([listener.close(), t.close()]) };
  };

  test('are not on the server’s, and nothing else is there', async () => {
    const { t, ask, close } = await open(null);
    const scrape = await ask('/metrics');
    expect([scrape.status, await scrape.text()]).toEqual([200, expect.stringContaining('pressel_sockets 0')]);
    expect((await t.app.inject({ url: '/metrics' })).statusCode).toBe(404);
    for (const [path, method] of [
      ['/', 'GET'],
      ['/healthz', 'GET'],
      ['/metrics/x', 'GET'],
      ['/metrics', 'POST'],
    ]) {
      expect((await ask(path ?? '', { method: method ?? '' })).status).toBe(404);
    }
    await close();
  });

  test('ask for the token that is set, and without one for a Host of this machine', async () => {
    const guarded = await open(TOKEN);
    expect((await guarded.ask('/metrics')).status).toBe(401);
    expect((await guarded.ask('/metrics', { headers: { authorization: `Bearer ${TOKEN}` } })).status).toBe(200);
    await guarded.close();
    const metrics = createMetrics('0.0.0-test');
    const { port, close } = await listenForMetrics(metrics, { token: null, listen }, { error: () => undefined });
    expect(await statusFor(port, 'localhost')).toBe(200);
    expect(await statusFor(port, 'rebound.example.org')).toBe(403);
    await close();
  });
});
