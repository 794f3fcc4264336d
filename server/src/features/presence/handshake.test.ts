import { afterEach, describe, expect, test } from 'vitest';
import { buildTestApp, type TestApp } from '#test/build-test-app.ts';
import { caughtUp } from '#test/factories.ts';
import { connectSocket } from '#test/socket-client.ts';

describe('the handshake', () => {
  let t: TestApp;
  let token: string;
  const start = async (publicUrl: string | null = null) => {
    t = await buildTestApp({ config: { publicUrl } });
    token = (await t.signUp('Ana')).token;
  };
  afterEach(() => t.close());
  const outcome = (how: Parameters<typeof connectSocket>[2]) =>
    connectSocket(t.origin, '', how).then(
      async (socket) => {
        await caughtUp(socket);
        socket.close();
        return 'connected';
      },
      (error: { message: string; data?: { code: string } }) => error.data?.code ?? error.message,
    );

  test('a token in auth or in the query opens, anything else is refused as unauthenticated', async () => {
    await start();
    expect(await outcome({ auth: { token } })).toBe('connected');
    expect(await outcome({ query: { token } })).toBe('connected');
    const wrong: NonNullable<Parameters<typeof connectSocket>[2]>[] = [
      {},
      { auth: { token: '' } },
      { auth: { token: `${token}x` } },
      { auth: { token: [token] } },
      { auth: { token: { toString: token } } },
      { query: { token: 'x'.repeat(5000) } },
      { query: { user: token } },
      { auth: { token: '\u0000\ud800' } },
    ];
    for (const how of wrong) expect([how, await outcome(how)]).toEqual([how, 'unauthenticated']);
  });

  test('without PUBLIC_URL pages of the asked host may connect and call, others may not', async () => {
    await start();
    const own = { origin: t.origin };
    const foreign = ['https://evil.example', 'null', 'http://127.0.0.1:1', `${t.origin}.evil.example`, 'file://', '%%'];
    expect(await outcome({ auth: { token }, extraHeaders: own })).toBe('connected');
    for (const origin of foreign) {
      expect(await outcome({ auth: { token }, extraHeaders: { origin } })).toBe('websocket error');
      const response = await fetch(`${t.origin}/user/api/serverInfo`, { headers: { origin } });
      expect([origin, response.status, ((await response.json()) as { code: string }).code]).toEqual([
        origin,
        403,
        'wrong_origin',
      ]);
    }
    expect((await fetch(`${t.origin}/user/api/serverInfo`, { headers: own })).status).toBe(200);
  });

  test('with PUBLIC_URL only its pages may, whatever host was asked', async () => {
    await start('https://radio.example.org');
    const status = async (origin: string) =>
      (await fetch(`${t.origin}/user/api/serverInfo`, { headers: { origin } })).status;
    expect(await status('https://radio.example.org')).toBe(200);
    for (const origin of [t.origin, 'http://radio.example.org', 'https://radio.example.org.evil.example']) {
      expect([origin, await status(origin)]).toEqual([origin, 403]);
      expect(await outcome({ auth: { token }, extraHeaders: { origin } })).toBe('websocket error');
    }
    expect(await outcome({ auth: { token }, extraHeaders: { origin: 'https://radio.example.org' } })).toBe('connected');
  });
});
