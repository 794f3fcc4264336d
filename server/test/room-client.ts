import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { logIn, signUpUser } from '@pressel/contract/auth';
import { type Call, type CallInput, type CallReply, TOKEN_HEADER } from '@pressel/contract/call';
import { createChannel } from '@pressel/contract/channels';
import { type ClientMessageId, getChannelMessages, type Message, sendMessage } from '@pressel/contract/chat';
import type { ChannelId, ParticipantId, UserId } from '@pressel/contract/ids';
import { BEAT_MS, BEAT_SILENCE_MS, FLOOR_LEASE_MS, FLOOR_RENEW_MS } from '@pressel/contract/limits';
import type {
  Ack,
  ClientEventName,
  ClientToServer,
  EventAnswer,
  EventInput,
  ServerEventName,
  ServerToClient,
} from '@pressel/contract/realtime';
import type { FloorReply } from '@pressel/contract/voice';
import { io, type Socket } from 'socket.io-client';
import { PASSWORD } from './build-test-app.ts';
import { waitUntil } from './wait-until.ts';

/** The first delay of the web app's `reconnector.ts`; each client varies it by a third. */
const FIRST_DELAY_MS = 300;

/** An event that a client received. */
export interface Heard {
  at: number;
  /** The number of the connection over which it came, from 1. */
  link: number;
  event: ServerEventName;
  payload: unknown;
}

/**
 * Behaves like a page in one room, as far as the server can tell. It sends beats, reconnects when the link is lost or silent, resumes
 * its participant, and renews its claim.
 */
export interface RoomClient {
  readonly userId: UserId;
  readonly token: string;
  /** The id of its first entry. It changes only when it could not be resumed. */
  readonly id: ParticipantId;
  /** All ids that it has had. If there is one, it was resumed each time. */
  readonly ids: ReadonlySet<ParticipantId>;
  readonly heard: Heard[];
  /** How long each return took, from the loss of the link to the room, ms. */
  readonly returns: number[];
  /** Whether it is in the room with its present connection. */
  isThere(): boolean;
  /** Whether its microphone is open: it closes by itself when its lease ends unanswered. */
  isTalking(): boolean;
  /** Its view of the floor. */
  floor(): { version: number; talkers: ParticipantId[] };
  /** The others in the room, as it sees them. */
  others(): ParticipantId[];
  /** Asks for the floor over the present connection. @throws Error when it gets no answer */
  press(queue?: boolean): Promise<FloorReply>;
  release(): Promise<void>;
  send<E extends ClientEventName>(event: E, payload: EventInput<E>): Promise<Ack<E>>;
  of<T>(event: ServerEventName): T[];
  /** Loses its link as a network does, without a goodbye. */
  drop(): void;
  close(): void;
}

/** Makes calls of the contract by HTTP, each on its own connection: a balancer sends each to a random process. */
export async function callAt<C extends Call>(
  origin: string,
  definition: C,
  body: CallInput<C>,
  token = '',
): Promise<CallReply<C>> {
  const response = await fetch(`${origin}${definition.path}`, {
    method: definition.method,
    headers: { 'content-type': 'application/json', connection: 'close', [TOKEN_HEADER]: token },
    ...(definition.method === 'POST' ? { body: JSON.stringify(body) } : {}),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${definition.path}: ${response.status} ${text}`);
  return definition.reply.parse(JSON.parse(text)) as CallReply<C>;
}

export interface Member {
  id: UserId;
  token: string;
  email: string;
}

/** The first account of an installation is its administrator. */
export async function signUpAt(origin: string, name: string): Promise<Member> {
  const email = `${name.toLowerCase()}@example.org`;
  await callAt(origin, signUpUser, { firstName: name, lastName: 'Test', email, password: PASSWORD });
  const { user } = await callAt(origin, logIn, { user_email: email, user_password: PASSWORD });
  return { id: user.id, token: user.authToken, email };
}

export const makeChannelAt = async (origin: string, admin: Member, name: string, members: readonly Member[]) =>
  (await callAt(origin, createChannel, { channelName: name, userList: members.map(({ id }) => id) }, admin.token)).res
    .id;

export const sendTextAt = async (
  origin: string,
  { token }: Pick<Member, 'token'>,
  channelId: ChannelId,
  message: string,
) =>
  (await callAt(origin, sendMessage, { channelId, message, clientId: randomUUID() as ClientMessageId }, token)).message;

export async function messagesAt(origin: string, token: string, channelId: ChannelId): Promise<Message[]> {
  const all: Message[] = [];
  for (let after = 0; ; after = all.at(-1)?.number ?? 0) {
    const page = await callAt(origin, getChannelMessages, { channelId, after, limit: 200 }, token);
    all.push(...page.discussion);
    if (!page.hasNewer) return all;
  }
}

/** Enters a room, and stays there until it is closed. `origin` is called for each connection. */
export async function enterAsPage(
  origin: () => string,
  { id: userId, token }: Member,
  channelId: ChannelId,
): Promise<RoomClient> {
  const heard: Heard[] = [];
  const returns: number[] = [];
  const ids = new Set<ParticipantId>();
  const others = new Set<ParticipantId>();
  let socket: Socket<ServerToClient, ClientToServer> | null = null;
  let isThere = false;
  let isClosed = false;
  let lostAt: number | null = null;
  let links = 0;
  let resume: string | null = null;
  let id: ParticipantId | null = null;
  let floor = { version: 0, talkers: [] as ParticipantId[] };
  let seq = 0;
  /** The press by which it has the floor, and when its claim was last renewed. */
  let claim: number | null = null;
  let renewedAt = 0;

  const learn = (news: { version: number; talkers: { id: ParticipantId }[] }) => {
    if (news.version > floor.version) floor = { version: news.version, talkers: news.talkers.map((one) => one.id) };
  };
  const take = (event: ServerEventName, payload: unknown) => {
    heard.push({ at: performance.now(), link: links, event, payload });
    const about = payload as { channelId?: ChannelId; id: ParticipantId };
    if (event === 'floor_changed' && about.channelId === channelId) learn(payload as never);
    if (event === 'user joined') others.add(about.id);
    if (event === 'user_exit') others.delete(about.id);
    if (event === 'floor_reply') {
      const reply = payload as FloorReply;
      if (reply.seq !== seq) return;
      if (reply.type === 'granted') claim = reply.seq;
      else claim = null;
    }
  };

  async function enter(link: Socket<ServerToClient, ClientToServer>): Promise<void> {
    const answer: Ack<'join_room'> = await link.timeout(5_000).emitWithAck('join_room', {
      ...{ room: 'x', channelId, keep: true, resume },
      ...(claim === null ? {} : { claim }),
    });
    if (link !== socket) return;
    if (!answer.ok) {
      heard.push({ at: performance.now(), link: links, event: 'error', payload: answer });
      link.close();
      return lose(link);
    }
    const state: EventAnswer<'join_room'> = answer.data;
    resume = state.resume;
    id = state.self.id;
    ids.add(id);
    others.clear();
    for (const one of state.participants) if (one.id !== id) others.add(one.id);
    learn(state.floor);
    if (claim !== null && !state.floor.talkers.some((one) => one.id === id)) claim = null;
    isThere = true;
    if (lostAt !== null) returns.push(performance.now() - lostAt);
    lostAt = null;
  }

  function lose(link: Socket): void {
    if (link !== socket) return;
    socket = null;
    isThere = false;
    lostAt ??= performance.now();
    if (!isClosed) setTimeout(connect, FIRST_DELAY_MS * (2 / 3 + (Math.random() * 2) / 3));
  }

  function connect(): void {
    if (isClosed) return;
    const link: Socket<ServerToClient, ClientToServer> = io(origin(), {
      ...{ transports: ['websocket'], auth: { token }, reconnection: false, forceNew: true, timeout: 2_000 },
    });
    socket = link;
    links += 1;
    link.onAny((event: ServerEventName, payload: unknown) => {
      if (link === socket) take(event, payload);
    });
    link.on('connect', () => void enter(link).catch(() => link.close()));
    link.on('connect_error', () => {
      link.close();
      lose(link);
    });
    link.on('disconnect', () => lose(link));
  }

  const beating = setInterval(() => {
    const link = socket;
    if (link === null || !isThere) return;
    link.timeout(BEAT_SILENCE_MS).emit('beat', { channelId, version: floor.version }, (error, answer) => {
      if (error) {
        link.close();
        return lose(link);
      }
      if (answer.ok && answer.data.floor !== undefined) learn(answer.data.floor);
    });
  }, BEAT_MS);
  const renewing = setInterval(() => {
    if (claim === null || !isThere) return;
    const [mine, askedAt] = [claim, performance.now()];
    socket?.emit('floor_renew', { channelId, seq: mine }, ({ ok }) => {
      if (ok && claim === mine) renewedAt = askedAt;
    });
  }, FLOOR_RENEW_MS);

  const send: RoomClient['send'] = (event, payload) => {
    if (socket === null) throw new Error('There is no link at this moment');
    return socket.timeout(10_000).emitWithAck(event, ...([payload] as never)) as never;
  };
  connect();
  await waitUntil(() => isThere);
  return {
    ...{ userId, token, ids, heard, returns, send },
    get id() {
      return id as ParticipantId;
    },
    isThere: () => isThere,
    isTalking: () => claim !== null && performance.now() - renewedAt < FLOOR_LEASE_MS,
    floor: () => floor,
    others: () => [...others],
    of: (event) => heard.filter((one) => one.event === event).map(({ payload }) => payload as never),
    async press(queue = false) {
      seq += 1;
      const mine = seq;
      const askedAt = performance.now();
      const answer = await send('floor_request', { channelId, seq: mine, queue });
      if (!answer.ok) throw new Error(`floor_request: ${answer.code}`);
      if (answer.data.type === 'granted' && mine === seq) [claim, renewedAt] = [mine, askedAt];
      return answer.data;
    },
    async release() {
      seq += 1;
      claim = null;
      while (!isClosed) {
        try {
          const answer = await send('floor_release', { channelId, seq });
          if (answer.ok) return;
        } catch {
          // The client reconnects and sends it again.
        }
        await sleep(50);
      }
    },
    drop: () => void socket?.io.engine.close(),
    close() {
      isClosed = true;
      clearInterval(beating);
      clearInterval(renewing);
      socket?.close();
    },
  };
}
