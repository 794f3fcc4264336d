/**
 * For `npm run bench -- scale`: Socket.IO alone with the adapter of the product, which tells rooms the same as the product tells them,
 * and neither stores nor checks anything. One process of several; the first argument is the address of their Redis. Its own address is
 * told by IPC.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Server } from 'socket.io';
import { relayingAdapter } from '#src/shared/adapters.ts';
import { createLog } from '#src/shared/log.ts';
import { openRedis } from '#src/shared/redis.ts';
import { createRelay } from '#src/shared/relay.ts';

const log = createLog('error', process.stderr);
const relay = createRelay(await openRedis(String(process.argv[2]), 'bare', log), log);
const http = createServer();
const io = new Server(http, { serveClient: false, adapter: relayingAdapter(relay), transports: ['websocket'] });
await relay.open(() => undefined);

type Answer = (ack: { ok: true; data: unknown }) => void;
const ID = '01900000-0000-7000-8000-000000000000';
const SIGNATURE = 'x'.repeat(86);
let version = 0;

io.on('connection', (socket) => {
  const room = () => String(socket.data.room);
  const done = (answer: Answer, data: unknown = {}) => answer({ ok: true, data });
  const tellFloor = (talkers: object[]) => {
    version += 1;
    const floor = { channelId: room(), version, mode: 'single', talkers, queue: [], signedAt: version };
    io.to(room()).emit('floor_changed', { ...floor, signature: SIGNATURE });
  };
  socket.on('join_room', ({ channelId, seesMap }: { channelId: string; seesMap: boolean }, answer: Answer) => {
    socket.data.room = channelId;
    void socket.join(seesMap ? [channelId, `map:${channelId}`] : channelId);
    socket.to(channelId).emit('user joined', { id: socket.id, userId: ID, name: 'Member Martin', channelId });
    done(answer);
  });
  socket.on('leave_room', (_input: unknown, answer: Answer) => {
    io.to(room()).emit('user_exit', { id: socket.id, channelId: room() });
    void socket.leave(room());
    done(answer);
  });
  socket.on('floor_request', ({ seq }: { seq: number }, answer: Answer) => {
    tellFloor([{ id: socket.id, userId: ID, name: 'Member Martin', talkingMs: 0, remainingMs: 30_000 }]);
    done(answer, { type: 'granted', channelId: room(), seq, talkMs: 30_000, leaseMs: 2_400 });
  });
  socket.on('floor_release', ({ seq }: { seq: number }, answer: Answer) => {
    tellFloor([]);
    done(answer, { type: 'released', channelId: room(), seq });
  });
  socket.on('message', ({ message, clientId }: { message: string; clientId: string }, answer: Answer) => {
    version += 1;
    const told = {
      ...{ id: ID, channelId: room(), number: version, userId: ID, user: { display_name: 'Member Martin' } },
      ...{ textMsg: message, createdAt: new Date().toISOString(), clientId, file: null },
    };
    io.to(room()).emit('messageResponse', told);
    done(answer, { message: told });
  });
  socket.on('position_update', ({ lat, lng }: { lat: number; lng: number }, answer: Answer) => {
    const place = { userId: ID, name: 'Member Martin', lat, lng, recordedAt: new Date().toISOString() };
    io.to(`map:${room()}`).emit('onLocationChanged', place);
    done(answer);
  });
});
http.listen(0, '127.0.0.1', () => {
  process.send?.({ origin: `http://127.0.0.1:${(http.address() as AddressInfo).port}` });
});
process.on('disconnect', () => process.exit(0));
