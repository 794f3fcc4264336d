import { spawn } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BrowserContext } from '@playwright/test';

export interface Relay {
  url: string;
  secret: string;
  /** Ends it as a crash does, with everything that it relays, and starts it again. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

const START_LIMIT_MS = 60_000;
let relays = 0;

/** A real coturn on loopback with time-limited credentials. Loopback peers are for tests only: never do that outside. */
export async function startRelay(program: string, transport: 'udp' | 'tcp' = 'udp'): Promise<Relay> {
  const dir = mkdtempSync(join(tmpdir(), 'pressel-turn-'));
  const secret = 'only for this test';
  const port = 20_000 + ((process.pid + 3_000 * relays) % 10_000);
  relays += 1;
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
  const switches = [
    ...['fingerprint', 'no-tls', 'no-dtls', 'use-auth-secret', 'no-cli', 'allow-loopback-peers'],
    // It listens to TCP in any case, which shows when it is ready.
    ...(transport === 'tcp' ? ['no-udp'] : []),
  ];
  const args = [
    '-n',
    ...Object.entries(flags).flatMap(([flag, value]) => [`--${flag}`, value]),
    ...switches.map((flag) => `--${flag}`),
  ];
  const start = async () => {
    const child = spawn(program, args, { stdio: 'ignore' });
    const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
    await listening(port);
    return async (signal: NodeJS.Signals) => {
      child.kill(signal);
      await ended;
    };
  };
  let end = await start();
  return {
    url: `turn:127.0.0.1:${port}?transport=${transport}`,
    secret,
    async restart() {
      await end('SIGKILL');
      end = await start();
    },
    async stop() {
      await end('SIGTERM');
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

/** coturn prints nothing reliable when it is ready, so this asks its TCP port until it answers. */
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

export interface Detour {
  relay: Pick<Relay, 'url' | 'secret'>;
  /** How long the relay accepts the credentials, s. */
  validSeconds: number;
  /** How long they are valid according to what the page is told, s. */
  toldSeconds: number;
}

const ICE =
  /"iceServers":\[\{"urls":\[[^\]]*\],"username":"\d+:([^"]+)","credential":"[^"]*"\}\],"iceTransportPolicy":"(\w+)","ttlSeconds":\d+/gu;

/** Makes pages use another relay than the one that their server names, with credentials made as the server makes them. */
export async function useRelay(context: BrowserContext, { relay, validSeconds, toldSeconds }: Detour): Promise<void> {
  await context.routeWebSocket(/socket\.io/u, (socket) => {
    const server = socket.connectToServer();
    server.onMessage((message) => {
      const replaced = String(message).replace(ICE, (_all, user: string, policy: string) => {
        const username = `${Math.floor(Date.now() / 1_000) + validSeconds}:${user}`;
        const credential = createHmac('sha1', relay.secret).update(username).digest('base64');
        const iceServers = [{ urls: [relay.url], username, credential }];
        return JSON.stringify({ iceServers, iceTransportPolicy: policy, ttlSeconds: toldSeconds }).slice(1, -1);
      });
      socket.send(replaced);
    });
  });
}
