import type { TalkMode } from '@pressel/contract/channels';
import type { ParticipantId, UserId } from '@pressel/contract/ids';
import { FLOOR_BUSY_MS, FLOOR_LEASE_MS, FLOOR_QUEUE_MAX, FLOOR_RETURN_MS, TALK_MAX_MS } from '@pressel/contract/limits';
import type { FloorSnapshot, Talker } from '@pressel/contract/voice';
import { type AddressedAnswer, answer, deny, type FloorAnswer, grant, moves, queued, revoke } from './floor-answers.ts';
import {
  type FloorState,
  type Holder,
  hasId,
  isClaimed,
  lastSeqOf,
  nextDeadline,
  type TalkAuthor,
  UNCLAIMED,
  type Waiter,
} from './floor-state.ts';

export interface FloorRequest {
  readonly type: 'request';
  readonly id: ParticipantId;
  readonly userId: UserId;
  readonly name: string;
  /** Higher goes first and pre-empts lower: administrator 1, member 0. */
  readonly priority: number;
  readonly seq: number;
  readonly queue: boolean;
  readonly author: TalkAuthor | null;
}

interface Numbered {
  readonly id: ParticipantId;
  readonly seq: number;
}

/** A floor that an earlier process signed, and that anybody in the room brings back. */
export interface FloorEvidence {
  readonly type: 'restore';
  readonly floor: Pick<FloorSnapshot, 'version' | 'talkers'>;
  /** The talkers of it who may still enter the room (TALK160). */
  readonly entitled: ReadonlySet<UserId>;
  /** When it was signed. Null: that time is in the future, because the clock was set back, so the floor's age isn't known. */
  readonly signedAt: number | null;
}

/** A participant is back in the room, after a lost link or a restart. */
export interface FloorResumption {
  readonly type: 'resume';
  readonly id: ParticipantId;
  readonly priority: number;
  /** The press by which it had the floor; null: it doesn't press any more. */
  readonly claim: number | null;
  readonly author: TalkAuthor | null;
}

/** The inputs of a floor. Participants send theirs only while they are in the room (TALK25). */
export type FloorInput =
  | FloorRequest
  | ({ readonly type: 'release' } & Numbered)
  | ({ readonly type: 'renew' } & Numbered)
  /** The participant's browser is there, though its page didn't renew. */
  | ({ readonly type: 'alive' } & Numbered)
  /** Several leave in one step, so that none of them is granted the floor that another one leaves. */
  | { readonly type: 'leave'; readonly ids: readonly ParticipantId[] }
  | { readonly type: 'tick' }
  /** The channel's mode, and the version that it was read with. */
  | { readonly type: 'set_mode'; readonly mode: TalkMode; readonly channelVersion: number }
  | { readonly type: 'rename'; readonly userId: UserId; readonly name: string }
  | FloorEvidence
  | FloorResumption;

export interface FloorStep {
  /** Identical to the input state if nothing changed, so that it need not be stored again. */
  readonly state: FloorState;
  /**
   * In order of sending, at most one per participant. After a request or release, the one to its sender is the direct
   * answer (TALK19).
   */
  readonly replies: readonly AddressedAnswer[];
  /** Whether the snapshot changed, which increments the version (TALK24). */
  readonly changed: boolean;
}

type Outcome = Pick<FloorStep, 'state' | 'replies'>;

/**
 * One step of the floor: applies `input` to `state` at `now` (whole ms since 1970 by a clock that never steps back). Leases and timers end
 * at ticks only. Rules: docs/rules/voice.md.
 */
export const applyFloor = (state: FloorState, input: FloorInput, now: number): FloorStep =>
  settle(state, react(state, input, now), now);

/** Several inputs that come at once, in one step. */
export function applyInputs(state: FloorState, inputs: readonly FloorInput[], now: number): FloorStep {
  const none: FloorStep = { state, replies: [], changed: false };
  return inputs.reduce((before, input) => {
    const step = applyFloor(before.state, input, now);
    return { ...step, replies: [...before.replies, ...step.replies], changed: before.changed || step.changed };
  }, none);
}

/** The direct answer to a request or release of `id` (TALK19); undefined after any other input. */
export const directAnswer = (step: FloorStep, id: ParticipantId): FloorAnswer | undefined =>
  step.replies.find(({ to }) => to === id)?.reply;

const react = (state: FloorState, input: FloorInput, now: number): Outcome => {
  switch (input.type) {
    case 'request':
      return isStale(state, input)
        ? { state, replies: [answer(input, { type: 'denied', seq: input.seq, reason: 'stale' })] }
        : request(remember(state, input), input, now);
    case 'release':
      return {
        state: isStale(state, input) ? state : withoutClaim(remember(state, input), input.id),
        replies: [answer(input, { type: 'released', seq: input.seq })],
      };
    case 'renew':
      return { state: freshen(state, input, freshness(input, now)), replies: [] };
    case 'alive':
      return { state: stayAlive(state, input, now), replies: [] };
    case 'leave':
      return leave(state, new Set(input.ids));
    case 'tick':
      return tick(state, now);
    case 'set_mode':
      return setMode(state, input.mode, input.channelVersion);
    case 'rename':
      return { state: rename(state, input.userId, input.name), replies: [] };
    case 'restore':
      return restore(state, input, now);
    case 'resume':
      return { state: resume(state, input, now), replies: [] };
    default:
      return input satisfies never;
  }
};

/** TALK5, TALK6, TALK23, TALK24: the consequences of any input. */
const settle = (before: FloorState, { state, replies }: Outcome, now: number): FloorStep => {
  if (state === before) return { state, replies, changed: false };
  const places = state.mode === 'open' ? state.queue.length : state.talkers.length === 0 ? 1 : 0;
  const granted = state.queue.slice(0, places).map((waiter) => holderFrom(waiter, now));
  const next =
    granted.length === 0
      ? state
      : { ...state, talkers: [...state.talkers, ...granted], queue: state.queue.slice(places) };
  const changed = next.version !== before.version || !looksSame(before, next);
  const version = changed ? Math.max(next.version, before.version + 1) : next.version;
  const isNew = (one: Holder) => isClaimed(one) && !hasId(before.talkers, one.id);
  return {
    state: { ...next, version, recovery: next.talkers.some(isNew) ? null : next.recovery },
    replies: [...replies, ...granted.map((holder) => grant(holder, now)), ...moves(before, next)],
    changed,
  };
};

const request = (state: FloorState, input: FloorRequest, now: number): Outcome => {
  const own = state.talkers.find(({ id }) => id === input.id);
  if (own) return requestWhileTalking(state, own, input, now);
  const [holder] = state.mode === 'single' ? state.talkers : [];
  if (!holder) {
    const talker = holderFrom(waiterFrom(input, now), now);
    return { state: { ...state, talkers: [...state.talkers, talker] }, replies: [grant(talker, now)] };
  }
  const waiting = state.queue.find(({ id }) => id === input.id);
  if (waiting) return requestWhileWaiting(state, waiting, holder, input, now);
  if (userHasClaim(state, input.userId)) return { state, replies: [deny(input, 'elsewhere', holder)] };
  if (input.priority > holder.priority) {
    const talker = holderFrom(waiterFrom(input, now), now);
    return {
      state: { ...state, talkers: [talker] },
      replies: [revoke(holder, 'preempted', input.name), grant(talker, now)],
    };
  }
  if (!input.queue) return { state, replies: [deny(input, 'taken', holder)] };
  if (state.queue.length >= FLOOR_QUEUE_MAX) return { state, replies: [deny(input, 'queue_full', holder)] };
  const waiter = waiterFrom(input, now);
  const behind = state.queue.findIndex(({ priority }) => priority < input.priority);
  const place = behind === -1 ? state.queue.length : behind;
  const queue = state.queue.toSpliced(place, 0, waiter);
  return { state: { ...state, queue }, replies: [queued(waiter, place, queue.length)] };
};

/** TALK17 for a talker. */
const requestWhileTalking = (state: FloorState, holder: Holder, input: FloorRequest, now: number): Outcome => {
  // The priority and author of a restored talker aren't known yet.
  const { priority, author } = isClaimed(holder) ? holder : input;
  const again = { ...holder, priority, author, ...freshness(input, now) };
  const talkers = state.talkers.map((one) => (one === holder ? again : one));
  return { state: { ...state, talkers }, replies: [grant(again, now)] };
};

/** TALK17 for a waiting participant. */
const requestWhileWaiting = (
  state: FloorState,
  waiter: Waiter,
  holder: Holder,
  input: FloorRequest,
  now: number,
): Outcome => {
  if (!input.queue) return { state: withoutClaim(state, input.id), replies: [deny(input, 'taken', holder)] };
  const place = state.queue.indexOf(waiter);
  const again = { ...waiter, ...freshness(input, now) };
  const queue = state.queue.with(place, again);
  return { state: { ...state, queue }, replies: [queued(again, place, queue.length)] };
};

/** TALK18: changes the claim with exactly this number. */
const freshen = (state: FloorState, input: Numbered, change: Partial<Waiter>): FloorState => {
  const isMeant = isClaimOf(input);
  const changed = <Claim extends Waiter>(claims: readonly Claim[]) =>
    claims.map((one) => (isMeant(one) ? { ...one, ...change } : one));
  if (state.talkers.some(isMeant)) return { ...state, talkers: changed(state.talkers) };
  if (state.queue.some(isMeant)) return { ...state, queue: changed(state.queue) };
  return state;
};

const isClaimOf = (input: Numbered) => (one: Waiter) => one.id === input.id && one.seq === input.seq && isClaimed(one);

/** TALK33. */
const stayAlive = (state: FloorState, input: Numbered, now: number): FloorState => {
  const one = [...state.talkers, ...state.queue].find(isClaimOf(input));
  if (one === undefined) return state;
  const leaseUntil = Math.min(now + FLOOR_LEASE_MS, one.busyUntil);
  return leaseUntil > one.leaseUntil ? freshen(state, input, { leaseUntil }) : state;
};

/** TALK12; also forgets the participants' numbers (TALK14). */
const leave = (state: FloorState, leavers: ReadonlySet<string>): Outcome => {
  const claims = [...state.talkers, ...state.queue].filter(({ id }) => leavers.has(id));
  const seen = Object.entries(state.lastSeq);
  const lastSeq = Object.fromEntries(seen.filter(([id]) => !leavers.has(id)));
  if (claims.length === 0 && Object.keys(lastSeq).length === seen.length) return { state, replies: [] };
  const stays = ({ id }: Waiter) => !leavers.has(id);
  return {
    state: { ...state, talkers: state.talkers.filter(stays), queue: state.queue.filter(stays), lastSeq },
    replies: claims.map((one) => revoke(one, 'left')),
  };
};

/** TALK8, TALK11. */
const tick = (before: FloorState, now: number): Outcome => {
  const end = nextDeadline(before);
  if (end === null || end > now) return { state: before, replies: [] };
  const state = endRecovery(before, now);
  const isDead = ({ leaseUntil }: Waiter) => leaseUntil <= now;
  const isOver = ({ talkUntil }: Holder) => talkUntil <= now;
  const dead = [...state.talkers, ...state.queue].filter(isDead);
  const over = state.talkers.filter((one) => isOver(one) && !isDead(one));
  return {
    state: {
      ...state,
      talkers: state.talkers.filter((one) => !isDead(one) && !isOver(one)),
      queue: state.queue.filter((one) => !isDead(one)),
    },
    replies: [
      ...over.filter(isClaimed).map((one) => revoke(one, 'time_limit')),
      ...dead.filter(isClaimed).map((one) => revoke(one, 'lease_expired')),
    ],
  };
};

/**
 * A process that was killed may have told versions that nobody brought back. They are fewer than this. The time alone doesn't outrank them
 * if the clock was set back.
 */
const UNKNOWN_VERSIONS = 1_000;

/** TALK152: from here on this process's versions outrank those of all earlier ones. The clock counts from 1970. */
const endRecovery = (state: FloorState, now: number): FloorState => {
  const { recovery } = state;
  if (recovery === null || recovery.until === null || recovery.until > now) return state;
  return { ...state, version: Math.max(state.version + UNKNOWN_VERSIONS, now), recovery: { ...recovery, until: null } };
};

/** Whether a floor of an earlier process is newer than those that were brought before it. */
export const isEvidence = ({ recovery }: FloorState, { version }: Pick<FloorSnapshot, 'version'>): boolean =>
  recovery !== null && version > recovery.newest;

/** TALK150. Participants who waited for the floor have to press again: evidence doesn't tell their numbers. */
const restore = (state: FloorState, { floor, entitled, signedAt }: FloorEvidence, now: number): Outcome => {
  const { recovery } = state;
  const ageMs = signedAt === null ? null : Math.max(0, now - signedAt);
  const isAbove = floor.version > state.version;
  // Evidence of no other use is outranked: a clock that was set back must not keep versions from growing.
  const outranked = isAbove ? { ...state, version: floor.version + 1 } : state;
  // If it isn't above the own floor, this process may have signed it itself.
  const isUseful = isEvidence(state, floor) && (ageMs !== null || isAbove);
  if (recovery === null || !isUseful) return { state: outranked, replies: [] };
  const mayTalk = ageMs === null ? [] : floor.talkers.filter(({ userId }) => entitled.has(userId));
  const known = mayTalk.map((talker) => restored(talker, ageMs ?? 0, now));
  const talkers = known
    .map((talker) => state.talkers.find(({ id }) => id === talker.id) ?? talker)
    .filter(({ talkUntil }) => talkUntil > now)
    .slice(0, state.mode === 'single' ? 1 : undefined);
  const ended = state.talkers.filter((one) => isClaimed(one) && !hasId(talkers, one.id));
  // If a talker was left out, the version rises, so that clients with this evidence accept the floor as newer.
  const isWhole = mayTalk.length === floor.talkers.length && ageMs !== null;
  const version = isWhole ? Math.max(state.version, floor.version) : outranked.version;
  return {
    state: { ...state, talkers, version, recovery: { ...recovery, newest: floor.version } },
    replies: ended.map((one) => revoke(one, 'lease_expired')),
  };
};

/** Nobody pre-empts a talker whose priority isn't known yet. */
const restored = ({ id, userId, name, talkingMs, remainingMs }: Talker, ageMs: number, now: number): Holder => ({
  ...{ id, userId, name, author: null, priority: Number.MAX_SAFE_INTEGER },
  ...freshness({ seq: UNCLAIMED }, now),
  leaseUntil: now + FLOOR_RETURN_MS,
  since: now - talkingMs - ageMs,
  talkUntil: now + remainingMs - ageMs,
});

/** TALK151. */
const resume = (state: FloorState, { id, priority, author, claim: seq }: FloorResumption, now: number): FloorState => {
  if (seq === null || !isClaimed({ seq }))
    return hasId([...state.talkers, ...state.queue], id) ? withoutClaim(state, id) : state;
  const own = state.talkers.find((one) => one.id === id);
  if (own === undefined || isClaimed(own)) return freshen(state, { id, seq }, freshness({ seq }, now));
  const claimed = { ...own, priority, author, ...freshness({ seq }, now) };
  const talkers = state.talkers.map((one) => (one === own ? claimed : one));
  return remember({ ...state, talkers }, { id, seq: Math.max(seq, lastSeqOf(state, id)) });
};

/** TALK22, TALK29. `settle` then grants waiting participants (TALK23). */
const setMode = (state: FloorState, mode: TalkMode, channelVersion: number): Outcome => {
  if (channelVersion <= state.channelVersion) return { state, replies: [] };
  if (mode === state.mode) return { state: { ...state, channelVersion }, replies: [] };
  const kept = mode === 'single' ? 1 : state.talkers.length;
  return {
    state: { ...state, mode, channelVersion, talkers: state.talkers.slice(0, kept) },
    replies: state.talkers.slice(kept).map((one) => revoke(one, 'mode_changed')),
  };
};

/** TALK30. */
const rename = (state: FloorState, userId: UserId, name: string): FloorState => {
  const isMeant = (one: Waiter) => one.userId === userId && one.name !== name;
  if (![...state.talkers, ...state.queue].some(isMeant)) return state;
  const renamed = <Claim extends Waiter>(claims: readonly Claim[]) =>
    claims.map((one) => (isMeant(one) ? { ...one, name } : one));
  return { ...state, talkers: renamed(state.talkers), queue: renamed(state.queue) };
};

/** TALK28. */
const userHasClaim = (state: FloorState, userId: UserId) =>
  [...state.talkers, ...state.queue].some((one) => one.userId === userId);

const isStale = (state: FloorState, { id, seq }: Numbered) => seq <= lastSeqOf(state, id);

const remember = (state: FloorState, { id, seq }: Numbered): FloorState => ({
  ...state,
  lastSeq: { ...state.lastSeq, [id]: seq },
});

const withoutClaim = (state: FloorState, id: ParticipantId): FloorState => ({
  ...state,
  talkers: state.talkers.filter((one) => one.id !== id),
  queue: state.queue.filter((one) => one.id !== id),
});

const freshness = ({ seq }: Pick<Numbered, 'seq'>, now: number) => ({
  seq,
  leaseUntil: now + FLOOR_LEASE_MS,
  busyUntil: now + FLOOR_BUSY_MS,
});

const waiterFrom = (input: FloorRequest, now: number): Waiter => ({
  id: input.id,
  userId: input.userId,
  name: input.name,
  priority: input.priority,
  author: input.author,
  ...freshness(input, now),
});

const holderFrom = (waiter: Waiter, now: number): Holder => ({ ...waiter, since: now, talkUntil: now + TALK_MAX_MS });

/** Compares what snapshots show. Leases are not shown, so a renewal changes nothing. */
const looksSame = (before: FloorState, after: FloorState) =>
  before.mode === after.mode &&
  before.talkers.length === after.talkers.length &&
  before.queue.length === after.queue.length &&
  before.talkers.every((one, i) => looksLike(one, after.talkers[i])) &&
  before.queue.every((one, i) => one.id === after.queue[i]?.id);

const looksLike = (one: Holder, other: Holder | undefined) =>
  one.id === other?.id && one.since === other.since && one.name === other.name;
