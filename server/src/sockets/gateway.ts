import type { Server as HttpServer, IncomingMessage } from 'node:http';
import { ERRORS } from '@pressel/contract/errors';
import type { ChannelId, ParticipantId, UserId } from '@pressel/contract/ids';
import { SOCKET_MESSAGE_MAX_BYTES } from '@pressel/contract/limits';
import type { VideoShown } from '@pressel/contract/presence';
import type { ClientToServer, ServerPayload, ServerToClient } from '@pressel/contract/realtime';
import type { FastifyBaseLogger } from 'fastify';
import { type Socket as IoSocket, Server } from 'socket.io';
import { type Authenticate, ownerOf, type Session } from '#src/accounts/session.ts';
import { clientAddress, type TrustProxy } from '#src/addresses/client-address.ts';
import { isOwnHost, isOwnOrigin } from '#src/addresses/hosts.ts';
import { type Allowance, addressKey, createAllowance } from '#src/limits/rate-limit.ts';
import type { Refusals } from '#src/limits/refusals.ts';
import type { Metrics } from '#src/logs/metrics.ts';
import type { Relay } from '#src/processes/relay.ts';
import { AppError } from '#src/shared/app-error.ts';
import { OneWriteAdapter, relayedEvent, relayingAdapter, SOCKETS_TOPIC } from './broadcast-adapters.ts';
import { type ConnectionRegistry, createConnectionRegistry } from './connections.ts';

/** A room that a participant is in, from entering to leaving. */
export interface EnteredRoom {
  id: ChannelId;
  name: string;
  joinedAt: Date;
  video: VideoShown | null;
  /** How long it had been talking when its process stopped, ms; null: it wasn't, or that is dealt with (PRES44). */
  talkMs: number | null;
  /** When that process was last known to live. */
  heardAt?: Date;
  /** True: the participant must leave, and the leave is under way (PRES14). */
  isClosed: boolean;
  /** When its last beat came, ms by the monotonic clock; null: it has sent none. */
  beatAt: number | null;
  /** Whether the room was told that it sends no beats (PRES27). */
  isSilent: boolean;
  /** Its socket has been lost since: the next join of this room resumes it, and takes no allowance (PRES30). */
  awaitsResume: boolean;
}

/** The stored part of an entered room. */
export type StoredEnteredRoom = Pick<EnteredRoom, 'joinedAt' | 'video' | 'talkMs' | 'heardAt' | 'isSilent'>;

/** The presence of one page or client. It outlives its socket for a while when its client can resume (PRES30). */
export interface LiveParticipant {
  /** The id of the socket by which it first connected. */
  id: ParticipantId;
  /** The id in its rows; it differs from `id` until an adopted id is stored. */
  storedAs: ParticipantId;
  session: Session;
  /** The version of the account that the names in `session` come from; 0 while it is unknown. */
  namesVersion: number;
  /** Null: its link is lost, or it is over. */
  socket: Socket | null;
  readonly enteredRooms: Map<ChannelId, EnteredRoom>;
  /** Rooms in which an earlier process left rows of it: its client comes back to them, or it leaves them. */
  adopted: Map<ChannelId, StoredEnteredRoom>;
  /** When it adopted them, ms by the monotonic clock. */
  adoptedAt: number;
  /** True: one of its leaves could not be stored, so its rows name a room that it isn't in. */
  hasStrayRows: boolean;
  /** Its rate allowances, by kind. A new socket gets no new ones. */
  readonly allowances: Map<string, Allowance>;
  /** Whether its client has a token to resume it. */
  isResumable: boolean;
  /** Its leave is under way or done: it can't enter any room. */
  isOver: boolean;
  /** Whether it is in the presence table and its socket receives its news. */
  isTakenIn: boolean;
  /** Ends the participant when nobody resumes it. */
  lostTimer: NodeJS.Timeout | undefined;
}

export const newParticipant = (id: ParticipantId, session: Session): LiveParticipant => ({
  ...{
    id,
    storedAs: id,
    session,
    namesVersion: 0,
    socket: null,
    enteredRooms: new Map(),
    adopted: new Map(),
    adoptedAt: 0,
    allowances: new Map(),
  },
  ...{ isResumable: false, isOver: false, isTakenIn: false, hasStrayRows: false, lostTimer: undefined },
});

/** Whether its client can resume it, here or at the next process, and has something to come back to. */
export const isAwaited = ({ isOver, isResumable, enteredRooms, adopted }: LiveParticipant): boolean =>
  !isOver && isResumable && enteredRooms.size + adopted.size > 0;

/** Data that the server keeps with a socket. */
export interface SocketData {
  session: Session;
  /** The participant of this socket. Resuming gives the socket another one. */
  participant: LiveParticipant;
  /** Whether it is one of the two sockets of an accepted one-to-one call. */
  isInCall: boolean;
  /** Whether its client took its participant over by a newer socket, so that the server ends this one. */
  isReplaced: boolean;
  allowance: Allowance;
  /** Limits `error` events to it. */
  complaints: Allowance;
  /** Whether its user may see positions, as far as known. */
  seesMap: boolean;
  /** Whether its client speaks this server's contract, as far as it says (PROC85). */
  contract: SpokenContract;
  /** Settled once the socket is in the presence table and receives its news: none of its events is served before. */
  registered: Promise<void>;
}

/** `unsaid`: a client that doesn't name its contract, such as an earlier page or another program. */
export type SpokenContract = 'same' | 'other' | 'unsaid';

export type Socket = IoSocket<ClientToServer, ServerToClient, Record<string, never>, SocketData>;
export type Io = Server<ClientToServer, ServerToClient, Record<string, never>, SocketData>;

/** The names of Socket.IO rooms, by audience. The database decides which sockets are in them, never a client's request. */
export const audience = {
  admins: 'admins',
  user: (id: string) => `user:${id}`,
  session: (id: string) => `session:${id}`,
  /** Sockets of all who may know about a channel: its members, wherever they are. Administrators are in `admins`. */
  membersOf: (id: string) => `members:${id}`,
  /** Members' sockets whose users may see positions. Administrators are in `admins`. */
  mapOf: (id: string) => `map:${id}`,
  /** Sockets in the channel's room, except guests': events that aren't for guests don't reach them (GUEST7). */
  inRoom: (id: string) => `room:${id}`,
  /** All sockets in the channel's room, including guests': for events that the contract sends to guests. */
  everyoneIn: (id: string) => [`room:${id}`, `guests:${id}`],
  /** Sockets of guests in the channel's room. */
  guestsIn: (id: string) => `guests:${id}`,
  /** Sockets of guests whose links lead to the channel, even before they are in its room. */
  guestsOf: (id: string) => `visits:${id}`,
  /** Sockets of guests who came by this link, wherever they are. */
  guestLink: (id: string) => `link:${id}`,
  /** One participant in one room: a signal reaches nobody who shares no room with the sender. */
  participant: (channel: ChannelId, id: ParticipantId) => `room:${channel}:${id}`,
} as const;

/** A lost link is noticed after PING_INTERVAL_MS + PING_TIMEOUT_MS at the latest: within 30 s. */
const PING_INTERVAL_MS = 10_000;
const PING_TIMEOUT_MS = 15_000;
/** A page that lost its link comes back by another connection; nobody visits with several devices as one guest. */
const CONNECTIONS_PER_GUEST = 4;
/** Joining a full mesh sends some 300 signals at once; nobody needs more than 150 a second for long. */
const EVENT_BURST = 600;
const EVENTS_PER_SECOND = 150;
/** Authors of clients need the first few; more would echo a flood. */
const COMPLAINT_BURST = 20;
const COMPLAINTS_PER_SECOND = 2;

export interface GatewayOptions {
  http: HttpServer;
  publicUrl: string | null;
  trustProxy: TrustProxy;
  authenticate: Authenticate;
  refusals: Pick<Refusals, 'note'>;
  log: FastifyBaseLogger;
  metrics: Pick<Metrics, 'heard' | 'fannedOut'>;
  now: () => number;
  /** The first event that every socket gets. */
  version: ServerPayload<'server_version'>;
  /** True: clients must connect to another process. */
  isEnding: () => boolean;
  /** The relay to other processes; null: there are none. */
  relay: Relay | null;
}

/** Ends connections that send too much. It registers them in the book. */
export type GuardConnections = (
  io: Io,
  deps: {
    registry: ConnectionRegistry;
    addressOf(request: IncomingMessage): string;
    log: FastifyBaseLogger;
    now: () => number;
  },
) => void;

/** Opens Socket.IO on the HTTP server. Sockets without a valid token or from a foreign page are refused. */
export function openGateway(options: GatewayOptions, guardConnections: GuardConnections): Io {
  const { http, publicUrl, trustProxy, authenticate, refusals, log, now, relay } = options;
  const registry = createConnectionRegistry(now);
  const addresses = new WeakMap<IncomingMessage, { whole: string; key: string }>();
  /** A connection's address is asked for several times, and takes a while to read. */
  const addressesOf = (request: IncomingMessage) => {
    const known = addresses.get(request);
    if (known !== undefined) return known;
    const whole = clientAddress(request, trustProxy);
    const read = { whole, key: addressKey(whole) };
    addresses.set(request, read);
    return read;
  };
  const addressOf = (request: IncomingMessage) => addressesOf(request).key;
  const io: Io = new Server(http, {
    serveClient: false,
    adapter: relay === null ? OneWriteAdapter : relayingAdapter(relay, options.metrics),
    // With polling, the requests of one connection could reach different processes.
    ...(relay === null ? {} : { transports: ['websocket'] }),
    maxHttpBufferSize: SOCKET_MESSAGE_MAX_BYTES,
    pingInterval: PING_INTERVAL_MS,
    pingTimeout: PING_TIMEOUT_MS,
    // Called once for each new connection, not for each message.
    allowRequest: (request, decide) => {
      const address = addressOf(request);
      const refuse = (code: 'wrong_host' | 'wrong_origin' | 'too_many', text: string | null) => {
        refusals.note('socket_refused', address, { code });
        decide(text, false);
      };
      if (!isOwnHost(request, publicUrl)) return refuse('wrong_host', ERRORS.wrong_host.text);
      if (!isOwnOrigin(request, publicUrl)) return refuse('wrong_origin', null);
      if (!registry.mayOpen(address)) return refuse('too_many', null);
      decide(null, true);
    },
  });
  // Processes that end before others don't poll, so each of these requests opens a connection.
  io.engine.use((request: IncomingMessage, _response: unknown, next: () => void) =>
    options.isEnding() ? refuseForNow(request) : next(),
  );
  guardConnections(io, { registry, addressOf, log, now });
  io.use((socket, next) => {
    authenticate(tokenOf(socket), addressesOf(socket.request).whole).then(
      (session) => {
        if (session === null) return next(refusal(new AppError('unauthenticated')));
        // The client gave up while its session was read. That is no refusal, and nothing to tell an operator.
        if (!registry.isPending(socket.conn)) return next(refusal(new AppError('unavailable')));
        const most = session.role === 'guest' ? CONNECTIONS_PER_GUEST : undefined;
        if (!registry.admit(socket.conn, session.userId, { most, sharer: ownerOf(session) })) {
          refusals.note('socket_refused', addressOf(socket.request), { code: 'too_many', userId: session.userId });
          return next(refusal(new AppError('too_many')));
        }
        socket.data.session = session;
        socket.data.participant = newParticipant(socket.id as ParticipantId, session);
        socket.data.seesMap = false;
        socket.data.contract = contractOf(socket, options.version.contract);
        socket.data.isInCall = false;
        socket.data.isReplaced = false;
        socket.data.allowance = createAllowance(EVENT_BURST, EVENTS_PER_SECOND, now);
        socket.data.complaints = createAllowance(COMPLAINT_BURST, COMPLAINTS_PER_SECOND, now);
        next();
      },
      (error: unknown) => {
        log.error({ err: error }, 'handshake_failed');
        next(refusal(new AppError('unavailable')));
      },
    );
  });
  io.engine.on('headers', (headers: Record<string, string>) => {
    headers['x-content-type-options'] = 'nosniff';
    headers['cache-control'] = 'no-store';
  });
  return io;
}

/** Refuses a handshake with a status that lets a proxy try another process. Socket.IO would answer that the request is wrong. */
function refuseForNow({ socket }: IncomingMessage): void {
  socket.on('error', () => undefined);
  const head = 'HTTP/1.1 503 Service Unavailable\r\nconnection: close\r\nretry-after: 1\r\ncontent-length: 0\r\n\r\n';
  socket.end(head, () => socket.destroy());
}

function tokenOf(socket: Socket): string {
  const { auth, query } = socket.handshake;
  const token: unknown = auth.token ?? query.token;
  return typeof token === 'string' ? token : '';
}

/** The client's claim is compared and forgotten: it is neither logged nor a label. */
function contractOf({ handshake: { auth } }: Socket, own: string): SpokenContract {
  const said: unknown = auth.contract;
  if (typeof said !== 'string' || said === '') return 'unsaid';
  return said === own ? 'same' : 'other';
}

/** Socket.IO hands `data` of the error to the client's connect_error. */
const refusal = ({ code, params }: AppError) => Object.assign(new Error(code), { data: { code, params } });

/** Ends all sockets of a session or of a user at once, except those of a given session. */
export const endSockets = (io: Io, room: string, exceptSession: string | null = null): void => {
  const sockets = io.in(room);
  (exceptSession === null ? sockets : sockets.except(audience.session(exceptSession))).disconnectSockets(true);
};

/** The channels whose news a socket receives: its user's memberships. */
export const channelsHeardBy = ({ rooms }: Pick<Socket, 'rooms'>): ChannelId[] => {
  const prefix = audience.membersOf('');
  return [...rooms].flatMap((room) => (room.startsWith(prefix) ? [room.slice(prefix.length) as ChannelId] : []));
};

type Staying = { data: Pick<SocketData, 'participant'> };

/** The rooms of a socket's participant, without those that it has to leave. */
export const roomsOf = ({ data: { participant } }: Staying): EnteredRoom[] =>
  [...participant.enteredRooms.values()].filter(({ isClosed }) => !isClosed);

/** The room of a channel, or the only room of a socket's participant. @throws AppError not_in_room */
export function roomOf(socket: Staying, channelId?: ChannelId): EnteredRoom {
  const enteredRooms = roomsOf(socket);
  const [only, ...others] = channelId === undefined ? enteredRooms : enteredRooms.filter(({ id }) => id === channelId);
  if (only === undefined || others.length > 0) throw new AppError('not_in_room');
  return only;
}

/** Subscribes a user's live sockets to news about a channel, or unsubscribes them. */
export function setChannelNews(io: Io, userId: UserId, channelId: ChannelId, heard: boolean): void {
  const sockets = io.in(audience.user(userId));
  if (heard) sockets.socketsJoin(audience.membersOf(channelId));
  else sockets.socketsLeave(audience.membersOf(channelId));
}

export { relayedEvent, SOCKETS_TOPIC };
