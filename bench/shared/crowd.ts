import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { connectPlainly, EVENT } from './plain-socket.ts';
import { percentile, round } from './report.ts';

const TOLD = `${EVENT}["messageResponse"`;
const CLIENT_ID = '"clientId":"';
const UUID_LENGTH = 36;

interface RoomClient {
  /** Says something in the room. Resolves with the answer. @throws Error when refused */
  say(message: string, clientId: string): Promise<void>;
  close(): void;
}

/** Somebody in a room who reads nothing of a message but its sender's id of it. */
async function enterRoom(
  origin: string,
  token: string,
  room: string,
  heard: (clientId: string) => void,
): Promise<RoomClient> {
  const socket = await connectPlainly({
    origin,
    token,
    heard(data) {
      if (!data.startsWith(TOLD)) return;
      const at = data.indexOf(CLIENT_ID) + CLIENT_ID.length;
      heard(data.slice(at, at + UUID_LENGTH));
    },
  });
  await socket.ask('join_room', { room });
  return {
    say: async (message, clientId) => void (await socket.ask('message', { message, clientId })),
    close: () => void socket.close(),
  };
}

const TEXT = 'Équipe 4 en place au carrefour, deux blessés légers, besoin d’un véhicule de plus.';

/** Everybody in one room. */
export interface Crowd {
  /** Sends one message after the other at a steady rate, each by the next member. @returns delays from sending to each, ms */
  talk(messages: number, perSecond: number): Promise<number[]>;
  /** Some members send again as soon as they are answered, so often in all. @returns messages a second */
  flood(senders: number, messages: number): Promise<number>;
  close(): void;
}

export async function gather(origin: string, tokens: readonly string[], room: string): Promise<Crowd> {
  /** The time at which each message was sent, and how many have not got it yet. */
  const onTheWay = new Map<string, { sentAt: number; missing: number }>();
  let delays: number[] = [];
  const heard = (clientId: string): void => {
    const message = onTheWay.get(clientId);
    if (message === undefined) return;
    delays.push(performance.now() - message.sentAt);
    message.missing -= 1;
    if (message.missing === 0) onTheWay.delete(clientId);
  };
  const clients: RoomClient[] = [];
  for (const token of tokens) clients.push(await enterRoom(origin, token, room, heard));
  const say = async (turn: number): Promise<void> => {
    const clientId = randomUUID();
    onTheWay.set(clientId, { sentAt: performance.now(), missing: clients.length });
    await clients[turn % clients.length]?.say(TEXT, clientId);
  };
  const allHeard = async () => {
    for (let waited = 0; onTheWay.size > 0; waited += 1) {
      if (waited > 1_000) throw new Error(`${onTheWay.size} messages did not reach everybody`);
      await sleep(10);
    }
  };
  let turn = 0;
  return {
    async talk(messages, perSecond) {
      delays = [];
      const begun = performance.now();
      const answers: Promise<void>[] = [];
      for (let index = 0; index < messages; index += 1) {
        await sleep(Math.max(0, begun + (index * 1_000) / perSecond - performance.now()));
        answers.push(say(turn++));
      }
      await Promise.all(answers);
      await allHeard();
      return delays;
    },
    async flood(senders, messages) {
      const begun = performance.now();
      let left = messages;
      const send = async () => {
        while (left-- > 0) await say(turn++);
      };
      await Promise.all(Array.from({ length: senders }, send));
      await allHeard();
      return (messages * 1_000) / (performance.now() - begun);
    },
    close() {
      for (const client of clients) client.close();
    },
  };
}

export function spreadOf(durations: readonly number[]) {
  const at = (share: number) => round(percentile(durations, share));
  return { count: durations.length, p50: at(0.5), p95: at(0.95), p99: at(0.99), max: at(1) };
}
