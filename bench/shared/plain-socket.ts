/** Types of packets of Engine.IO (revision 4) and Socket.IO (revision 5), as the first characters of a message. */
const PING = '2';
const PONG = '3';
const OPENED = '0';
const CONNECTED = '40';
const REFUSED = '44';
export const EVENT = '42';
const ACK = '43';

export interface PlainSocket {
  /** Sends an event and resolves with the answer. @throws Error when refused, or when the connection closes before the answer */
  ask(event: string, payload: unknown): Promise<unknown>;
  /** Resolves when either end closes it. */
  readonly closed: Promise<void>;
  close(): Promise<void>;
}

export interface PlainSocketOptions {
  origin: string;
  token: string;
  /** Gets each message as it came, except signs of life. */
  heard: (data: string) => void;
  /** How long the connection may take, ms. */
  limitMs?: number | undefined;
}

/**
 * A client that reads only answers: hundreds of them share a process, and must not be the load that is measured. So it
 * speaks the protocol itself. Resolves when connected.
 */
export async function connectPlainly({ origin, token, heard, limitMs }: PlainSocketOptions): Promise<PlainSocket> {
  const raw = new WebSocket(`${origin.replace('http', 'ws')}/socket.io/?EIO=4&transport=websocket`);
  const connected = Promise.withResolvers<void>();
  const closed = Promise.withResolvers<void>();
  const answers = new Map<number, PromiseWithResolvers<unknown>>();
  let asked = 0;
  raw.onmessage = ({ data }: MessageEvent<string>) => {
    if (data === PING) {
      raw.send(PONG);
      return;
    }
    heard(data);
    if (data.startsWith(EVENT)) return;
    if (data.startsWith(ACK)) {
      const begin = data.indexOf('[');
      const number = Number(data.slice(ACK.length, begin));
      answers.get(number)?.resolve(JSON.parse(data.slice(begin))[0]);
      answers.delete(number);
    } else if (data.startsWith(OPENED)) raw.send(`${CONNECTED}${JSON.stringify({ token })}`);
    else if (data.startsWith(CONNECTED)) connected.resolve();
    else if (data.startsWith(REFUSED)) connected.reject(new Error(`The server refused: ${data}`));
  };
  raw.onclose = () => {
    const error = new Error('The connection closed');
    connected.reject(error);
    for (const { reject } of answers.values()) reject(error);
    answers.clear();
    closed.resolve();
  };
  const limit = limitMs === undefined ? undefined : setTimeout(() => raw.close(), limitMs);
  await connected.promise.finally(() => clearTimeout(limit));
  return {
    closed: closed.promise,
    async ask(event, payload) {
      // A socket that is closing would take it, and send nothing.
      if (raw.readyState !== WebSocket.OPEN) throw new Error('The connection closed');
      const number = asked++;
      const answered = Promise.withResolvers<unknown>();
      answers.set(number, answered);
      raw.send(`${EVENT}${number}${JSON.stringify([event, payload])}`);
      const answer = (await answered.promise) as { ok: boolean; data: unknown; code?: string };
      if (!answer.ok) throw new Error(`${event} was answered ${answer.code}`);
      return answer.data;
    },
    close() {
      raw.close();
      return closed.promise;
    },
  };
}
