/** Types of packets of Engine.IO (revision 4) and Socket.IO (revision 5), as the first characters of a message. */
const PING = '2';
const PONG = '3';
const OPENED = '0';
const CONNECTED = '40';
const REFUSED = '44';
const EVENT = '42';
const ACK = '43';
const TOLD = `${EVENT}["messageResponse"`;
const CLIENT_ID = '"clientId":"';
const UUID_LENGTH = 36;

export interface RoomClient {
  /** Says something in the room. Resolves with the answer. @throws Error when refused */
  say(message: string, clientId: string): Promise<void>;
  close(): void;
}

/**
 * Somebody in a room who reads nothing of a message but its sender's id of it: two hundred of them share a process, and must
 * not be the load that is measured. So it speaks the protocol itself.
 */
export async function enterRoom(
  origin: string,
  token: string,
  room: string,
  heard: (clientId: string) => void,
): Promise<RoomClient> {
  const raw = new WebSocket(`${origin.replace('http', 'ws')}/socket.io/?EIO=4&transport=websocket`);
  const connected = Promise.withResolvers<void>();
  const answers = new Map<number, (answer: unknown) => void>();
  let asked = 0;
  raw.onmessage = ({ data }: MessageEvent<string>) => {
    if (data.startsWith(TOLD)) {
      const at = data.indexOf(CLIENT_ID) + CLIENT_ID.length;
      heard(data.slice(at, at + UUID_LENGTH));
    } else if (data.startsWith(ACK)) {
      const begin = data.indexOf('[');
      const number = Number(data.slice(ACK.length, begin));
      answers.get(number)?.(JSON.parse(data.slice(begin))[0]);
      answers.delete(number);
    } else if (data === PING) raw.send(PONG);
    else if (data.startsWith(OPENED)) raw.send(`${CONNECTED}${JSON.stringify({ token })}`);
    else if (data.startsWith(CONNECTED)) connected.resolve();
    else if (data.startsWith(REFUSED)) connected.reject(new Error(`The server refused: ${data}`));
  };
  raw.onclose = () => connected.reject(new Error('The connection closed'));
  const ask = async (event: string, payload: unknown): Promise<void> => {
    const number = asked++;
    const { promise, resolve } = Promise.withResolvers<unknown>();
    answers.set(number, resolve);
    raw.send(`${EVENT}${number}${JSON.stringify([event, payload])}`);
    const answer = (await promise) as { ok: boolean; code?: string };
    if (!answer.ok) throw new Error(`${event} was answered ${answer.code}`);
  };
  await connected.promise;
  await ask('join_room', { room });
  return {
    say: (message, clientId) => ask('message', { message, clientId }),
    close: () => raw.close(),
  };
}
