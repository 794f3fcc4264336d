import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { connectPlainly, EVENT, type PlainSocket } from './plain-socket.ts';

const TEXT = 'Équipe 4 en place au carrefour, deux blessés légers, besoin d’un véhicule de plus.';
const UUID_LENGTH = 36;
const TALK_MS = 800;
const RENEW_MS = 600;
/** The time after a round in which late news still arrive. */
const LAST_MS = 1_000;

/** The acts of each second, over all channels. */
export interface Load {
  talks: number;
  messages: number;
  positions: number;
  /** Members who leave their room and come back. */
  moves: number;
  /** Members who lose their link, and come back by another process. */
  drops: number;
}

/** Delays, ms. */
export interface Delays {
  /** From a press to the answer that grants the floor. The process that changed this floor last is the talker's own, or another one. */
  grantOwn: number[];
  grantOther: number[];
  /** From a press to each listener. The listener is at the talker's process, or at another one. */
  floorOwn: number[];
  floorOther: number[];
  /** Delays from sending to each receiver. */
  message: number[];
  position: number[];
  /** Delays from leaving to everybody else in the room. */
  presence: number[];
}

/** Everything of one kind that all members heard, without answers to their requests. */
export interface Heard {
  packets: number;
  bytes: number;
}

export interface Round {
  delays: Delays;
  /** The events that were heard, by name. */
  heard: Map<string, Heard>;
  refused: number;
  acts: number;
}

export interface ScaleCrowd {
  run(load: Load, seconds: number): Promise<Round>;
  close(): void;
}

interface Member {
  socket: PlainSocket;
  /** The number of the process that the member is at. */
  at: number;
  room: number;
  seq: number;
  isTalking: boolean;
  /** How many of its acts have no answer yet. */
  underWay: number;
  /** It has left its room or lost its link, and is on its way back: it does nothing else meanwhile. */
  isAway: boolean;
}

export interface ScaleCrowdOptions {
  origins: readonly string[];
  tokens: readonly string[];
  channelIds: readonly string[];
  /** The bare server is told who has a map; the product knows it. */
  isBare: boolean;
}

/** Members who connect at the same time. */
const AT_ONCE = 8;

/** Members, spread evenly over channels and by chance over processes; one in four of each channel has the map. */
export async function gatherAtScale({ origins, tokens, channelIds, isBare }: ScaleCrowdOptions): Promise<ScaleCrowd> {
  let delays = emptyDelays();
  let heard = new Map<string, Heard>();
  let refused = 0;
  let acts = 0;
  /** When each act was begun, and at which process; the key is what tells its news apart. */
  const begun = new Map<string, { at: number; by: number }>();
  const members: Member[] = [];
  /** The process at which each room's floor changed last. */
  const changedAt = new Map<number, number>();

  const after = (key: string): number | null => {
    const act = begun.get(key);
    return act === undefined ? null : performance.now() - act.at;
  };
  function hear(at: number, data: string): void {
    if (!data.startsWith(EVENT)) return;
    const name = data.slice(EVENT.length + 2, data.indexOf('"', EVENT.length + 2));
    const { packets, bytes } = heard.get(name) ?? { packets: 0, bytes: 0 };
    heard.set(name, { packets: packets + 1, bytes: bytes + data.length });
    if (name === 'messageResponse') note(delays.message, after(uuidOf(data, '"clientId":"')));
    else if (name === 'onLocationChanged') note(delays.position, after(numberOf(data, '"lng":')));
    else if (name === 'user_exit') note(delays.presence, after(`exit ${uuidOf(data, '"channelId":"')}`));
    else if (name === 'floor_changed' && !data.includes('"talkers":[]')) {
      const key = `floor ${uuidOf(data, '"channelId":"')}`;
      note(begun.get(key)?.by === at ? delays.floorOwn : delays.floorOther, after(key));
    }
  }

  const enter = ({ socket, room }: Member, index: number) =>
    socket.ask('join_room', {
      ...{ room: 'x', channelId: channelIds[room] },
      ...(isBare ? { seesMap: seesMap(index, channelIds.length) } : {}),
    });
  async function connect(index: number): Promise<void> {
    const at = Math.floor(Math.random() * origins.length);
    const way = { origin: String(origins[at]), token: String(tokens[index]) };
    const socket = await connectPlainly({ ...way, heard: (data) => hear(at, data) });
    const member = { socket, at, room: index % channelIds.length, ...NEW };
    members[index] = member;
    await enter(member, index);
    member.isAway = false;
  }
  const coming = tokens.keys();
  const connectInTurn = async () => {
    for (const index of coming) await connect(index);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, connectInTurn));

  const act = async (key: string, member: Member, work: () => Promise<void>): Promise<void> => {
    acts += 1;
    member.underWay += 1;
    begun.set(key, { at: performance.now(), by: member.at });
    await work().catch(() => {
      refused += 1;
    });
    member.underWay -= 1;
  };
  async function talk(member: Member): Promise<void> {
    if (member.isTalking || members.some((other) => other.room === member.room && other.isTalking)) return;
    member.isTalking = true;
    member.seq += 1;
    const [channelId, seq] = [channelIds[member.room], member.seq];
    await act(`floor ${channelId}`, member, async () => {
      const pressed = performance.now();
      const isOwn = changedAt.get(member.room) === member.at;
      await member.socket.ask('floor_request', { channelId, seq, queue: false });
      (isOwn ? delays.grantOwn : delays.grantOther).push(performance.now() - pressed);
      changedAt.set(member.room, member.at);
      await sleep(Math.min(TALK_MS, RENEW_MS));
      await member.socket.ask('floor_renew', { channelId, seq });
      await sleep(Math.max(0, TALK_MS - RENEW_MS));
      member.seq += 1;
      await member.socket.ask('floor_release', { channelId, seq: member.seq });
    });
    member.isTalking = false;
  }
  const write = (member: Member) => {
    const clientId = randomUUID();
    return act(clientId, member, async () => {
      await member.socket.ask('message', { channelId: channelIds[member.room], message: TEXT, clientId });
    });
  };
  let places = 0;
  const move = (member: Member) => {
    places += 1;
    const lng = Math.round((places % 1_000_000) + 1) / 100_000;
    return act(String(lng), member, async () => void (await member.socket.ask('position_update', { lat: 48.85, lng })));
  };
  const come = async (member: Member) => {
    if (member.underWay > 0) return;
    member.isAway = true;
    await act(`exit ${channelIds[member.room]}`, member, async () => {
      await member.socket.ask('leave_room', {});
      await enter(member, members.indexOf(member));
    });
    member.isAway = false;
  };
  /** Nobody knows what became of an act that the loss of the link cuts off, so only those at rest lose it. */
  const drop = async (member: Member) => {
    if (member.underWay > 0) return;
    member.isAway = true;
    await act('drop', member, async () => {
      await member.socket.close();
      await connect(members.indexOf(member));
    });
  };

  let turn = 0;
  /** The next one who is in their room. */
  const next = (): Member => {
    for (let tries = 0; tries < members.length; tries += 1) {
      turn += 7;
      const member = members[turn % members.length] as Member;
      if (!member.isAway) return member;
    }
    throw new Error('Nobody is in a room');
  };

  return {
    async run(load, seconds) {
      delays = emptyDelays();
      heard = new Map();
      refused = 0;
      acts = 0;
      const work: Promise<void>[] = [];
      turn = 0;
      const each = async (perSecond: number, work1: (member: Member) => Promise<void>) => {
        const begin = performance.now();
        for (let index = 0; index < perSecond * seconds; index += 1) {
          await sleep(Math.max(0, begin + (index * 1_000) / perSecond - performance.now()));
          work.push(work1(next()));
        }
      };
      await Promise.all([
        ...[each(load.talks, talk), each(load.messages, write)],
        ...[each(load.positions, move), each(load.moves, come), each(load.drops, drop)],
      ]);
      await Promise.all(work);
      await sleep(LAST_MS);
      begun.clear();
      return { delays, heard, refused, acts };
    },
    close() {
      for (const { socket } of members) void socket.close();
    },
  };
}

const NEW = { seq: 0, isTalking: false, underWay: 0, isAway: true };

const emptyDelays = (): Delays => ({
  grantOwn: [],
  grantOther: [],
  floorOwn: [],
  floorOther: [],
  message: [],
  position: [],
  presence: [],
});

/** True for one in four of each channel. The processes of the product are filled with the same ones. */
const seesMap = (index: number, channels: number): boolean => (index + Math.floor(index / channels)) % 4 === 0;

const note = (list: number[], ms: number | null): void => {
  if (ms !== null) list.push(ms);
};

const uuidOf = (data: string, name: string): string => {
  const begin = data.indexOf(name) + name.length;
  return data.slice(begin, begin + UUID_LENGTH);
};
const numberOf = (data: string, name: string): string =>
  String(Number.parseFloat(data.slice(data.indexOf(name) + name.length)));
