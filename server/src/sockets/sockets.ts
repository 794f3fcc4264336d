import type { IncomingMessage } from 'node:http';
import type { ChannelId, ParticipantId, UserId } from '@pressel/contract/ids';
import type { ServerEventName, ServerPayload } from '@pressel/contract/realtime';
import type { FastifyBaseLogger } from 'fastify';
import type { Metrics } from '#src/logs/metrics.ts';
import { createListener, type ListenOn, refuseUnknownEvents } from './client-events.ts';
import { closeInTurn, createReturns } from './close-in-turn.ts';
import { type Connection, closeSockets, dropUnreadSockets, guardConnections, idOf, polls } from './flood-guard.ts';
import {
  audience,
  channelsHeardBy,
  type EnteredRoom,
  endSockets,
  type GatewayOptions,
  isAwaited,
  type LiveParticipant,
  newParticipant,
  openGateway,
  relayedEvent,
  roomOf,
  roomsOf,
  SOCKETS_TOPIC,
  type Socket,
  type SpokenContract,
  type StoredEnteredRoom,
  setChannelNews,
} from './gateway.ts';

/** The reason by which Socket.IO ends the sockets of a server that stops. */
export const SERVER_STOPS = 'server shutting down';

/** The reason when the client ends it. */
const SAYS_GOODBYE = 'client namespace disconnect';

/** Ends that somebody wanted: by a client that says goodbye, by the server, or with the server. */
const WANTED: ReadonlySet<string> = new Set([SAYS_GOODBYE, 'server namespace disconnect', SERVER_STOPS]);
export const isGoodbye = (disconnectReason: string): boolean => disconnectReason === SAYS_GOODBYE;
export const isLinkLost = (disconnectReason: string): boolean => !WANTED.has(disconnectReason);

/** The participants of this process, with or without a socket at the moment. */
export interface Participants {
  find(id: string): LiveParticipant | null;
  all(): Iterable<LiveParticipant>;
  count(): number;
  put(participant: LiveParticipant): void;
  /**
   * Gives a participant that is in no room the id that it had in another process. This works only once: the other clients have closed
   * their connections to a participant that ended here.
   */
  adopt(participant: LiveParticipant, id: ParticipantId): void;
  take(participant: LiveParticipant): void;
  /** Gives a participant back the id by which it connected: nobody knows the one that it adopted. */
  disown(participant: LiveParticipant): void;
  /** The same as `take` when another process took the participant over: it may come back under its id. */
  release(participant: LiveParticipant): void;
}

export function createParticipants(): Participants {
  const known = new Map<string, LiveParticipant>();
  const adopted = new Set<string>();
  const take = (participant: LiveParticipant): void => {
    if (known.get(participant.id) === participant) known.delete(participant.id);
  };
  return {
    find: (id) => known.get(id) ?? null,
    all: () => known.values(),
    count: () => known.size,
    put: (participant) => void known.set(participant.id, participant),
    adopt(participant, id) {
      if (adopted.has(id)) return;
      adopted.add(id);
      take(participant);
      participant.id = id;
      known.set(id, participant);
    },
    take,
    disown(participant) {
      take(participant);
      participant.id = participant.storedAs;
      known.set(participant.id, participant);
    },
    release(participant) {
      take(participant);
      adopted.delete(participant.id);
    },
  };
}

/** The sockets that an event is sent to. */
export interface Addressees {
  except(audiences: readonly string[]): Addressees;
  emit<E extends ServerEventName>(event: E, payload: ServerPayload<E>): void;
}

/** The live sockets and the only access to Socket.IO: this process's, unless stated otherwise. `audience` names audiences. */
export interface Sockets {
  /** Addresses sockets of all processes. */
  to(audiences: string | readonly string[]): Addressees;
  /** Addresses this process's sockets: for what every process announces by itself, such as what follows a fact. */
  readonly local: { to(audiences: string | readonly string[]): Addressees };
  find(id: ParticipantId): Socket | null;
  all(): Iterable<Socket>;
  count(): number;
  /** Counts sockets by the contract that their clients speak: this server's or another one. */
  contracts(): Readonly<Record<SpokenContract, number>>;
  readonly participants: Participants;
  /** Handles an event of the contract that a socket sends. */
  readonly on: ListenOn;
  /**
   * Calls `meet` for each new socket; several handlers are called in order of registration. Only handlers that ask for
   * guests meet guests' sockets.
   */
  onConnect(meet: (socket: Socket) => void, who?: 'guests too'): void;
  /** Disconnects all sockets of an audience, except those of the given session. */
  end(audience: string, exceptSessionId?: string | null): void;
  /** Subscribes a user's sockets to events about a channel, or unsubscribes them. */
  setSubscribed(userId: UserId, channelId: ChannelId, heard: boolean): void;
  /** Whether a request belongs to an open connection that polls: it fetches or sends packets. */
  isOfConnection(request: Pick<IncomingMessage, 'url' | 'method'>): boolean;
  /**
   * Closes all sockets, a few at a time: clients come back to another process and resume their participants.
   * @param isAnyStaying whether there is another process that takes them in
   */
  closeInTurn(isAnyStaying: () => Promise<boolean>): Promise<void>;
  /** The same for the sockets that are here now, and sooner; clients may come back to this process. */
  sendBack(): Promise<void>;
  /** Disconnects all sockets, so that their participants leave their rooms. */
  close(): Promise<void>;
}

export function openSockets(options: GatewayOptions & { log: FastifyBaseLogger }): Sockets {
  const io = openGateway(options, guardConnections);
  const participants = createParticipants();
  const meetings: { meet: (socket: Socket) => void; isForGuests: boolean }[] = [];
  io.on('connection', (socket) => {
    socket.emit('server_version', options.version);
    refuseUnknownEvents(socket, options.version.contract);
    const { participant } = socket.data;
    participant.socket = socket;
    participants.put(participant);
    const isGuest = socket.data.session.role === 'guest';
    for (const { meet, isForGuests } of meetings) if (isForGuests || !isGuest) meet(socket);
  });
  /** Open connections by id, whether or not they have authenticated. */
  const open = new Map<string, Connection>();
  io.engine.on('connection', (connection: Connection) => {
    open.set(idOf(connection), connection);
    connection.once('close', () => open.delete(idOf(connection)));
  });
  const returns = createReturns(participants);
  const stopDropping = dropUnreadSockets(io, options.log);
  return {
    to: (audiences) => addressees(io.to(namesOf(audiences)), options.metrics),
    local: { to: (audiences) => addressees(io.local.to(namesOf(audiences)), options.metrics) },
    find: (id) => io.sockets.sockets.get(id) ?? null,
    all: () => io.sockets.sockets.values(),
    count: () => io.sockets.sockets.size,
    contracts() {
      const counts = { same: 0, other: 0, unsaid: 0 };
      for (const { data } of io.sockets.sockets.values()) counts[data.contract] += 1;
      return counts;
    },
    participants,
    on: createListener(options),
    onConnect: (meet, who) => void meetings.push({ meet, isForGuests: who === 'guests too' }),
    end: (room, exceptSessionId = null) => endSockets(io, room, exceptSessionId),
    setSubscribed: (userId, channelId, heard) => setChannelNews(io, userId, channelId, heard),
    isOfConnection: ({ url = '', method = '' }) => {
      // The slash matters: a page or file whose path begins with the same letters must pay.
      if (!url.startsWith(`${io.path()}/`) || !['GET', 'POST'].includes(method)) return false;
      const query = new URLSearchParams(url.slice(url.indexOf('?')));
      const [id = '', ...more] = query.getAll('sid');
      const connection = open.get(id);
      return connection !== undefined && more.length === 0 && query.get('transport') === 'polling' && polls(connection);
    },
    closeInTurn: (isAnyStaying) => closeInTurn(io, { who: 'all', returns, isAnyStaying }),
    sendBack: () => closeInTurn(io, { who: 'present', returns }),
    async close() {
      stopDropping();
      await closeSockets(io, options.http);
    },
  };
}

const namesOf = (audiences: string | readonly string[]): string | string[] =>
  typeof audiences === 'string' ? audiences : [...audiences];

type Broadcast = ReturnType<ReturnType<typeof openGateway>['to']>;

const addressees = (broadcast: Broadcast, metrics: Pick<Metrics, 'fannedOut'>): Addressees => ({
  except: (audiences) => addressees(broadcast.except([...audiences]), metrics),
  emit(event, payload) {
    const start = performance.now();
    // The contract types event and payload together; Socket.IO's own typing cannot follow a generic event.
    broadcast.emit(event, ...([payload] as never));
    metrics.fannedOut((performance.now() - start) / 1_000, 'own');
  },
});

export {
  audience,
  channelsHeardBy,
  type EnteredRoom,
  isAwaited,
  type ListenOn,
  type LiveParticipant,
  newParticipant,
  relayedEvent,
  roomOf,
  roomsOf,
  SOCKETS_TOPIC,
  type Socket,
  type StoredEnteredRoom,
};
