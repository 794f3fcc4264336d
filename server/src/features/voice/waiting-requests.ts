import type { ChannelId, ParticipantId } from '@pressel/contract/ids';
import type { Asker } from './floor-state.ts';

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
