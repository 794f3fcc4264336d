import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';

/** A proxy before the server, which can have another build of the web app, as after an upgrade. */
export interface Front {
  /** The server's address for clients that come through the proxy. */
  readonly origin: string;
  /** Replaces the server's answer for a path from now on: returns its changed text, or null for 404. */
  replace: ((path: string, text: string) => string | null) | undefined;
  close(): Promise<void>;
}

/** The page and its worker: the proxy must read what it changes. */
const CHANGEABLE = /^(?!\/(?:user|device|files|socket\.io|healthz|readyz|docs)\b)/u;

/** Opens a proxy to the server on this machine that has the given origin. */
export async function openFront(target: string): Promise<Front> {
  const port = Number(new URL(target).port);
  const sockets = new Set<Socket>();
  const front: Front = { origin: '', replace: undefined, close };

  function answer(asked: IncomingMessage, reply: ServerResponse): void {
    const path = asked.url ?? '/';
    const { replace } = front;
    const isChanged = replace !== undefined && CHANGEABLE.test(path);
    const headers = { ...asked.headers };
    if (isChanged) for (const name of ['accept-encoding', 'if-none-match', 'if-modified-since']) delete headers[name];
    const passed = request({ port, host: '127.0.0.1', method: asked.method, path, headers }, (given) => {
      if (!isChanged) {
        reply.writeHead(given.statusCode ?? 500, given.headers);
        given.pipe(reply);
        return;
      }
      const parts: Buffer[] = [];
      given.on('data', (part: Buffer) => parts.push(part));
      given.on('end', () => {
        const body = Buffer.concat(parts);
        const isText = /html|javascript/u.test(String(given.headers['content-type']));
        const text = isText ? replace(path, body.toString()) : undefined;
        const { 'content-length': _, etag: _etag, 'last-modified': _modified, ...kept } = given.headers;
        if (text === null) reply.writeHead(404, { 'content-type': 'application/json' }).end('{}');
        else reply.writeHead(given.statusCode ?? 500, kept).end(text ?? body);
      });
    });
    // The proxy breaks off as the server itself does when it ends.
    passed.on('error', () => asked.socket.destroy());
    asked.pipe(passed);
  }

  const server = createServer(answer);
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  server.on('upgrade', (asked: IncomingMessage, near: Socket, head: Buffer) => {
    const far = connect(port, '127.0.0.1', () => {
      const lines = [`${asked.method} ${asked.url} HTTP/1.1`];
      for (let at = 0; at < asked.rawHeaders.length; at += 2)
        lines.push(`${asked.rawHeaders[at]}: ${asked.rawHeaders[at + 1]}`);
      far.write(`${lines.join('\r\n')}\r\n\r\n`);
      far.write(head);
      far.pipe(near).pipe(far);
    });
    for (const [one, other] of [[far, near] as const, [near, far] as const]) {
      one.on('error', () => other.destroy());
      one.on('close', () => other.destroy());
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  Object.assign(front, { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
  return front;

  async function close(): Promise<void> {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  }
}
