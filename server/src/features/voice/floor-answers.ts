import type { ChannelId, ParticipantId } from '@pressel/contract/ids';
import { FLOOR_LEASE_MS } from '@pressel/contract/limits';
import type { FloorReply, RevokeReason } from '@pressel/contract/voice';
import { type Asker, type FloorState, type Holder, remainingMs, type Waiter } from './floor-state.ts';

export type Refusal = 'stale' | 'not_in_room';

/** A request that waits until an earlier process's talks are known [TALK152]. */
export interface WaitingRequest {
  readonly asker: Asker;
  /** Null for clients that don't number their presses. */
  readonly seq: number | null;
  /** Ends the waiting with a refusal; null: the request is made now. */
  end(refusal: Refusal | null): void;
}

/** The requests that wait in this process, by channel. */
export function createWaitingRequests() {
  const waiting = new Map<ChannelId, WaitingRequest[]>();
  return {
    channels: () => waiting.keys(),
    isAny: (channelId: ChannelId) => waiting.has(channelId),
    isOf: (channelId: ChannelId, id: ParticipantId) =>
      waiting.get(channelId)?.some(({ asker }) => asker.id === id) === true,
    /** Waits. @returns why the request is refused; null: it is to be made now */
    add: (channelId: ChannelId, asker: Asker, seq: number | null): Promise<Refusal | null> =>
      new Promise((end) => {
        waiting.set(channelId, [...(waiting.get(channelId) ?? []), { asker, seq, end }]);
      }),
    /** Lets all requests of a channel go on: those of the highest priority first, as if all of them had come at once. */
    admit(channelId: ChannelId): void {
      const ready = waiting.get(channelId) ?? [];
      waiting.delete(channelId);
      for (const { end } of ready.toSorted((a, b) => b.asker.priority - a.asker.priority)) end(null);
    },
    refuse(channelId: ChannelId, refusal: Refusal, isMeant: (one: WaitingRequest) => boolean): void {
      const { refused = [], kept = [] } = Object.groupBy(waiting.get(channelId) ?? [], (one) =>
        isMeant(one) ? 'refused' : 'kept',
      );
      if (refused.length > 0) waiting.set(channelId, kept);
      for (const one of refused) one.end(refusal);
    },
  };
}

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
