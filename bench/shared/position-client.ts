/** Types of packets of Engine.IO (revision 4) and Socket.IO (revision 5), as the first characters of a message. */
const PING = '2';
const PONG = '3';
const OPENED = '0';
const CONNECTED = '40';
const REFUSED = '44';
const EVENT = '42';
const ACK = '43';
const MOVED = `${EVENT}["onLocationChanged"`;
const MAP_RIGHT = `${EVENT}["map_right"`;
const LNG = '"lng":';

export interface PositionClient {
  /** Reports a position, told apart from others by its longitude. Resolves with the answer. @throws Error when refused */
  move(lng: number): Promise<void>;
  close(): void;
}

export interface PositionClientOptions {
  origin: string;
  token: string;
  /** Waits until the server knows that positions may be sent. */
  isOurs: boolean;
  heard: (lng: number) => void;
}

/** Somebody with a map who reads nothing of a position but its longitude: they must not be the load that is measured. */
export async function connectPosition(options: PositionClientOptions): Promise<PositionClient> {
  const raw = new WebSocket(`${options.origin.replace('http', 'ws')}/socket.io/?EIO=4&transport=websocket`);
  const connected = Promise.withResolvers<void>();
  const answers = new Map<number, (answer: unknown) => void>();
  let asked = 0;
  raw.onmessage = ({ data }: MessageEvent<string>) => {
    if (data.startsWith(MOVED)) options.heard(Number.parseFloat(data.slice(data.indexOf(LNG) + LNG.length)));
    else if (data.startsWith(ACK)) {
      const begin = data.indexOf('[');
      const number = Number(data.slice(ACK.length, begin));
      answers.get(number)?.(JSON.parse(data.slice(begin))[0]);
      answers.delete(number);
    } else if (data === PING) raw.send(PONG);
    else if (data.startsWith(OPENED)) raw.send(`${CONNECTED}${JSON.stringify({ token: options.token })}`);
    else if (data.startsWith(REFUSED)) connected.reject(new Error(`The server refused: ${data}`));
    else if (data.startsWith(MAP_RIGHT) || (data.startsWith(CONNECTED) && !options.isOurs)) connected.resolve();
  };
  raw.onclose = () => connected.reject(new Error('The connection closed'));
  await connected.promise;
  return {
    async move(lng) {
      const number = asked++;
      const { promise, resolve } = Promise.withResolvers<unknown>();
      answers.set(number, resolve);
      raw.send(`${EVENT}${number}${JSON.stringify(['position_update', { lat: 48.85, lng }])}`);
      const answer = (await promise) as { ok: boolean; code?: string };
      if (!answer.ok) throw new Error(`position_update was answered ${answer.code}`);
    },
    close: () => raw.close(),
  };
}
