import type { ParticipantId, UserId } from '@pressel/contract/ids';
import { FLOOR_RENEW_MS } from '@pressel/contract/limits';
import type { FloorNews, FloorSnapshot, Talker } from '@pressel/contract/voice';
import { createListeners } from '#src/shared/listeners.ts';
import { type Clock, type Stop, TIMER_EARLY_MS } from './platform.ts';
import type { LastTalk, Signalling } from './types.ts';

/** A talker stays audible this long after the floor's release, so that the jitter buffer's content is played. */
export const FLUSH_MS = 300;
/**
 * Beside a successor's voice, the rest ends when none of it has been played for two of these: packets come in bursts.
 */
export const DRY_LOOK_MS = 60;
const DRY_MS = 2 * DRY_LOOK_MS;
/**
 * On a link whose jitter buffer delays more than this, the rest takes longer to play. It takes as long as the buffer
 * delays, and the last packets may arrive as late again. Browsers grow such a buffer to 1 s (measured in Chromium 156).
 */
const FULL_BUFFER_MS = 150;
const FLUSH_MAX_MS = 2_000;
/** A talker whose time is over falls silent this long after it, if the server's news of the end don't come. */
const OVERDUE_MS = 1_000;

/** The floor's latest snapshot, and the participants whom it makes audible. */
export interface FloorView {
  /** Applies a snapshot of this channel; ignores one that is older than the current one. */
  apply(snapshot: FloorNews): void;
  /**
   * Applies the answer to a join, whatever its version: the server knows the evidence that the client brought
   * [TALK150].
   */
  enter(snapshot: FloorNews): void;
  /** Clears the state. Then nobody is audible. */
  reset(): void;
  /** The newest snapshot, as the server signed it. */
  newest(): FloorNews | undefined;
  /** Whether the same user's other tabs and devices are heard [TALK52]. */
  setHearsOwn(hearsOwn: boolean): void;
  current(): FloorNews | null;
  /**
   * Plays a participant whom no news name yet, until news of a talk come; null ends it [TALK49]. Early media
   * (floor-beside.ts) decides whom.
   */
  playEarly(speaker: Speaker | null): void;
  /** The participant that is played early now. */
  early(): Speaker | null;
  /** Whether self has the floor. */
  isOwn(): boolean;
  /**
   * The audible participants, without self. Includes the user's other participants only if they are to be heard. Same
   * object if unchanged.
   */
  audible(): ReadonlySet<ParticipantId>;
  /** When a talker got the floor: clock reading, ms, constant over snapshots. */
  since(id: ParticipantId): number;
  /** The last talk that has ended, even before the link was lost; null while it is unknown. */
  lastTalk(): LastTalk | null;
  /** Whether the microphone may open before the server answers: no talker and no queue, or open mode. */
  looksFree(): boolean;
  subscribe(listener: () => void): Stop;
  close(): void;
}

/** The participant and user of a voice. */
type Speaker = Pick<Talker, 'id' | 'userId'>;

export interface FloorViewDeps {
  clock: Clock;
  self(): { id: ParticipantId; userId: UserId } | null;
  /** Whether any of this participant's voice was played since the last call. */
  isPlayed(id: ParticipantId): boolean;
  /**
   * How long this participant's jitter buffer delayed their voice since the last call, ms on average. Never rejects.
   */
  bufferedMs(id: ParticipantId): Promise<number>;
}

/** The rest of a voice whose talk is over. */
interface Rest {
  talker: Talker;
  /** When the rest ends at the latest. */
  until: number;
  /** Beside a successor, the rest ends when nothing was played for this long. */
  dryMs: number;
  /** Call when `until` has changed. */
  wait: () => void;
  cancel: Stop;
}

export const createFloorView = ({ clock, self, isPlayed, bufferedMs }: FloorViewDeps): FloorView => {
  const listeners = createListeners();
  let floor: FloorNews | null = null;
  let newest: FloorNews | undefined;
  let cancelOverdue: Stop = () => undefined;
  let audible: ReadonlySet<ParticipantId> = new Set();
  let hearsOwn = false;
  let lastTalk: LastTalk | null = null;
  let early: Speaker | null = null;
  const starts = new Map<ParticipantId, number>();
  /** Past talkers who stay audible for the rest of their voice. */
  const flushing = new Map<ParticipantId, Rest>();

  const endFlush = (id: ParticipantId) => {
    flushing.get(id)?.cancel();
    flushing.delete(id);
  };

  /** Reads the talker, not the room's participants: the floor's news may come before theirs. */
  const isHeard = ({ id, userId }: Speaker) => {
    const me = self();
    return id !== me?.id && (hearsOwn || userId !== me?.userId);
  };

  const refresh = () => {
    const sounding: Speaker[] = [...(floor?.talkers ?? []), ...[...flushing.values()].map(({ talker }) => talker)];
    if (early !== null) sounding.push(early);
    const next = new Set(sounding.filter(isHeard).map(({ id }) => id));
    if (next.size === audible.size && [...next].every((id) => audible.has(id))) return;
    audible = next;
  };

  const mute = (id: ParticipantId) => {
    endFlush(id);
    refresh();
    listeners.notify();
  };

  const begin = (talker: Talker, wait: (rest: Rest) => void) => {
    endFlush(talker.id);
    const endedAt = clock.now();
    // A busy page may learn what the buffer held only when the shortest rest is over. Nothing is cut off before.
    const rest: Rest = {
      ...{ talker, until: endedAt + FLUSH_MAX_MS, dryMs: Number.POSITIVE_INFINITY },
      ...{ wait: () => undefined, cancel: () => undefined },
    };
    flushing.set(talker.id, rest);
    wait(rest);
    void bufferedMs(talker.id).then((ms) => {
      if (flushing.get(talker.id) !== rest) return;
      const isFull = ms > FULL_BUFFER_MS;
      rest.until = endedAt + (isFull ? Math.min(FLUSH_MS + 2 * ms, FLUSH_MAX_MS) : FLUSH_MS);
      // Delayed packets leave such a buffer dry for a while.
      rest.dryMs = isFull ? Math.max(DRY_MS, ms) : DRY_MS;
      rest.wait();
    });
  };

  /** Keeps the talker audible for the whole time: nobody else talks. */
  const flush = (rest: Rest) => {
    rest.wait = () => {
      rest.cancel();
      const left = rest.until - clock.now();
      if (left <= 0) mute(rest.talker.id);
      else rest.cancel = clock.after(left, rest.wait);
    };
    rest.wait();
  };

  /** Keeps the talker audible beside their successor while there is something left to play. */
  const drain = (rest: Rest) => {
    const { id } = rest.talker;
    let emptyMs = 0;
    const lookLater = () => {
      rest.cancel = clock.after(Math.min(DRY_LOOK_MS, rest.until - clock.now()), look);
    };
    const look = () => {
      emptyMs = isPlayed(id) ? 0 : emptyMs + DRY_LOOK_MS;
      if (emptyMs >= rest.dryMs || clock.now() >= rest.until) mute(id);
      else lookLater();
    };
    // The next look comes soon enough.
    rest.wait = () => undefined;
    rest.cancel();
    lookLater();
    // Discards the reading: sound that was played before doesn't count.
    isPlayed(id);
  };

  const reset = () => {
    // Nobody knows when a running talk ends that the lost link cut off, nor which talk is the last by then.
    if ((floor?.talkers.length ?? 0) > 0) lastTalk = null;
    floor = null;
    early = null;
    newest = undefined;
    cancelOverdue();
    starts.clear();
    for (const id of [...flushing.keys()]) endFlush(id);
    refresh();
  };

  const looksFree = () =>
    floor !== null && (floor.mode === 'open' || (floor.talkers.length === 0 && floor.queue.length === 0));

  /** Without a link no news say that a talk ended: its time limit ends it [TALK153]. */
  const watchTime = ({ talkers }: FloorNews) => {
    cancelOverdue();
    if (talkers.length === 0) return;
    const left = Math.min(...talkers.map(({ remainingMs }) => remainingMs));
    const isOver = ({ remainingMs }: Talker) => remainingMs <= left;
    cancelOverdue = clock.after(left + OVERDUE_MS, () => {
      if (floor === null) return;
      const others = talkers.filter((one) => !isOver(one));
      show({ ...floor, talkers: others.map((one) => ({ ...one, remainingMs: one.remainingMs - left - OVERDUE_MS })) });
    });
  };

  const show = (snapshot: FloorNews) => {
    const before = floor?.talkers ?? [];
    const now = new Set(snapshot.talkers.map(({ id }) => id));
    const isCut = floor !== null && preempts(floor, snapshot);
    floor = snapshot;
    // If the news name the participant, they make it audible; if they name somebody else, it must not be heard.
    if (early !== null && (now.has(early.id) || !looksFree())) early = null;
    for (const id of now) endFlush(id);
    const hasSuccessor = snapshot.mode === 'single' && now.size > 0;
    if (hasSuccessor) {
      for (const [id, rest] of [...flushing]) {
        if (isCut) endFlush(id);
        else drain(rest);
      }
    }
    for (const talker of before) {
      if (now.has(talker.id)) continue;
      const began = starts.get(talker.id) ?? clock.now();
      starts.delete(talker.id);
      lastTalk = {
        name: talker.name,
        isSelf: talker.id === self()?.id,
        endedAt: clock.now(),
        durationMs: clock.now() - began,
      };
      if (!hasSuccessor) begin(talker, flush);
      else if (!isCut) begin(talker, drain);
    }
    for (const { id, talkingMs } of snapshot.talkers) {
      if (!starts.has(id)) starts.set(id, clock.now() - talkingMs);
    }
    watchTime(snapshot);
    refresh();
    listeners.notify();
  };

  return {
    apply(snapshot) {
      if (floor !== null && snapshot.version <= floor.version) return;
      newest = snapshot;
      show(snapshot);
    },
    enter(snapshot) {
      newest = snapshot;
      show(snapshot);
    },
    newest: () => newest,
    reset() {
      reset();
      listeners.notify();
    },
    setHearsOwn(next) {
      if (next === hearsOwn) return;
      hearsOwn = next;
      refresh();
      listeners.notify();
    },
    playEarly(speaker) {
      if (speaker === early) return;
      early = speaker;
      // As beside a successor whom the news name [TALK51].
      if (speaker !== null && floor?.mode === 'single') {
        for (const rest of [...flushing.values()]) if (rest.talker.id !== speaker.id) drain(rest);
      }
      refresh();
      listeners.notify();
    },
    early: () => early,
    current: () => floor,
    isOwn: () => floor?.talkers.some(({ id }) => id === self()?.id) === true,
    audible: () => audible,
    lastTalk: () => lastTalk,
    since: (id) => starts.get(id) ?? clock.now(),
    looksFree,
    subscribe: listeners.add,
    close: reset,
  };
};

/**
 * Whether a higher priority cut the talker off [TALK2]: one version later, somebody talks who didn't wait. A
 * participant who waited takes over only from a talker who let go, and a press on an idle floor cuts off nobody.
 */
const preempts = (before: FloorSnapshot, now: FloorSnapshot): boolean =>
  now.version === before.version + 1 &&
  before.talkers.length > 0 &&
  now.talkers.some(({ id }) => !before.queue.includes(id) && before.talkers.every((one) => one.id !== id));

/** If two looks at the lease are further apart than this, the page stood still: the time counts as this much. */
const AWAKE_STEP_MAX_MS = 2 * FLOOR_RENEW_MS;

/** Renews the claim of a press, and notices when the server has answered nothing for a whole lease [TALK46]. */
export interface FloorLease {
  /** Call when a press asks for the floor under this number. */
  begin(seq: number): void;
  granted(leaseMs: number): void;
  /** Call when the server is back after a lost link: the lease counts from now. */
  resume(seq: number): void;
  stop(): void;
}

export interface FloorLeaseDeps {
  clock: Clock;
  signalling: Pick<Signalling, 'send'>;
  /** Called when a renewal was acknowledged. */
  onRenewed(): void;
  /** Called when the server has revoked the floor, or is about to, and listeners mute self. */
  onOver(): void;
}

export const createFloorLease = ({ clock, signalling, onRenewed, onOver }: FloorLeaseDeps): FloorLease => {
  let current = 0;
  let leaseMs = Number.POSITIVE_INFINITY;
  /** Total time that the page was awake, ms, by which leases are counted, and when it was last updated. */
  let awake = 0;
  let awakeAt = 0;
  /** When the newest acknowledged request or renewal was sent, in awake time: the server's lease began no earlier. */
  let leaseFrom = 0;
  /** When the floor was requested: renewals keep step with the request. */
  let requestedAt = 0;
  let renewAt = 0;
  let cancelLook: Stop = () => undefined;

  /**
   * The server tells a busy page from a lost link, and keeps the busy page's floor longer [TALK33]: a pause of the page
   * doesn't use up the lease.
   */
  const wake = () => {
    const now = clock.now();
    awake += Math.min(now - awakeAt, AWAKE_STEP_MAX_MS);
    awakeAt = now;
    return awake;
  };

  const planRenewal = () => {
    // A renewal that a busy page sent late doesn't delay the next ones.
    const since = clock.now() - requestedAt;
    const next = (Math.floor((since + TIMER_EARLY_MS) / FLOOR_RENEW_MS) + 1) * FLOOR_RENEW_MS;
    renewAt = clock.now() + Math.max(next - since, FLOOR_RENEW_MS / 2);
  };
  const look = () => {
    if (wake() + TIMER_EARLY_MS >= leaseFrom + leaseMs) {
      onOver();
      return;
    }
    if (clock.now() + TIMER_EARLY_MS >= renewAt) {
      void send();
      planRenewal();
    }
    lookLater();
  };
  /**
   * Looks again when a renewal is due and when the lease ends: right then another process may grant the floor to
   * somebody else [PROC53].
   */
  const lookLater = () => {
    cancelLook();
    const leaseLeft = leaseFrom + leaseMs - wake();
    cancelLook = clock.after(Math.max(Math.min(renewAt - clock.now(), leaseLeft), 0), look);
  };
  const send = async () => {
    const mine = current;
    const sentAt = wake();
    const answer = await signalling.send('floor_renew', { seq: mine });
    if (!answer.ok) return;
    onRenewed();
    if (mine === current) leaseFrom = Math.max(leaseFrom, sentAt);
  };

  return {
    begin(seq) {
      current = seq;
      leaseMs = Number.POSITIVE_INFINITY;
      requestedAt = clock.now();
      leaseFrom = wake();
      planRenewal();
      lookLater();
    },
    granted(ms) {
      leaseMs = ms;
      lookLater();
    },
    resume(seq) {
      current = seq;
      leaseFrom = wake();
      void send();
      planRenewal();
      lookLater();
    },
    stop: () => cancelLook(),
  };
};
