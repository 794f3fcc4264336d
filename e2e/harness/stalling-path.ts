import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A way to the server that can stand still: nothing passes, and no side learns of it, as on a path that is half dead. */
export interface StallingPath {
  /** The server's address for clients that take this way. */
  readonly origin: string;
  /** Makes existing and coming connections stand still. They stay open. */
  stall(): void;
  /** Lets new connections work from now on; those that stood still do so for good. */
  passNewcomers(): void;
  /** Breaks off all connections, and refuses new ones. */
  cut(): Promise<void>;
  /** Makes everything work again; held-up data arrives. */
  resume(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Opens a path to the server on this machine that has the given origin.
 * @param awayMs how far away it seems: everything takes this long in each direction, in order and with full bandwidth.
 *   A new connection takes one round trip more, as TCP does.
 */
export async function openStallingPath(target: string, awayMs = 0): Promise<StallingPath> {
  const port = Number(new URL(target).port);
  const sockets = new Set<Socket>();
  let isStalled = false;

  const keep = (socket: Socket, other: Socket, openedAt: number): void => {
    const underWay: (() => void)[] = [];
    const later = (arrive: () => void) => {
      if (awayMs === 0) {
        arrive();
        return;
      }
      underWay.push(arrive);
      // Timers may run in any order, but data arrives in the order in which it was sent.
      setTimeout(() => underWay.shift()?.(), Math.max(awayMs, openedAt + 3 * awayMs - Date.now()));
    };
    sockets.add(socket);
    socket.setNoDelay(true);
    socket.on('data', (data) => later(() => other.write(data)));
    socket.on('end', () => later(() => other.end()));
    socket.on('close', () => sockets.delete(socket));
    // A connection that breaks off on one side breaks off on the other side too.
    socket.on('error', () => other.destroy());
    if (isStalled) socket.pause();
  };
  const server = createServer({ allowHalfOpen: true }, (near) => {
    const far = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    keep(near, far, Date.now());
    keep(far, near, 0);
  });
  const listen = (at: number) => new Promise<void>((resolve) => server.listen(at, '127.0.0.1', resolve));
  const cut = async (): Promise<void> => {
    for (const socket of sockets) socket.destroy();
    if (server.listening) await new Promise<void>((resolve) => server.close(() => resolve()));
  };
  await listen(0);
  const own = (server.address() as AddressInfo).port;

  return {
    origin: `http://127.0.0.1:${own}`,
    stall() {
      isStalled = true;
      for (const socket of sockets) socket.pause();
    },
    passNewcomers() {
      isStalled = false;
    },
    cut,
    async resume() {
      isStalled = false;
      for (const socket of sockets) socket.resume();
      if (!server.listening) await listen(own);
    },
    close: cut,
  };
}
