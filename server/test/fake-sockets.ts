import type { ParticipantId } from '@pressel/contract/ids';
import type { ServerEventName, ServerPayload } from '@pressel/contract/realtime';
import type { Session } from '#src/accounts/session.ts';
import { audience, newParticipant, type Socket, type Sockets } from '#src/sockets/sockets.ts';

export type Hear = <E extends ServerEventName>(event: E, payload: ServerPayload<E>) => void;
export type FakeSocket = ReturnType<typeof createFakeSocket>;

let connections = 0;

/** One end of a connection, as the server sees it. Data arrives at once, unless the link is cut. */
export function createFakeSocket(session: Session, hear: Hear, gone: (socket: { id: string }) => void) {
  connections += 1;
  const id = `s${connections}`;
  const rooms = new Set([id, audience.user(session.userId), audience.session(session.id)]);
  const departed: ((reason: string) => void)[] = [];
  let isCut = false;
  const socket = {
    id,
    rooms,
    disconnected: false,
    data: { session, participant: newParticipant(id as ParticipantId, session) } as Socket['data'],
    emit: (event: ServerEventName, payload: never) => isCut || socket.disconnected || hear(event, payload),
    join(names: string | readonly string[]) {
      for (const name of [names].flat()) rooms.add(name);
    },
    leave: (name: string) => void rooms.delete(name),
    on: (_event: 'disconnect', told: (reason: string) => void) => void departed.push(told),
    disconnect: () => drop('server namespace disconnect'),
  };
  const drop = (reason: string): void => {
    if (socket.disconnected) return;
    socket.disconnected = true;
    rooms.clear();
    gone(socket);
    for (const told of departed) told(reason);
  };
  socket.data.participant.socket = socket as unknown as Socket;
  return {
    id,
    asSocket: socket as unknown as Socket,
    /** The server learns that it is gone. */
    drop,
    /** The page hears nothing more, but the server hasn't noticed. */
    cut: () => {
      isCut = true;
    },
    isDropped: () => socket.disconnected,
  };
}

/** The sockets of one process, without a network. */
export function fakeSockets(
  live: ReadonlyMap<string, FakeSocket>,
  participants: Sockets['participants'],
  isDead: () => boolean,
): Sockets {
  const to = (names: readonly string[], excepted: readonly string[] = []): ReturnType<Sockets['to']> => ({
    except: (more) => to(names, [...excepted, ...more]),
    emit(event, payload) {
      if (isDead()) return;
      for (const { asSocket } of [...live.values()]) {
        const { rooms } = asSocket;
        const isMeant = names.some((name) => rooms.has(name)) && !excepted.some((name) => rooms.has(name));
        if (isMeant) asSocket.emit(event, ...([payload] as never));
      }
    },
  });
  return {
    to: (names) => to([names].flat()),
    local: { to: (names) => to([names].flat()) },
    find: (id) => live.get(id)?.asSocket ?? null,
    all: () => [...live.values()].map(({ asSocket }) => asSocket),
    contracts: () => ({ same: 0, other: 0, unsaid: 0 }),
    count: () => live.size,
    participants,
    on: () => undefined,
    onConnect: () => undefined,
    end(name) {
      for (const socket of [...live.values()]) {
        if (socket.asSocket.rooms.has(name)) socket.drop('server namespace disconnect');
      }
    },
    setSubscribed: () => undefined,
    isOfConnection: () => false,
    closeInTurn: async () => undefined,
    sendBack: async () => undefined,
    close: async () => undefined,
  };
}
