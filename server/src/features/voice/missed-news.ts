import type { ChannelId, ParticipantId } from '@pressel/contract/ids';
import type { FloorNews, FloorReply, RevokeReason } from '@pressel/contract/voice';
import { type AddressedAnswer, grant, inChannel, moves, queued, revoke } from './floor-answers.ts';
import { type FloorState, type Holder, hasId, isClaimed, type Waiter } from './floor-state.ts';
import type { FloorStore } from './floor-store.ts';

/** This process among those that share the floors. */
export interface FloorCluster {
  /** Whether this process has been told to end. */
  isEnding(): boolean;
  /** Whether news of other processes may be lost at this moment. */
  isCutOff(): boolean;
  /** The channels of which somebody hears here. */
  channels(): ChannelId[];
  /** These tell this process's own sockets alone. */
  tellRoom(channelId: ChannelId, news: FloorNews, before: readonly Holder[]): void;
  tellParticipant(channelId: ChannelId, id: ParticipantId, reply: FloorReply): void;
}

export interface MissedNewsDeps {
  store: Pick<FloorStore, 'active'>;
  cluster: FloorCluster;
  signed(channelId: ChannelId, state: FloorState, now: number): FloorNews;
}

/** While news between processes may be lost, reads the floors themselves, and tells what others changed (PROC26). */
export function createMissedNews({ store, cluster, signed }: MissedNewsDeps) {
  /** The floors as they were told here. */
  const told = new Map<ChannelId, FloorState>();
  let wasCutOff = false;

  const tell = (channelId: ChannelId, state: FloorState, now: number): void => {
    const before = told.get(channelId);
    told.set(channelId, state);
    if (before !== undefined && before.version >= state.version) return;
    const replies = before === undefined ? standing(state, now) : repliesBetween(before, state, now);
    for (const { to, reply } of replies) cluster.tellParticipant(channelId, to, inChannel(reply, channelId));
    cluster.tellRoom(channelId, signed(channelId, state, now), before?.talkers ?? []);
  };

  return {
    /** Called when this process has made a change: it tells of it itself. */
    made(channelId: ChannelId, state: FloorState): void {
      if (wasCutOff) told.set(channelId, state);
    },
    /** Looks for changes of others, and once more when the news come again. */
    async look(): Promise<void> {
      const isCutOff = cluster.isCutOff();
      if (!isCutOff && !wasCutOff) return;
      wasCutOff = true;
      const floors = await store.active([...new Set([...cluster.channels(), ...told.keys()])]);
      for (const { id, state, now } of floors) tell(id, state, now);
      wasCutOff = isCutOff;
      if (!isCutOff) told.clear();
    },
  };
}

/** The answers that talkers and waiters have already, if they missed nothing. */
const standing = ({ talkers, queue }: FloorState, now: number): AddressedAnswer[] => [
  ...talkers.filter(isClaimed).map((holder) => grant(holder, now)),
  ...queue.map((waiter, index) => queued(waiter, index, queue.length)),
];

/** The answers for participants whose claims another process changed. */
function repliesBetween(before: FloorState, after: FloorState, now: number): AddressedAnswer[] {
  const claims = [...after.talkers, ...after.queue];
  const ended = [...before.talkers, ...before.queue].filter((one) => isClaimed(one) && !hasId(claims, one.id));
  return [
    ...ended.map((one) => revoke(one, endOf(one, before, after, now), takerName(one, after))),
    ...after.talkers.filter((one) => isClaimed(one) && !hasId(before.talkers, one.id)).map((one) => grant(one, now)),
    ...moves(before, after),
  ];
}

const taker = ({ priority }: Waiter, { talkers }: FloorState): Holder | undefined =>
  talkers.find((one) => one.priority > priority);
const takerName = (one: Waiter, after: FloorState) => taker(one, after)?.name;

/** The row doesn't say why a claim ended. */
function endOf(one: Waiter & Partial<Holder>, before: FloorState, after: FloorState, now: number): RevokeReason {
  if (before.mode !== after.mode) return 'mode_changed';
  if (taker(one, after) !== undefined) return 'preempted';
  return one.talkUntil !== undefined && one.talkUntil <= now ? 'time_limit' : 'lease_expired';
}
