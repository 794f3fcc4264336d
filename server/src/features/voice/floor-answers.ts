import type { ChannelId, ParticipantId } from '@pressel/contract/ids';
import { FLOOR_LEASE_MS } from '@pressel/contract/limits';
import type { FloorReply, RevokeReason } from '@pressel/contract/voice';
import { type FloorState, type Holder, remainingMs, type Waiter } from './floor-state.ts';

type WithoutChannel<Reply> = Reply extends unknown ? Omit<Reply, 'channelId'> : never;

/** A FloorReply without channelId, which `inChannel` adds. */
export type FloorAnswer = WithoutChannel<FloorReply>;

export interface AddressedAnswer {
  readonly to: ParticipantId;
  readonly reply: FloorAnswer;
}

/** Adds the channelId to an answer. */
export const inChannel = (reply: FloorAnswer, channelId: ChannelId): FloorReply => ({ ...reply, channelId });

export const answer = ({ id }: { id: ParticipantId }, reply: FloorAnswer): AddressedAnswer => ({ to: id, reply });

export const grant = (holder: Holder, now: number) =>
  answer(holder, {
    type: 'granted',
    seq: holder.seq,
    talkMs: remainingMs(holder, now),
    leaseMs: FLOOR_LEASE_MS,
  });

export const deny = (
  input: { id: ParticipantId; seq: number },
  reason: 'taken' | 'queue_full' | 'elsewhere',
  { name }: Holder,
) => answer(input, { type: 'denied', seq: input.seq, reason, talkerName: name });

export const revoke = (one: Waiter, reason: RevokeReason, byName?: string) =>
  answer(one, { type: 'revoked', seq: one.seq, reason, ...(byName === undefined ? {} : { byName }) });

/** `index` counts from 0, positions from 1. */
export const queued = (one: Waiter, index: number, size: number) =>
  answer(one, { type: 'queued', seq: one.seq, position: index + 1, size });

/** TALK6: queue-position replies for participants whose position changed. */
export const moves = (before: FloorState, { queue }: FloorState): AddressedAnswer[] => {
  if (queue === before.queue) return [];
  const places = new Map(before.queue.map(({ id }, index) => [id, index]));
  return queue.flatMap((one, index) => {
    const place = places.get(one.id);
    return place === undefined || place === index ? [] : [queued(one, index, queue.length)];
  });
};
