import type { FloorReply } from '@pressel/contract/voice';
import { settle } from './fake-clock.ts';
import { ok, unavailable } from './fake-signalling.ts';
import { type Bench, CHANNEL } from './voice-bench.ts';

export type Request = { seq: number };
export const granted = ({ seq }: Request, talkMs = 30_000): FloorReply => ({
  type: 'granted',
  channelId: CHANNEL,
  seq,
  talkMs,
  leaseMs: 2_400,
});
export const queued = ({ seq }: Request): FloorReply => ({
  type: 'queued',
  channelId: CHANNEL,
  seq,
  position: 1,
  size: 2,
});
export const denied = ({ seq }: Request): FloorReply => ({
  type: 'denied',
  channelId: CHANNEL,
  seq,
  reason: 'taken',
  talkerName: 'bob',
});

/** Makes the server answer requests only when the test says so. */
export const holdAnswers = ({ signalling }: Bench) => {
  let answer: (reply: FloorReply | 'lost') => void = () => undefined;
  signalling.answer(
    'floor_request',
    () =>
      new Promise((resolve) => {
        answer = (reply) => resolve(reply === 'lost' ? unavailable : ok<'floor_request'>(reply));
      }),
  );
  return async (reply: FloorReply | 'lost') => {
    answer(reply);
    await settle();
  };
};
/** The requests and releases that were sent, as 'request 1'. */
export const sent = ({ signalling }: Bench) =>
  signalling.sent
    .filter(({ event }) => event === 'floor_request' || event === 'floor_release')
    .map(({ event, payload }) => `${event.slice(6)} ${(payload as Request).seq}`);
