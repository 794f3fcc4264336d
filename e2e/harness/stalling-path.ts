import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A way to the server that can stand still: nothing passes, and no side learns of it, as on a path that is half dead. */
export interface StallingPath {
  /** The server's address for those who take this way. */
  readonly origin: string;
  /** Connections stand still, those that exist and those that come. They stay open. */
  stall(): void;
  /** Connections that come from now on work; those that stood still do so for good. */
  passNewcomers(): void;
  /** Connections break off, and new ones are refused. */
  cut(): Promise<void>;
  /** Everything works again, and what was held up arrives. */
  resume(): Promise<void>;
  close(): Promise<void>;
}

/** To the server on this machine that has the given origin. */
export async function openStallingPath(target: string): Promise<StallingPath> {
  const port = Number(new URL(target).port);
  const sockets = new Set<Socket>();
  let isStalled = false;

  const keep = (socket: Socket, other: Socket): void => {
    sockets.add(socket);
    socket.setNoDelay(true);
    socket.on('data', (data) => other.write(data));
    socket.on('end', () => other.end());
    socket.on('close', () => sockets.delete(socket));
    // A connection that breaks off breaks off on the other side too.
    socket.on('error', () => other.destroy());
    if (isStalled) socket.pause();
  };
  const server = createServer({ allowHalfOpen: true }, (near) => {
    const far = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    keep(near, far);
    keep(far, near);
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
