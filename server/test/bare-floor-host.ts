/**
 * For `npm run bench -- floor`: Socket.IO and nothing else, answering like a floor. The first who asks in a room gets it, and
 * the others wait in line. Everybody in the room gets the news in our server's format. Nothing is checked, signed, leased
 * or kept. It sends its address by IPC, and ends with the channel to its parent.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Server, type Socket } from 'socket.io';

interface Claim {
  socket: Socket;
  seq: number;
}
type Answer = (ack: { ok: true; data: object }) => void;

const ID = '01900000-0000-7000-8000-000000000000';
const http = createServer();
const io = new Server(http, { serveClient: false });
const rooms = new Map<string, { claims: Claim[]; version: number }>();

const replyOf = (type: string, seq: number) => ({ type, channelId: ID, seq, ...{ talkMs: 30_000, leaseMs: 3_000 } });

io.on('connection', (socket) => {
  let name = '';
  const roomOf = () => rooms.get(name) ?? { claims: [], version: 0 };
  const snapshot = () => {
    const { claims, version } = roomOf();
    const talker = { id: ID, userId: ID, name: 'Member0 x 0', talkingMs: 0, remainingMs: 30_000 };
    const talkers = claims.length === 0 ? [] : [talker];
    return { channelId: ID, version, mode: 'exclusive', talkers, queue: claims.slice(1).map(() => ID) };
  };
  const tell = () => {
    roomOf().version += 1;
    io.to(name).emit('floor_changed', { ...snapshot(), signature: 'x'.repeat(86) });
  };
  socket.on('join_room', ({ room }: { room: string }, answer: Answer) => {
    name = room;
    if (!rooms.has(room)) rooms.set(room, { claims: [], version: 0 });
    void socket.join(room);
    answer({ ok: true, data: { floor: snapshot() } });
  });
  socket.on('floor_request', ({ seq, queue }: { seq: number; queue: boolean }, answer: Answer) => {
    const { claims } = roomOf();
    const isFree = claims.length === 0;
    answer({ ok: true, data: replyOf(isFree ? 'granted' : queue ? 'queued' : 'denied', seq) });
    if (!isFree && !queue) return;
    claims.push({ socket, seq });
    tell();
  });
  socket.on('floor_release', ({ seq }: { seq: number }, answer: Answer) => {
    const { claims } = roomOf();
    answer({ ok: true, data: replyOf('released', seq) });
    const at = claims.findIndex((claim) => claim.socket === socket);
    if (at < 0) return;
    claims.splice(at, 1);
    const [next] = claims;
    if (at === 0 && next !== undefined) next.socket.emit('floor_reply', replyOf('granted', next.seq));
    tell();
  });
  for (const event of ['floor_renew', 'beat'])
    socket.on(event, (_: unknown, answer: Answer) => answer({ ok: true, data: {} }));
});
http.listen(0, '127.0.0.1', () => {
  process.send?.({ origin: `http://127.0.0.1:${(http.address() as AddressInfo).port}` });
});
process.on('disconnect', () => process.exit(0));
