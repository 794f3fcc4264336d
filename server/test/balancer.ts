import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** How often each process is probed, and how long it may take to answer. */
const PROBE_EVERY_MS = 250;
const PROBE_LIMIT_MS = 1_000;
/** How long a client has to hear the end of a connection. */
const LINGER_MS = 1_000;

export interface Balancer {
  readonly origin: string;
  /** Cuts all connections, like a proxy that restarts. */
  cut(): void;
  /** Passes nothing on in either direction, and ends nothing, like a firewall that drops every packet. False undoes it. */
  silence(isSilent: boolean): void;
  close(): Promise<void>;
}

interface Pair {
  readonly near: Socket;
  readonly far: Socket;
}

/**
 * A balancer for tests without sticky sessions: it passes each connection to a random port, or path of a Unix socket. It skips one that
 * refuses the connection, and one that doesn't answer while another one does.
 * @param options.asks false: it doesn't probe the ports by HTTP
 */
export async function openBalancer(
  ports: () => readonly (number | string)[],
  { asks = true }: { asks?: boolean } = {},
): Promise<Balancer> {
  const open = new Set<Socket>();
  const pairs = new Set<Pair>();
  const deaf = new Set<number | string>();
  let isSilent = false;
  /** Before its first client it probes nothing: benches that go by other routes measure the processes alone. */
  let isUsed = false;
  const server = createServer((near) => {
    isUsed = true;
    keep(near);
    const hearing = shuffled(ports().filter((port) => !deaf.has(port)));
    pass(near, [...hearing, ...shuffled(ports().filter((port) => deaf.has(port)))]);
  });

  function keep(socket: Socket): void {
    open.add(socket);
    socket.setNoDelay(true);
    socket.once('close', () => open.delete(socket));
    socket.on('error', () => undefined);
  }

  /** Passes a connection to the first of the ports that accepts it. */
  function pass(near: Socket, [port, ...others]: readonly (number | string)[]): void {
    if (near.destroyed) return;
    if (port === undefined) {
      near.resetAndDestroy();
      return;
    }
    const far = typeof port === 'string' ? connect(port) : connect(port, '127.0.0.1');
    const retry = () => pass(near, others);
    far.once('error', retry);
    far.once('connect', () => {
      far.off('error', retry);
      keep(far);
      const pair = { near, far };
      pairs.add(pair);
      for (const socket of [near, far]) socket.once('close', () => join(pair));
      join(pair);
    });
  }

  /** Passes on what either side sends, also its end. */
  function join(pair: Pair): void {
    const { near, far } = pair;
    if (near.destroyed && far.destroyed) pairs.delete(pair);
    if (isSilent) return;
    if (near.destroyed) far.destroy();
    else if (far.destroyed) hangUp(near);
    else near.pipe(far).pipe(near);
  }

  /** Lets the process's last data arrive, even if the client still sends something that nobody reads. */
  function hangUp(near: Socket): void {
    near.unpipe();
    near.resume();
    near.end();
    setTimeout(() => near.destroy(), LINGER_MS).unref();
  }

  async function probe(port: number | string): Promise<void> {
    try {
      await fetch(`http://127.0.0.1:${port}/healthz`, {
        headers: { connection: 'close' },
        signal: AbortSignal.timeout(PROBE_LIMIT_MS),
      });
      deaf.delete(port);
    } catch {
      deaf.add(port);
    }
  }
  const timer = setInterval(() => {
    for (const port of asks && isUsed ? ports() : []) void probe(port);
  }, PROBE_EVERY_MS);

  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const cut = () => {
    for (const socket of open) socket.destroy();
  };
  const silence = (silent: boolean) => {
    isSilent = silent;
    for (const pair of pairs) {
      if (!silent) join(pair);
      else for (const socket of [pair.near, pair.far]) socket.unpipe();
    }
  };
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    ...{ cut, silence },
    async close() {
      clearInterval(timer);
      cut();
      server.close();
      await once(server, 'close');
    },
  };
}

function shuffled<T>(list: readonly T[]): T[] {
  return list
    .map((entry) => ({ entry, at: Math.random() }))
    .toSorted((one, other) => one.at - other.at)
    .map(({ entry }) => entry);
}
