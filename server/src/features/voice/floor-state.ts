import type { TalkMode } from '@pressel/contract/channels';
import type { ChannelId, ParticipantId, UserId } from '@pressel/contract/ids';
import { FLOOR_LEASE_MS, FLOOR_RENEW_MS, TALK_MAX_MS } from '@pressel/contract/limits';
import type { FloorSnapshot } from '@pressel/contract/voice';
import type { Actor } from '#src/history/change.ts';

/** The talker and the channel as the activity log names them, and the owner whose share of its entries a talk takes. */
export interface TalkAuthor {
  readonly owner: string;
  readonly user: Actor;
  readonly channel: { readonly id: string; readonly name: string };
}

/** The participant who requests the floor, from session and room. */
export interface Asker {
  id: ParticipantId;
  userId: UserId;
  name: string;
  /** Administrator 1, member 0. */
  priority: number;
  /** For the activity log. */
  author: TalkAuthor | null;
}

/** A participant who waits for the floor. Times are readings of the caller's clock, ms. */
export interface Waiter {
  readonly id: ParticipantId;
  readonly userId: UserId;
  readonly name: string;
  readonly priority: number;
  /** Number of the request that made the claim; UNCLAIMED while its participant isn't back after a restart. */
  readonly seq: number;
  readonly leaseUntil: number;
  /** Signs of life of its browser lengthen the lease up to here (TALK33). */
  readonly busyUntil: number;
  /** Null while its participant isn't back after a restart. */
  readonly author: TalkAuthor | null;
}

/** Press numbers begin at 1. */
export const UNCLAIMED = 0;

/** A participant who has the floor. */
export interface Holder extends Waiter {
  readonly since: number;
  readonly talkUntil: number;
}

/** The facts that a new process still has to learn about a floor of earlier ones (TALK150 to TALK152). */
export interface Recovery {
  /** Nobody gets the floor anew before this; null once that is over. */
  readonly until: number | null;
  /** Version of the newest signed floor that was brought back; 0 without one. */
  readonly newest: number;
}

/** The floor of a channel: plain JSON, immutable (TALK26). */
export interface FloorState {
  readonly mode: TalkMode;
  /** Version of the channel that `mode` was read from; 0 initially (TALK29). */
  readonly channelVersion: number;
  readonly version: number;
  /** In order of granting. In single mode at most one. */
  readonly talkers: readonly Holder[];
  /** Next in line first. Empty while nobody talks, and in open mode. */
  readonly queue: readonly Waiter[];
  /** Highest number seen per participant in the room (TALK14). */
  readonly lastSeq: Readonly<Record<string, number>>;
  /** Null once somebody got the floor in this process: then no earlier process knows better. */
  readonly recovery: Recovery | null;
}

/** An idle floor, version 0, that has nothing to learn. */
export const createFloor = (mode: TalkMode): FloorState => ({
  mode,
  channelVersion: 0,
  version: 0,
  talkers: [],
  queue: [],
  lastSeq: {},
  recovery: null,
});

/** The state as sent to the room. Times are durations, so that clocks need not agree. */
export const floorSnapshot = (state: FloorState, channelId: ChannelId, now: number): FloorSnapshot => ({
  channelId,
  version: state.version,
  mode: state.mode,
  talkers: state.talkers.map((holder) => ({
    id: holder.id,
    userId: holder.userId,
    name: holder.name,
    talkingMs: Math.max(0, now - holder.since),
    remainingMs: remainingMs(holder, now),
  })),
  queue: state.queue.map(({ id }) => id),
});

/** The end of the next lease or timer; null without any, so that idle floors need no tick. */
export const nextDeadline = (state: FloorState): number | null => {
  const ends = [
    ...(state.recovery === null || state.recovery.until === null ? [] : [state.recovery.until]),
    ...state.talkers.map(({ talkUntil }) => talkUntil),
    ...[...state.talkers, ...state.queue].map(({ leaseUntil }) => leaseUntil),
  ];
  return ends.length === 0 ? null : Math.min(...ends);
};

/** Whether requests still have to wait for what earlier processes knew (TALK152). */
export const isRecovering = ({ recovery }: FloorState): boolean => recovery !== null && recovery.until !== null;

/** Claims that missed two renewals: their participant may be gone, or busy (TALK33). */
export const doubtfulClaims = ({ talkers, queue }: FloorState, now: number): readonly Waiter[] =>
  [...talkers, ...queue].filter((one) => isClaimed(one) && one.leaseUntil - now <= FLOOR_LEASE_MS - 2 * FLOOR_RENEW_MS);

/** The number for an input of a client that sends none (TALK27). */
export const nextSeq = (state: FloorState, id: ParticipantId): number =>
  Math.min(lastSeqOf(state, id) + 1, Number.MAX_SAFE_INTEGER);

/** Whether a participant has a claim of this number; null: of any. */
export const hasClaim = (state: FloorState, id: ParticipantId, seq: number | null): boolean =>
  [...state.talkers, ...state.queue].some(
    (one) => one.id === id && (seq === null || one.seq === seq) && isClaimed(one),
  );

/** Participants who lost and who got the floor between two states, in this order. After a restart they get it when they claim it. */
export const talkerChanges = (before: FloorState, after: FloorState) => {
  const [lost, got] = [before.talkers.filter(isClaimed), after.talkers.filter(isClaimed)];
  return [
    ...lost.filter((one) => !hasId(got, one.id)).map((one) => ({ talker: one, talking: false })),
    ...got.filter((one) => !hasId(lost, one.id)).map((one) => ({ talker: one, talking: true })),
  ];
};

/** Whether the participant itself made this claim, or made it again after a restart. */
export const isClaimed = ({ seq }: Pick<Waiter, 'seq'>): boolean => seq !== UNCLAIMED;

/** Highest number seen of a participant, else 0. Reads own keys only, because an id may be `constructor`. */
export const lastSeqOf = (state: FloorState, id: ParticipantId): number =>
  Object.hasOwn(state.lastSeq, id) ? (state.lastSeq[id] ?? 0) : 0;

export const hasId = (claims: readonly Waiter[], id: ParticipantId) => claims.some((one) => one.id === id);

/** Remaining time of a talk, clamped to 0..TALK_MAX_MS in case the clock jumps. */
export const remainingMs = ({ talkUntil }: Holder, now: number) => Math.min(TALK_MAX_MS, Math.max(0, talkUntil - now));

/** The floor after its clock jumped by so much, back or forth: leases and timers keep what is left of them. */
export const shifted = (state: FloorState, byMs: number): FloorState => {
  const later = <Claim extends Waiter>(one: Claim): Claim => ({
    ...one,
    leaseUntil: one.leaseUntil + byMs,
    busyUntil: one.busyUntil + byMs,
  });
  const until = state.recovery?.until ?? null;
  return {
    ...state,
    talkers: state.talkers.map((one) => ({ ...later(one), since: one.since + byMs, talkUntil: one.talkUntil + byMs })),
    queue: state.queue.map(later),
    recovery: state.recovery === null ? null : { ...state.recovery, until: until === null ? null : until + byMs },
  };
};

/**
 * Brings back a floor that its store has forgotten, from a process that knows it. It is like evidence (TALK150), but with the
 * waiters and all numbers. If there are several, the one with the highest version counts. Claims that ended meanwhile stay
 * ended.
 * @param state the floor since then, which is recovering
 * @returns the floor, and whether it shows something new under another version
 */
export const carriedOver = (state: FloorState, known: FloorState): { state: FloorState; isNews: boolean } => {
  const { recovery } = state;
  if (recovery === null || known.version <= recovery.newest) return { state, isNews: false };
  const ids = [...Object.keys(known.lastSeq), ...Object.keys(state.lastSeq)] as ParticipantId[];
  const lastSeq = Object.fromEntries(ids.map((id) => [id, Math.max(lastSeqOf(known, id), lastSeqOf(state, id))]));
  const isLast = ({ id, seq }: Waiter) => seq >= lastSeqOf(state, id);
  const isNews = known.version <= state.version;
  return {
    state: {
      ...known,
      mode: state.channelVersion > known.channelVersion ? state.mode : known.mode,
      channelVersion: Math.max(state.channelVersion, known.channelVersion),
      talkers: known.talkers.filter(isLast),
      queue: known.queue.filter(isLast),
      lastSeq,
      version: isNews ? state.version + 1 : known.version,
      recovery: { ...recovery, newest: known.version },
    },
    isNews,
  };
};
