import { once } from 'node:events';
import { connect } from 'node:net';
import { getAllUsers } from '@pressel/contract/users';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { alone } from '#test/alone.ts';
import { buildTestApp, type TestApp } from '#test/build-test-app.ts';
import { makeTeam, type Team } from '#test/factories.ts';
import { waitUntil } from '#test/wait-until.ts';

alone('it is one process that drains').describe('a process that gives its clients to others', () => {
  let t: TestApp;
  let team: Team;
  beforeEach(async () => {
    t = await buildTestApp();
    team = await makeTeam(t);
  });
  afterEach(() => t.close());

  const dial = async (): Promise<string> => {
    const { port } = new URL(t.origin);
    const socket = connect(Number(port), '127.0.0.1');
    const how = await new Promise<string>((resolve) => {
      socket.once('connect', () => resolve('taken'));
      socket.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? ''));
    });
    socket.destroy();
    return how;
  };

  test('[PROC50] takes no new connection, serves those that are there, and tells them that they end', async () => {
    const agent = await openConnection(t.origin);
    expect(await dial()).toBe('taken');
    const drained = t.app.drain();
    await waitUntil(async () => (await dial()) === 'ECONNREFUSED');
    const answer = await agent.ask(getAllUsers.path, team.admin.token);
    expect(answer).toMatch(/^HTTP\/1.1 200 .*connection: close/isu);
    await drained;
  });

  test('[PROC50] refuses a handshake on an open connection, and says that it is not at fault', async () => {
    const agent = await openConnection(t.origin);
    const drained = t.app.drain();
    expect(await agent.send(HANDSHAKE)).toMatch(/^HTTP\/1.1 503 .*connection: close/isu);
    await drained;
  });

  test('[PROC51] closes its sockets as a lost link would', async () => {
    const sockets = await Promise.all(Array.from({ length: 12 }, () => t.connect(team.ana.token)));
    const drained = t.app.drain();
    // Not 'io server disconnect', after which clients do not come back.
    expect(new Set(await Promise.all(sockets.map(({ disconnected }) => disconnected)))).toEqual(
      new Set(['transport close']),
    );
    await drained;
  });
});

const HANDSHAKE = [
  'GET /socket.io/?EIO=4&transport=websocket HTTP/1.1',
  ...['host: localhost', 'connection: upgrade', 'upgrade: websocket', 'sec-websocket-version: 13'],
  ...['sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==', '', ''],
].join('\r\n');

/** A connection that is kept alive, like a proxy's. */
async function openConnection(origin: string) {
  const { port, host } = new URL(origin);
  const socket = connect(Number(port), '127.0.0.1');
  await once(socket, 'connect');
  const send = async (request: string): Promise<string> => {
    socket.write(request);
    let answer = '';
    socket.on('data', (chunk) => (answer += chunk));
    await once(socket, 'end');
    return answer;
  };
  return {
    send,
    ask(path: string, token: string): Promise<string> {
      const head = `POST ${path} HTTP/1.1\r\nhost: ${host}\r\nx-access-token: ${token}\r\n`;
      return send(`${head}content-type: application/json\r\ncontent-length: 2\r\n\r\n{}`);
    },
  };
}
