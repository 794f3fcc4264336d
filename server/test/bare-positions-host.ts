/**
 * For `npm run bench -- map`: Socket.IO and nothing else. It sends each position to everybody, in our server's format. It
 * sends its address by IPC, and ends with the channel to its parent.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Server } from 'socket.io';

const http = createServer();
const io = new Server(http, { serveClient: false });
io.on('connection', (socket) => {
  void socket.join('everybody');
  socket.on('position_update', (position: { lat: number; lng: number }, answer: (reply: object) => void) => {
    io.to('everybody').emit('onLocationChanged', {
      ...{ userId: '01900000-0000-7000-8000-000000000000', ...position, accuracy: null },
      ...{ recordedAt: new Date().toISOString(), ageMs: 0 },
    });
    answer({ ok: true, data: {} });
  });
});
http.listen(0, '127.0.0.1', () => {
  process.send?.({ origin: `http://127.0.0.1:${(http.address() as AddressInfo).port}` });
});
process.on('disconnect', () => process.exit(0));
