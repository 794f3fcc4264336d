import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo, Socket as Wire } from 'node:net';
import { Server } from 'socket.io';
import { io as connect } from 'socket.io-client';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { Connection } from './flood-guard.ts';
import { gatherWrites } from './one-write.ts';

/** A server with two clients in one room. */
async function openRoom() {
  const http = createServer();
  const io = new Server(http, { transports: ['websocket'] });
  onTestFinished(() => io.close());
  io.engine.on('connection', (connection: Connection) => gatherWrites(connection));
  io.on('connection', (socket) => void socket.join('room'));
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  const origin = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
  const clients = [1, 2].map(() => connect(origin, { transports: ['websocket'], forceNew: true }));
  onTestFinished(() => clients.forEach((client) => void client.close()));
  await Promise.all(clients.map((client) => new Promise<void>((resolve) => client.once('connect', resolve))));
  return { io, clients };
}

test('what a room is told in one turn is one write for each socket, in order', async () => {
  const { io, clients } = await openRoom();
  const heard = clients.map((client) => {
    const events: unknown[] = [];
    client.onAny((...event: unknown[]) => events.push(event));
    return events;
  });
  const handle = Object.getPrototypeOf([...io.sockets.sockets.values()].map(wireOf)[0]?._handle) as {
    writev(request: unknown, chunks: unknown[]): number;
    writeBuffer(request: unknown, chunk: unknown): number;
  };
  const [writev, write] = [vi.spyOn(handle, 'writev'), vi.spyOn(handle, 'writeBuffer')];
  onTestFinished(() => [writev, write].forEach((spy) => void spy.mockRestore()));
  io.to('room').emit('first', 1);
  io.to('room').emit('second', 2);
  await Promise.resolve();
  io.to('room').emit('third', 3);
  await vi.waitFor(() => expect(heard.map((events) => events.length)).toEqual([3, 3]));
  expect(heard[0]).toEqual([
    ['first', 1],
    ['second', 2],
    ['third', 3],
  ]);
  expect(writev).toHaveBeenCalledTimes(2);
  expect(write).not.toHaveBeenCalled();
});

test('a connection that is closed in the same turn gets what it was told before', async () => {
  const { io, clients } = await openRoom();
  const [client] = clients;
  const bye = new Promise((resolve) => client?.once('bye', resolve));
  const closed = new Promise((resolve) => client?.once('disconnect', resolve));
  const socket = io.sockets.sockets.get(String(client?.id));
  socket?.emit('bye', 'now');
  socket?.conn.close();
  expect(await bye).toBe('now');
  await closed;
});

interface Handled {
  _handle?: unknown;
}
function wireOf({ conn }: { conn: unknown }): Handled {
  const { transport } = conn as { transport: { socket: { _socket: Wire } } };
  return transport.socket._socket as Handled;
}
