import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, Socket as TcpSocket } from 'node:net';
import { Server } from 'socket.io';
import { io } from 'socket.io-client';
import { afterEach, expect, test, vi } from 'vitest';
import { OneWriteAdapter } from './broadcast-adapters.ts';

/** Too long for the short form of a frame's head. */
const TEXT = 'é'.repeat(40_000);

afterEach(() => vi.restoreAllMocks());

test('what a room hears is one write a socket, and arrives as it was said', async () => {
  const http = createServer();
  const server = new Server(http, { adapter: OneWriteAdapter });
  server.on('connection', (socket) => void socket.join('room'));
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  const client = io(`http://127.0.0.1:${(http.address() as AddressInfo).port}`, { transports: ['websocket'] });
  try {
    await new Promise<void>((resolve) => client.on('connect', resolve));
    const heard = new Promise((resolve) => client.on('said', resolve));
    const write = vi.spyOn(TcpSocket.prototype, 'write');
    server.to('room').emit('said', { text: TEXT });
    expect(write).toHaveBeenCalledTimes(1);
    expect(await heard).toEqual({ text: TEXT });
  } finally {
    client.close();
    await server.close();
  }
});
