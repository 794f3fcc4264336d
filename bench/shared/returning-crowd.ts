import { setTimeout as sleep } from 'node:timers/promises';
import { connectPlainly, EVENT, type PlainSocket } from './plain-socket.ts';

/** How long an attempt waits, and may take: the values of the web app's `reconnector.ts` for somebody in a room. */
const FIRST_MS = 300;
const NEXT_MS = 650;
const ATTEMPT_MS = 2_000;
const ATTEMPT_MAX_MS = 8_000;
/** How long the answer to an event may take. */
const ANSWER_MS = 10_000;
const RENEW_MS = 600;
const FREE_FLOOR = '"talkers":[]';

export interface ReturningCrowdOptions {
  /** The addresses of the processes, asked at each connection. An empty one is skipped. */
  origins: () => readonly string[];
  tokens: readonly string[];
  channelIds: readonly string[];
  /** The first connection of all goes to this process, else to one by chance. */
  firstAt?: number;
  /** The bare server knows nothing of resuming. */
  isBare: boolean;
}

/** Members, spread evenly over channels, who come back by another process when they lose their link, as pages do. */
export interface ReturningCrowd {
  /** How many are on their way back to their room. */
  away(): number;
  /** How many are in their room by one process. */
  at(origin: string): number;
  /** Returns the outcome of the losses since the last call. */
  take(): Losses;
  /** The time at which each room's floor was last heard to be free since `take` (performance.now()). */
  freed(): ReadonlyMap<number, number>;
  /** One member of each room talks, and renews the claim, until `release`. Those who stay away never come back after losing their link. */
  talk(stayAway: (room: number) => boolean): Promise<{ room: number; origin: string }[]>;
  release(): Promise<void>;
  /** Everybody goes, and nobody comes back. */
  leave(): void;
}

export interface Losses {
  /** Times from the loss of the link until the room was entered again, ms. */
  aways: number[];
  /** How many came back as the same participant. */
  resumed: number;
  /** Attempts that a server refused, or did not answer in time. */
  failed: string[];
}

interface Client {
  index: number;
  room: number;
  socket: PlainSocket | null;
  origin: string;
  isThere: boolean;
  resume: string | null;
  id: string | null;
  /** The number of the press by which it talks. */
  claim: number | null;
  seq: number;
  comesBack: boolean;
}

interface Joined {
  self: { id: string };
  resume: string;
  floor: { talkers: unknown[] };
}

export async function gatherReturning(options: ReturningCrowdOptions): Promise<ReturningCrowd> {
  const { origins, tokens, channelIds, firstAt, isBare } = options;
  let isClosed = false;
  let losses: Losses = { aways: [], resumed: 0, failed: [] };
  const freedAt = new Map<number, number>();
  const clients: Client[] = tokens.map((_, index) => ({
    ...{ index, room: index % channelIds.length, socket: null, origin: '', isThere: false, resume: null, id: null },
    ...{ claim: null, seq: 0, comesBack: true },
  }));

  const anywhere = () => shuffled(origins().filter((origin) => origin !== ''));
  const hear = (room: number, data: string): void => {
    if (data.startsWith(`${EVENT}["floor_changed"`) && data.includes(FREE_FLOOR)) freedAt.set(room, performance.now());
  };
  /** Passes over each process that refuses the connection, as a balancer does. */
  async function connect(client: Client, to: readonly string[], limitMs?: number): Promise<PlainSocket> {
    const [origin, ...others] = to;
    if (origin === undefined) throw new Error('No process takes connections');
    const heard = (data: string) => hear(client.room, data);
    try {
      const socket = await connectPlainly({ origin, token: String(tokens[client.index]), heard, limitMs });
      client.origin = origin;
      return socket;
    } catch (error) {
      if (others.length === 0 || String(error).includes('refused')) throw error;
      return connect(client, others, limitMs);
    }
  }
  /** @throws Error when it is refused, lost on the way, or takes too long */
  async function enter(client: Client, to: readonly string[], limitMs?: number): Promise<void> {
    const socket = await connect(client, to, limitMs);
    const limit = limitMs === undefined ? undefined : setTimeout(() => void socket.close(), ANSWER_MS);
    const lost = socket.closed.then((): never => {
      throw new Error('The link was lost on the way to the room');
    });
    const { resume, claim, room } = client;
    const joining = socket.ask('join_room', {
      ...{ room: 'x', channelId: channelIds[room] },
      ...(isBare ? {} : { keep: true, resume, ...(claim === null ? {} : { claim }) }),
    });
    const joined = (await Promise.race([joining, lost])) as Joined;
    clearTimeout(limit);
    if (!isBare) {
      if (client.id === joined.self.id) losses.resumed += 1;
      [client.id, client.resume] = [joined.self.id, joined.resume];
      if (joined.floor.talkers.length === 0) freedAt.set(room, performance.now());
    }
    [client.socket, client.isThere] = [socket, true];
    lost.catch(() => void comeBack(client));
  }
  async function comeBack(client: Client): Promise<void> {
    const lostAt = performance.now();
    client.isThere = false;
    for (let failed = 0; !isClosed && client.comesBack; failed += 1) {
      await sleep((failed === 0 ? FIRST_MS : NEXT_MS) * (2 / 3 + (Math.random() * 2) / 3));
      try {
        await enter(client, anywhere(), Math.min(ATTEMPT_MAX_MS, ATTEMPT_MS * 2 ** failed));
        losses.aways.push(performance.now() - lostAt);
        return;
      } catch (error) {
        losses.failed.push(String(error));
      }
    }
  }

  for (const client of clients) {
    await enter(client, firstAt === undefined ? anywhere() : [String(origins()[firstAt])]);
  }
  losses.resumed = 0;

  const renewing = setInterval(() => {
    for (const { socket, isThere, claim, room } of clients) {
      if (claim === null || !isThere) continue;
      socket?.ask('floor_renew', { channelId: channelIds[room], seq: claim }).catch(() => undefined);
    }
  }, RENEW_MS);

  return {
    away: () => clients.filter(({ isThere, comesBack }) => !isThere && comesBack).length,
    at: (origin) => clients.filter((one) => one.isThere && one.origin === origin).length,
    take() {
      const taken = losses;
      losses = { aways: [], resumed: 0, failed: [] };
      freedAt.clear();
      return taken;
    },
    freed: () => freedAt,
    async talk(stayAway) {
      const talkers: Client[] = [];
      for (const [room, channelId] of channelIds.entries()) {
        const inRoom = clients.filter((one) => one.room === room && one.isThere);
        const talker = inRoom[Math.floor(Math.random() * inRoom.length)] as Client;
        talker.seq += 1;
        talker.comesBack = !stayAway(room);
        await talker.socket?.ask('floor_request', { channelId, seq: talker.seq, queue: false });
        talker.claim = talker.seq;
        talkers.push(talker);
      }
      return talkers;
    },
    async release() {
      for (const client of clients) {
        if (client.claim === null) continue;
        client.seq += 1;
        client.claim = null;
        if (client.isThere)
          await client.socket?.ask('floor_release', { channelId: channelIds[client.room], seq: client.seq });
        if (client.isThere || client.comesBack) continue;
        [client.comesBack, client.id, client.resume] = [true, null, null];
        await enter(client, anywhere());
      }
    },
    leave() {
      isClosed = true;
      clearInterval(renewing);
      for (const { socket } of clients) void socket?.close();
    },
  };
}

export const shuffled = (list: readonly string[]): string[] =>
  list
    .map((entry) => ({ entry, at: Math.random() }))
    .toSorted((one, other) => one.at - other.at)
    .map(({ entry }) => entry);
