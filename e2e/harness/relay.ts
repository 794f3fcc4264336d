import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface Relay {
  url: string;
  secret: string;
  stop(): Promise<void>;
}

const START_LIMIT_MS = 60_000;

/** A real coturn on loopback with time-limited credentials. Loopback peers are for tests only: never do that outside. */
export async function startRelay(program: string): Promise<Relay> {
  const dir = mkdtempSync(join(tmpdir(), 'pressel-turn-'));
  const secret = 'only for this test';
  const port = 20_000 + (process.pid % 10_000);
  const flags = {
    'listening-ip': '127.0.0.1',
    'relay-ip': '127.0.0.1',
    'listening-port': String(port),
    realm: 'pressel.test',
    'static-auth-secret': secret,
    'min-port': '49200',
    'max-port': '49400',
    pidfile: join(dir, 'pid'),
    userdb: join(dir, 'db'),
    'log-file': 'stdout',
  };
  const switches = ['fingerprint', 'no-tls', 'no-dtls', 'use-auth-secret', 'no-cli', 'allow-loopback-peers'];
  const child = spawn(
    program,
    [
      '-n',
      ...Object.entries(flags).flatMap(([flag, value]) => [`--${flag}`, value]),
      ...switches.map((flag) => `--${flag}`),
    ],
    { stdio: 'ignore' },
  );
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  await listening(port);
  return {
    url: `turn:127.0.0.1:${port}?transport=udp`,
    secret,
    async stop() {
      child.kill('SIGTERM');
      await ended;
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

/** coturn says nothing that can be relied on when it is ready: its TCP port is asked until it answers. */
function listening(port: number): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const giveUpAt = Date.now() + START_LIMIT_MS;
  const ask = (): void => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => {
      socket.destroy();
      resolve();
    });
    socket.once('error', () => {
      if (Date.now() > giveUpAt) reject(new Error('The relay did not start'));
      else setTimeout(ask, 100);
    });
  };
  ask();
  return promise;
}
