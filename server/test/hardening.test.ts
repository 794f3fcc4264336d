import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { logIn, verifyPassword } from '@pressel/contract/auth';
import { TOKEN_HEADER } from '@pressel/contract/call';
import { createChannel } from '@pressel/contract/channels';
import { BODY_MAX_BYTES, SDP_MAX_LENGTH } from '@pressel/contract/limits';
import { getAllUsers } from '@pressel/contract/users';
import { eq, sql } from 'drizzle-orm';
import { io } from 'socket.io-client';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { activities } from '#src/db/schema/activities.ts';
import { addressKey } from '#src/limits/rate-limit.ts';
import { alone } from './alone.ts';
import { buildTestApp, PASSWORD, type TestApp } from './build-test-app.ts';
import { enterRoom, join, makeChannel, makeTeam, type Team } from './factories.ts';
import { connectSocket } from './socket-client.ts';
import { waitUntil } from './wait-until.ts';

const ORIGIN = 'https://radio.example.org';

describe('what one client may take from all others', () => {
  let t: TestApp;
  let team: Team;
  beforeEach(async () => {
    // Allowances refill with time: here none passes, however slow the machine is.
    t = await buildTestApp({ presenceRepairMs: 100, steadyNow: () => 1_000 });
    team = await makeTeam(t);
  });
  afterEach(() => t.close());

  test('a socket that takes nothing in is hung up on before it fills the memory', async () => {
    const deaf = await enterRoom(t, team.out, 'Sud');
    const { ws } = deaf.raw.io.engine.transport as unknown as { ws: { pause(): void } };
    const senders = await Promise.all(Array.from({ length: 8 }, () => enterRoom(t, team.admin, 'Sud')));
    ws.pause();
    // Not offers, which are limited for each pair.
    const sdp = { type: 'answer' as const, sdp: 'v'.repeat(SDP_MAX_LENGTH) };
    for (const sender of senders) {
      for (let index = 0; index < 120; index += 1) {
        sender.raw.emit('answer', { sdp, answerReceiveID: deaf.id }, () => undefined);
      }
    }
    const [listener] = senders;
    await listener?.next('user_exit', ({ id }) => id === deaf.id);
    const noted = { msg: 'socket_not_reading', socketId: deaf.id, userId: team.out.id };
    expect(t.logLines).toContainEqual(expect.objectContaining(noted));
  });

  test('a socket that takes nothing in does not hold up the end of the server', async () => {
    const deaf = await enterRoom(t, team.out, 'Sud');
    const { ws } = deaf.raw.io.engine.transport as unknown as { ws: { pause(): void } };
    ws.pause();
    await t.app.close();
    // The socket library's own timeout is 30 s.
  }, 25_000);

  test('a socket that floods is hung up on, even with events that nobody knows', async () => {
    const socket = await t.connect(team.ana.token);
    for (let index = 0; index < 5_000; index += 1)
      (socket.raw as unknown as { emit(event: string): void }).emit('nonsense');
    expect(await socket.disconnected).toMatch(/io server disconnect|transport/u);
    expect((await t.call(createChannel, { channelName: 'After' }, team.admin.token)).status).toBe(200);
  });

  test('presses beyond what fingers can do are refused, and the floor stays with whoever has it', async () => {
    const ana = await enterRoom(t, team.ana, 'Nord');
    const answers = [];
    for (let seq = 1; seq < 80; seq += 2) {
      answers.push(await ana.send('floor_request', { seq }));
      await ana.send('floor_release', { seq: seq + 1 });
    }
    expect(answers.filter((ack) => !ack.ok && ack.code === 'too_many').length).toBeGreaterThan(0);
    const { id: userId } = team.ana;
    const noted = expect.objectContaining({ msg: 'event_refused', event: 'floor_request', code: 'too_many', userId });
    expect(t.logLines, 'AUTH9').toContainEqual(noted);
  });

  test('long replies are compressed, nonsense is answered in the contract’s shape, and no body has a time limit in all', async () => {
    const response = await fetch(`${t.origin}${getAllUsers.path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'accept-encoding': 'br', [TOKEN_HEADER]: team.admin.token },
      body: '{}',
    });
    expect(response.headers.get('content-encoding')).toBe('br');
    const said = (request: string) => {
      const socket = connect(Number(new URL(t.origin).port), '127.0.0.1');
      socket.write(request);
      return text(socket);
    };
    expect(await said('nonsense\r\n\r\n')).toMatch(/^HTTP\/1\.1 400 .*"code":"malformed"/su);
    expect(t.app.server.requestTimeout, 'their rate is what counts').toBe(0);
    // By default Node answers these itself, with an empty body.
    expect(await said('GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n')).toMatch(
      /^HTTP\/1\.1 400 .*"code":"malformed"/su,
    );
    const expecting = 'GET /healthz HTTP/1.1\r\nHost: localhost\r\nExpect: wonders\r\nConnection: close\r\n\r\n';
    expect(await said(expecting)).toMatch(/^HTTP\/1\.1 200 .*"status":"ok"/su);
  });

  alone('its lines are of one process').test(
    'AUTH9: a socket from a foreign page is refused, and noted without its address',
    async () => {
      const headers = { origin: 'https://evil.example' };
      expect((await fetch(`${t.origin}/socket.io/?EIO=4&transport=polling`, { headers })).status).toBe(403);
      const [line] = t.logLines.filter(({ msg }) => msg === 'socket_refused');
      expect(line).toMatchObject({ code: 'wrong_origin', address: expect.stringMatching(/^[0-9a-f]{12}$/u) });
      expect(JSON.stringify(line)).not.toContain('127.0.0.1');
    },
  );

  alone('its lines are of one process').test(
    'a client that gives up while its session is read was not refused, and no line says so',
    async () => {
      const [locked, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      const locking = t.database.db.transaction(async (tx) => {
        await tx.execute(sql`lock table sessions in access exclusive mode`);
        locked.resolve();
        await released.promise;
      });
      await locked.promise;
      const connections = () => promisify(t.app.server.getConnections.bind(t.app.server))();
      const before = await connections();
      const how = { transports: ['websocket'], auth: { token: team.ana.token }, reconnection: false, forceNew: true };
      const client = io(t.origin, how);
      await new Promise<void>((resolve) => client.io.once('open', resolve));
      client.close();
      await waitUntil(async () => (await connections()) === before);
      released.resolve();
      await locking;
      await t.connect(team.ana.token);
      expect(t.logLines.filter(({ msg }) => msg === 'socket_refused')).toEqual([]);
    },
  );

  test('a body is read after its sender is authenticated and allowed', async () => {
    const post = async (token: string) => {
      const response = await fetch(`${t.origin}${createChannel.path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', [TOKEN_HEADER]: token },
        body: `"${'x'.repeat(BODY_MAX_BYTES)}"`,
      });
      return response.status;
    };
    expect([await post('wrong'), await post(team.ana.token), await post(team.admin.token)]).toEqual([401, 403, 413]);
  });

  test('connections whose uploads were refused do not hold up the end of the server', { timeout: 60_000 }, async () => {
    const body = `"${'x'.repeat(BODY_MAX_BYTES)}"`;
    const headers = { 'content-type': 'application/json', [TOKEN_HEADER]: team.ana.token };
    for (let turn = 0; turn < 10; turn += 1) {
      expect((await fetch(`${t.origin}${createChannel.path}`, { method: 'POST', headers, body })).status).toBe(403);
    }
    await t.app.close();
  });

  alone('sockets are counted by their process (058)').test('a user has 32 screens at most', async () => {
    for (let index = 0; index < 32; index += 1) await t.connect(team.ana.token);
    await expect(t.connect(team.ana.token)).rejects.toMatchObject({ data: { code: 'too_many' } });
    await t.connect(team.bo.token);
  });

  test('a body larger than its call needs is refused unread', async () => {
    const large = { user_email: 'x'.repeat(20_000), user_password: 'x' };
    expect((await t.post(logIn.path, large)).status).toBe(413);
    const userList = Array.from({ length: 500 }, () => team.ana.id);
    expect((await t.call(createChannel, { channelName: 'Many', userList }, team.admin.token)).status).toBe(200);
  });

  test('headers that come byte by byte are given up', () => {
    expect(t.app.server.headersTimeout).toBe(20_000);
  });

  test('credentials for the relay are for those who are in a room', async () => {
    const socket = await t.connect(team.ana.token);
    expect(await socket.send('ice_config', {})).toMatchObject({ ok: false, code: 'not_in_room' });
  });

  test('guesses of a stranger do not get in the way of the own password inside a session', async () => {
    for (let index = 0; index < 12; index += 1) {
      await t.call(logIn, { user_email: team.ana.email, user_password: 'guess' });
    }
    const { body } = await t.call(verifyPassword, { password: PASSWORD }, team.ana.token);
    expect(body.result).toBe(true);
  });

  test('answers are not kept by caches', async () => {
    const response = await t.app.inject({ method: 'GET', url: '/user/api/serverInfo' });
    expect(response.headers['cache-control']).toBe('no-store');
  });
});

describe('whose attempts are counted together', () => {
  test.each([
    ['203.0.113.7', '203.0.113.7'],
    ['::ffff:203.0.113.7', '203.0.113.7'],
    ['203.0.113.7:51234', '203.0.113.7'],
    ['::FFFF:203.0.113.7', '203.0.113.7'],
    ['::ffff:cb00:7107', '203.0.113.7'],
    ['0:0:0:0:0:ffff:203.0.113.7', '203.0.113.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:0'],
    ['2001:db8:1:2ff::9', '2001:db8:1:200'],
    ['2001:db8:1:02ab::9', '2001:db8:1:200'],
    ['2001:DB8:1:3ff::9', '2001:db8:1:300'],
    ['[2001:db8:1:2::9]:443', '2001:db8:1:0'],
    ['fe80::1%eth0', 'fe80:0:0:0'],
    ['2001:db8::9', '2001:db8:0:0'],
    ['64:ff9b::203.0.113.7', '64:ff9b:0:0'],
    ['::1', '0:0:0:0'],
    ['999.0.113.7', 'unknown'],
    ['nonsense', 'unknown'],
    ['', 'unknown'],
  ])('%s counts as %s', (address, key) => expect(addressKey(address)).toBe(key));

  test.each([
    ['behind a proxy on this machine', ORIGIN, 401],
    ['without PUBLIC_URL nobody is believed about an address', null, 429],
  ])('%s', async (_where, publicUrl, last) => {
    const t = await buildTestApp({ config: { publicUrl } });
    const guess = async (client: string, login: number) => {
      const response = await t.app.inject({
        method: 'POST',
        url: logIn.path,
        headers: { 'x-forwarded-for': client },
        payload: { user_email: `x${login}@example.org`, user_password: 'guess' },
      });
      return response.statusCode;
    };
    await Promise.all(Array.from({ length: 100 }, (_, login) => guess('198.51.100.1', login)));
    expect(await guess('198.51.100.1', 101)).toBe(429);
    expect(await guess('198.51.100.2', 102)).toBe(last);
    await t.close();
  });

  alone('the address of connections to one process is changed').test(
    'AUTH8: a peer on a private network that no list names can’t choose its address, by calls and sockets',
    async () => {
      const t = await buildTestApp({ config: { publicUrl: ORIGIN } });
      const peer = '192.168.1.20';
      t.app.server.prependListener('connection', (socket) =>
        Object.defineProperty(socket, 'remoteAddress', { value: peer }),
      );
      const ana = await t.signUp('Ana');
      const claim = (client: number) => ({ 'x-forwarded-for': `198.51.100.${client}` });
      const guess = async (client: number) => {
        const body = JSON.stringify({ user_email: `x${client}@example.org`, user_password: 'guess' });
        const headers = { 'content-type': 'application/json', ...claim(client) };
        return (await fetch(`${t.origin}${logIn.path}`, { method: 'POST', headers, body })).status;
      };
      const statuses = await Promise.all(Array.from({ length: 101 }, (_, client) => guess(client)));
      expect(statuses.filter((status) => status === 401)).toHaveLength(100);
      expect(statuses.filter((status) => status === 429)).toHaveLength(1);

      const nord = await makeChannel(t, ana, 'Nord', [ana.id]);
      const socket = await connectSocket(t.origin, ana.token, { auth: { token: ana.token }, extraHeaders: claim(1) });
      await join(socket, 'Nord');
      const joins = await t.database.db.select().from(activities).where(eq(activities.type, 'channel_join'));
      expect(joins).toMatchObject([{ channelId: nord, address: peer }]);
      socket.close();
      await t.close();
    },
  );
});
