import type { ParticipantId, UserId } from '@pressel/contract/ids';
import { FLOOR_RENEW_MS } from '@pressel/contract/limits';
import type { FloorNews, FloorSnapshot, Talker } from '@pressel/contract/voice';
import { createListeners } from '#src/shared/listeners.ts';
import { type Clock, type Stop, TIMER_EARLY_MS } from './platform.ts';
import type { LastTalk, Signalling } from './types.ts';

/** A talker stays audible this long after the floor's release, so that the jitter buffer's content is played. */
export const FLUSH_MS = 300;
/** Beside a successor's voice only until nothing of it has been played for two of these: packets come in bursts. */
export const DRY_LOOK_MS = 60;
const DRY_MS = 2 * DRY_LOOK_MS;
/** On a link whose jitter buffer holds more than this, the rest takes longer to be played: by what it held, up to a limit. */
const FULL_BUFFER_MS = 150;
const FLUSH_MAX_MS = 1_000;
/** A talker whose time is over falls silent this long after it, if the server's news of that don't come. */
const OVERDUE_MS = 1_000;

/** The floor's latest snapshot, and the participants who may be heard by it. */
export interface FloorView {
  /** Applies a snapshot of this channel; ignores one that is older than the current. */
  apply(snapshot: FloorNews): void;
  /** Applies the answer to a join, whatever its version: the server knows what was brought to it [TALK150]. */
  enter(snapshot: FloorNews): void;
  /** Clears the state. Nobody is audible then. */
  reset(): void;
  /** The newest one, as the server signed it. */
  newest(): FloorNews | undefined;
  /** Whether the same user's other tabs and devices are heard [TALK52]. */
  setHearsOwn(hearsOwn: boolean): void;
  current(): FloorNews | null;
  /** Plays a participant whom no news name yet, until news of a talk come; null ends it [TALK49]. Early media (floor-beside.ts) decides it. */
  playEarly(speaker: Speaker | null): void;
  /** Who is played so now. */
  early(): Speaker | null;
  /** Whether self has the floor. */
  isOwn(): boolean;
  /** Without self and, unless they are to be heard, without the user's other participants. Same object if unchanged. */
  audible(): ReadonlySet<ParticipantId>;
  /** When a talker got the floor: clock reading, ms, constant over snapshots. */
  since(id: ParticipantId): number;
  /** Who talked last and no longer does, also before the link was lost; null while that is unknown. */
  lastTalk(): LastTalk | null;
  /** Whether the microphone may open before the server answers: no talker and no queue, or open mode. */
  looksFree(): boolean;
  subscribe(listener: () => void): Stop;
  close(): void;
}

/** Whose voice it is. */
type Speaker = Pick<Talker, 'id' | 'userId'>;

export interface FloorViewDeps {
  clock: Clock;
  self(): { id: ParticipantId; userId: UserId } | null;
  /** Whether something of this participant's voice was played since the last call. */
  isPlayed(id: ParticipantId): boolean;
  /** How long this participant's voice waited in the jitter buffer since the last call, ms on the average. Never rejects. */
  bufferedMs(id: ParticipantId): Promise<number>;
}

/** The rest of a voice whose talk is over. */
interface Rest {
  talker: Talker;
  /** It is played until then at the latest. */
  until: number;
  /** Beside a successor it ends when nothing was played for so long. */
  dryMs: number;
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
  /** Past talkers who stay audible, until this moment at the latest. */
  const flushing = new Map<ParticipantId, Rest>();

  const endFlush = (id: ParticipantId) => {
    flushing.get(id)?.cancel();
    flushing.delete(id);
  };

  /** By the talker, not by the room's participants: the floor's news may come before theirs. */
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
    listeners.tell();
  };

  const begin = (talker: Talker, wait: (rest: Rest) => void) => {
    endFlush(talker.id);
    const rest: Rest = { talker, until: clock.now() + FLUSH_MS, dryMs: DRY_MS, cancel: () => undefined };
    flushing.set(talker.id, rest);
    wait(rest);
    void bufferedMs(talker.id).then((ms) => {
      if (flushing.get(talker.id) !== rest || ms <= FULL_BUFFER_MS) return;
      rest.until += Math.min(ms, FLUSH_MAX_MS - FLUSH_MS);
      // Packets that are held up leave such a buffer dry for a while.
      rest.dryMs = Math.max(DRY_MS, ms);
    });
  };

  /** The talker is audible for the whole time: nobody else talks. */
  const flush = (rest: Rest) => {
    const left = rest.until - clock.now();
    if (left <= 0) mute(rest.talker.id);
    else rest.cancel = clock.after(Math.min(left, FLUSH_MS), () => flush(rest));
  };

  /** The talker is audible beside their successor for as long as there is something left to play. */
  const drain = (rest: Rest) => {
    const { id } = rest.talker;
    let emptyMs = 0;
    const wait = () => {
      rest.cancel = clock.after(Math.min(DRY_LOOK_MS, rest.until - clock.now()), look);
    };
    const look = () => {
      emptyMs = isPlayed(id) ? 0 : emptyMs + DRY_LOOK_MS;
      if (emptyMs >= rest.dryMs || clock.now() >= rest.until) mute(id);
      else wait();
    };
    rest.cancel();
    wait();
    // What was played before doesn't count.
    isPlayed(id);
  };

  const reset = () => {
    // Of a talk that was cut off from here nobody knows when it ends, nor which one is the last by then.
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

  /** Without a link nobody says that a talk ended: its time limit does [TALK153]. */
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
    // Named, they are heard by these news; with somebody else named they never were to be heard.
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
    listeners.tell();
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
      listeners.tell();
    },
    setHearsOwn(next) {
      if (next === hearsOwn) return;
      hearsOwn = next;
      refresh();
      listeners.tell();
    },
    playEarly(speaker) {
      if (speaker === early) return;
      early = speaker;
      // As beside a successor whom the news name [TALK51].
      if (speaker !== null && floor?.mode === 'single') {
        for (const rest of [...flushing.values()]) if (rest.talker.id !== speaker.id) drain(rest);
      }
      refresh();
      listeners.tell();
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
 * Whether the talker was cut off by a higher priority [TALK2]: in one step somebody talks who didn't wait. Who waited takes over from
 * somebody who let go, and who presses on an idle floor finds one.
 */
const preempts = (before: FloorSnapshot, now: FloorSnapshot): boolean =>
  now.version === before.version + 1 &&
  before.talkers.length > 0 &&
  now.talkers.some(({ id }) => !before.queue.includes(id) && before.talkers.every((one) => one.id !== id));

/** A longer time between two looks at the lease is one in which the page stood still: it counts as this much. */
const AWAKE_STEP_MAX_MS = 2 * FLOOR_RENEW_MS;

/** Renews the claim of a press, and notices when the server has answered nothing for a whole lease [TALK46]. */
export interface FloorLease {
  /** A press asks for the floor under this number. */
  begin(seq: number): void;
  granted(leaseMs: number): void;
  /** The server is back after a lost link: the lease counts from now. */
  resume(seq: number): void;
  stop(): void;
}

export interface FloorLeaseDeps {
  clock: Clock;
  signalling: Pick<Signalling, 'send'>;
  /** A renewal was acknowledged. */
  onRenewed(): void;
  /** The server has revoked the floor by now, or is about to, and listeners mute us. */
  onOver(): void;
}

export const createFloorLease = ({ clock, signalling, onRenewed, onOver }: FloorLeaseDeps): FloorLease => {
  let current = 0;
  let leaseMs = Number.POSITIVE_INFINITY;
  /** Time that the page was awake for, ms, by which leases are counted, and when that was last added up. */
  let awake = 0;
  let awakeAt = 0;
  /** When the request, or the newest renewal, that was acknowledged was sent, in awake time: the server's lease began no earlier. */
  let leaseFrom = 0;
  /** When the floor was asked for: renewals keep step with it. */
  let requestedAt = 0;
  let renewAt = 0;
  let cancelLook: Stop = () => undefined;

  /** The server knows a busy page from a lost link, and keeps its floor for longer [TALK33]: a pause of the page is no lease. */
  const wake = () => {
    const now = clock.now();
    awake += Math.min(now - awakeAt, AWAKE_STEP_MAX_MS);
    awakeAt = now;
    return awake;
  };

  const planRenewal = () => {
    // One that a busy page sent late doesn't put off those after it.
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
  /** When a renewal is due, and when the lease ends: another process may give the floor to somebody right then [PROC53]. */
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
