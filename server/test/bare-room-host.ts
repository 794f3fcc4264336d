/**
 * For `npm run bench -- room`: Socket.IO alone passes messages to a room, without storing or checking them. This is the
 * minimal cost of any server on Socket.IO. It sends its address by IPC.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Server } from 'socket.io';

const http = createServer();
const io = new Server(http, { serveClient: false });
const ID = '01900000-0000-7000-8000-000000000000';
let number = 0;

io.on('connection', (socket) => {
  socket.on('join_room', ({ room }: { room: string }, answer: (ack: unknown) => void) => {
    void socket.join(room);
    answer({ ok: true, data: {} });
  });
  socket.on(
    'message',
    ({ message, clientId }: { message: string; clientId: string }, answer: (ack: unknown) => void) => {
      number += 1;
      const told = {
        ...{ id: ID, channelId: ID, number, userId: ID, user: { display_name: 'Member Martin' }, textMsg: message },
        ...{ createdAt: new Date().toISOString(), clientId, file: null },
      };
      for (const room of socket.rooms) if (room !== socket.id) io.to(room).emit('messageResponse', told);
      answer({ ok: true, data: { message: told } });
    },
  );
});
http.listen(0, '127.0.0.1', () => {
  process.send?.({ origin: `http://127.0.0.1:${(http.address() as AddressInfo).port}` });
});
process.on('disconnect', () => process.exit(0));
