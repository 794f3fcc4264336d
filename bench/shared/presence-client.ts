import type { EventAnswer } from '@pressel/contract/realtime';

/** Types of packets of Engine.IO (revision 4) and Socket.IO (revision 5), as the first characters of a message. */
const PING = '2';
const PONG = '3';
const CONNECTED = '40';
const REFUSED = '44';
const EVENT = '42';
const ACK = '43';

export interface PresenceClient {
  /** Bytes of all messages that came but signs of life, and how many they were. */
  received(): { bytes: number; messages: number };
  join(room: string): Promise<EventAnswer<'join_room'>>;
  leave(): Promise<void>;
  close(): Promise<void>;
}

/**
 * A participant that counts what it is sent and looks into nothing but answers: a thousand of them must not be the
 * load that is measured. So it speaks the protocol itself.
 */
export async function connectPresence(origin: string, token: string): Promise<PresenceClient> {
  const raw = new WebSocket(`${origin.replace('http', 'ws')}/socket.io/?EIO=4&transport=websocket`);
  const connected = Promise.withResolvers<void>();
  const closed = Promise.withResolvers<void>();
  const answers = new Map<number, (answer: unknown) => void>();
  let bytes = 0;
  let messages = 0;
  let asked = 0;

  raw.onmessage = ({ data }: MessageEvent<string>) => {
    if (data === PING) {
      raw.send(PONG);
      return;
    }
    bytes += Buffer.byteLength(data);
    messages += 1;
    if (data.startsWith(EVENT)) return;
    if (data.startsWith('0')) raw.send(`40${JSON.stringify({ token })}`);
    else if (data.startsWith(CONNECTED)) connected.resolve();
    else if (data.startsWith(REFUSED)) connected.reject(new Error(`The server refused: ${data}`));
    else if (data.startsWith(ACK)) {
      const begin = data.indexOf('[');
      const number = Number(data.slice(ACK.length, begin));
      answers.get(number)?.(JSON.parse(data.slice(begin))[0]);
      answers.delete(number);
    }
  };
  raw.onclose = () => {
    connected.reject(new Error('The connection closed'));
    closed.resolve();
  };
  const ask = async (event: string, payload: unknown): Promise<unknown> => {
    const number = asked++;
    const { promise, resolve } = Promise.withResolvers<unknown>();
    answers.set(number, resolve);
    raw.send(`${EVENT}${number}${JSON.stringify([event, payload])}`);
    const answer = (await promise) as { ok: boolean; data: unknown; code?: string };
    if (!answer.ok) throw new Error(`${event} was answered ${answer.code}`);
    return answer.data;
  };
  await connected.promise;
  return {
    received: () => ({ bytes, messages }),
    join: async (room) => (await ask('join_room', { room })) as EventAnswer<'join_room'>,
    leave: async () => void (await ask('leave_room', {})),
    close() {
      raw.close();
      return closed.promise;
    },
  };
}
