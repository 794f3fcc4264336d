import { BEAT_MS, FLOOR_RENEW_MS } from '@pressel/contract/limits';
import type { Ack, EventAnswer } from '@pressel/contract/realtime';
import type { FloorReply } from '@pressel/contract/voice';
import { connectNatively } from '@pressel/e2e/harness/native-socket';

const PATIENCE_MS = 30_000;

/** Facts that all clients of one channel see together: they live in one process, so they see everything in one order. */
export interface ChannelWatch {
  /** Clients that were granted the floor and have neither let go nor been revoked. */
  readonly holders: Set<FloorClient>;
  /** Moments at which more than one held the floor, according to clients or to a snapshot of the server. */
  violations: number;
  /** The time at which the last holder let go. */
  releasedAt: number;
}

export interface FloorClient {
  /** Asks for the floor. `answer` is the direct one; `granted` comes true when the client holds the floor, false when it never will. */
  press(queue: boolean): Promise<{ answer: FloorReply; answerMs: number; granted: Promise<boolean> }>;
  /** Lets go. @returns how long the answer took, in ms */
  release(): Promise<number>;
  /** Beats, as clients in a room do, until it is told to stop; reports the time of each answer, in ms. */
  beat(answered: (ms: number) => void): () => void;
  close(): void;
}

/** A participant without voice: one socket in one room, that keeps to the rules of talking. */
export const enterFloor = async (
  origin: string,
  token: string,
  room: string,
  watch: ChannelWatch,
  handover: (ms: number) => void,
): Promise<FloorClient> => {
  const { socket } = await connectNatively(origin, token);
  const calm = socket.timeout(PATIENCE_MS);
  let { version } = dataOf<EventAnswer<'join_room'>>(await calm.emitWithAck('join_room', { room })).floor;

  let seq = 0;
  let pressSeq = 0;
  let settle: ((granted: boolean) => void) | null = null;
  let renewing: NodeJS.Timeout | undefined;

  const take = () => {
    watch.holders.add(client);
    if (watch.holders.size > 1) watch.violations += 1;
    settle?.(true);
  };
  const lose = () => {
    watch.holders.delete(client);
    clearInterval(renewing);
    settle?.(false);
    settle = null;
  };
  socket.on('floor_changed', ({ talkers, ...floor }) => {
    version = floor.version;
    if (talkers.length > 1) watch.violations += 1;
  });
  socket.on('floor_reply', (reply) => {
    if (reply.seq !== pressSeq) return;
    if (reply.type === 'granted') {
      handover(performance.now() - watch.releasedAt);
      take();
    } else if (reply.type === 'revoked') lose();
  });

  const client: FloorClient = {
    async press(queue) {
      seq += 1;
      pressSeq = seq;
      const { promise: granted, resolve } = Promise.withResolvers<boolean>();
      settle = resolve;
      const number = pressSeq;
      renewing = setInterval(() => socket.emit('floor_renew', { seq: number }, () => {}), FLOOR_RENEW_MS);
      const asked = performance.now();
      const answer: FloorReply = dataOf(await calm.emitWithAck('floor_request', { seq: number, queue }));
      const answerMs = performance.now() - asked;
      if (answer.type === 'granted') take();
      else if (answer.type !== 'queued') lose();
      return { answer, answerMs, granted };
    },
    async release() {
      seq += 1;
      if (watch.holders.has(client)) watch.releasedAt = performance.now();
      lose();
      const asked = performance.now();
      dataOf(await calm.emitWithAck('floor_release', { seq }));
      return performance.now() - asked;
    },
    beat(answered) {
      const beat = () => {
        const asked = performance.now();
        socket.emit('beat', { version }, () => answered(performance.now() - asked));
      };
      let beating: NodeJS.Timeout | undefined;
      // Each client begins at another moment of the second, as they came.
      const beginning = setTimeout(() => {
        beating = setInterval(beat, BEAT_MS);
      }, Math.random() * BEAT_MS);
      return () => {
        clearTimeout(beginning);
        clearInterval(beating);
      };
    },
    close: () => void socket.close(),
  };
  return client;
};

const dataOf = <T>(ack: { ok: true; data: T } | Exclude<Ack<'floor_request'>, { ok: true }>): T => {
  if (!ack.ok) throw new Error(`The server refused: ${ack.code}`);
  return ack.data;
};
