/**
 * For `npm run bench -- scale`: Socket.IO alone with the product's adapter. It sends rooms the same events as the product, and checks
 * nothing. It is one of several processes; arguments: the addresses of their Redis and their database. It sends its own address by IPC.
 * After `{ stores: true }` it also stores one row before it sends, where the product does: a message, a floor, who is in a room.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import pg from 'pg';
import { Server } from 'socket.io';
import { createLog } from '#src/logs/log.ts';
import { NO_METRICS } from '#src/logs/metrics.ts';
import { openRedis } from '#src/processes/redis.ts';
import { createRelay } from '#src/processes/relay.ts';
import { uuidV7 } from '#src/shared/ids.ts';
import { relayingAdapter } from '#src/sockets/broadcast-adapters.ts';
import { closeInTurn } from '#src/sockets/close-in-turn.ts';

const [redisUrl = '', databaseUrl = ''] = process.argv.slice(2);
const log = createLog('error', process.stderr);
const relay = createRelay(await openRedis(redisUrl, 'bare', log), log);
const http = createServer();
const io = new Server(http, {
  serveClient: false,
  adapter: relayingAdapter(relay, NO_METRICS),
  transports: ['websocket'],
});
await relay.open(() => undefined);

const rows = new pg.Pool({ connectionString: databaseUrl, max: 10 });
const floors = new pg.Pool({ connectionString: databaseUrl, max: 2, options: '-c synchronous_commit=off' });
await rows.query(
  `select pg_advisory_xact_lock(1);
  create table if not exists bare_messages (id uuid primary key, channel_id uuid, user_id uuid, text text, at timestamptz);
  create table if not exists bare_stays (id text primary key, channel_id uuid);
  create unlogged table if not exists bare_floors (channel_id uuid primary key, state text) with (fillfactor = 50)`,
);
let stores = false;
const store = async (pool: pg.Pool, name: string, text: string, values: unknown[]) => {
  if (stores) await pool.query({ name, text, values });
};
const MESSAGE = 'insert into bare_messages values ($1, $2, $3, $4, now())';
const FLOOR = 'insert into bare_floors values ($1, $2) on conflict (channel_id) do update set state = excluded.state';
const STAY = 'insert into bare_stays values ($1, $2) on conflict (id) do update set channel_id = excluded.channel_id';

type Answer = (ack: { ok: true; data: unknown }) => void;
const ID = '01900000-0000-7000-8000-000000000000';
const NAME = 'Member 1000 Martin';
const SIGNATURE = 'x'.repeat(86);
let version = Date.now();

io.on('connection', (socket) => {
  const room = () => String(socket.data.room);
  const done = (answer: Answer, data: unknown = {}) => answer({ ok: true, data });
  const changeFloor = async (talkers: object[]) => {
    version += 1;
    const floor = { channelId: room(), version, mode: 'single', talkers, queue: [], signedAt: version };
    await store(floors, 'floor', FLOOR, [room(), JSON.stringify(floor)]);
    io.to(room()).emit('floor_changed', { ...floor, isRecovering: false, signature: SIGNATURE });
    const micState = talkers.length > 0;
    io.to(room()).emit('onMicStateChanged', { id: socket.id, userId: ID, channelId: room(), micState });
  };
  const tellStatus = (channelId: string | null) => {
    const here = { userId: ID, connected: true, user_sockets: [{ userId: ID, channelId, socket_id: socket.id }] };
    const rooms = [{ channelId: room(), connected: 20 }];
    io.to(room()).emit('onUserStatusChanged', { channelId: room(), users: [here], rooms, connected: 2_000 });
  };
  const move = (channelId: string | null) => store(rows, 'stay', STAY, [socket.id, channelId]);
  socket.on('join_room', async ({ channelId, seesMap }: { channelId: string; seesMap: boolean }, answer: Answer) => {
    socket.data.room = channelId;
    await move(channelId);
    void socket.join(seesMap ? [channelId, `map:${channelId}`] : channelId);
    const news = { id: socket.id, userId: ID, name: NAME, photo: null, channelId, video: null };
    socket.to(channelId).emit('user joined', news);
    tellStatus(channelId);
    done(answer);
  });
  socket.on('leave_room', async (_input: unknown, answer: Answer) => {
    await move(null);
    io.to(room()).emit('user_exit', { id: socket.id, channelId: room() });
    tellStatus(null);
    void socket.leave(room());
    done(answer);
  });
  socket.on('floor_request', async ({ seq }: { seq: number }, answer: Answer) => {
    await changeFloor([{ id: socket.id, userId: ID, name: NAME, talkingMs: 0, remainingMs: 30_000 }]);
    done(answer, { type: 'granted', channelId: room(), seq, talkMs: 30_000, leaseMs: 2_400 });
  });
  socket.on('floor_renew', async (_input: unknown, answer: Answer) => {
    await store(floors, 'floor', FLOOR, [room(), SIGNATURE]);
    done(answer);
  });
  socket.on('floor_release', async ({ seq }: { seq: number }, answer: Answer) => {
    await changeFloor([]);
    done(answer, { type: 'released', channelId: room(), seq });
  });
  socket.on('message', async ({ message, clientId }: { message: string; clientId: string }, answer: Answer) => {
    version += 1;
    const told = {
      ...{ id: uuidV7(Date.now()), channelId: room(), number: version, userId: ID, user: { display_name: NAME } },
      ...{ textMsg: message, createdAt: new Date().toISOString(), clientId, file: null },
    };
    await store(rows, 'message', MESSAGE, [told.id, room(), ID, message]);
    io.to(room()).emit('messageResponse', told);
    done(answer, { message: told });
  });
  // The product sends a position before it is stored, and answers then.
  socket.on('position_update', ({ lat, lng }: { lat: number; lng: number }, answer: Answer) => {
    const place = { userId: ID, name: NAME, lat, lng, recordedAt: new Date().toISOString() };
    io.to(`map:${room()}`).emit('onLocationChanged', place);
    done(answer);
  });
});
http.listen(0, '127.0.0.1', () => {
  process.send?.({ origin: `http://127.0.0.1:${(http.address() as AddressInfo).port}` });
});
process.on('message', (told: { stores: boolean }) => {
  stores = told.stores;
});
process.on('disconnect', () => process.exit(0));
process.once('SIGTERM', async () => {
  http.close();
  await closeInTurn(io, { who: 'all', returns: null });
  process.exit(0);
});
