import type { ChannelId } from '@pressel/contract/ids';
import { BEAT_MS, BEAT_SILENCE_MS } from '@pressel/contract/limits';
import type { FloorView } from './floor.ts';
import { type Clock, type Stop, TIMER_EARLY_MS } from './platform.ts';
import type { Signalling } from './types.ts';

/**
 * Silence after which the connection is replaced, and a random part that keeps a thousand pages from doing so at once.
 */
export const REPLACE_AFTER_MS = 6_000;
export const REPLACE_SPREAD_MS = 2_000;
/**
 * Replacing helps against a dead path, not against a slow server: each replacement in a row waits twice as long, up to
 * this.
 */
const REPLACE_DOUBLINGS_MAX = 2;
/** After an answered time of this length, the waits and the hurry of `ask` begin anew. */
const CALM_MS = 30_000;
/** Silence after `ask` that replaces the connection, at most once in CALM_MS. */
export const ASK_LIMIT_MS = 1_500;
/** Hidden tabs run timers at full seconds: a beat that is due just before one doesn't wait for the next. */
const BEAT_EARLY_MS = 50;
/**
 * A tick that is later than this, as in a sleeping tab or a busy page, doesn't mean a silent server. The full seconds
 * of hidden tabs are within it.
 */
const LATE_MAX_MS = 1_000;
/** Minimum time between two ticks. */
const TICK_MIN_MS = 50;

export interface HeartbeatDeps {
  clock: Clock;
  /** Sends one beat. Resolves with whether the server answered it. */
  beat(): Promise<boolean>;
  /** Called when the server has not answered for BEAT_SILENCE_MS, and when it answers again. */
  onSilence(isSilent: boolean): void;
  /** Called when the connection should be replaced. */
  onDead(): void;
  /** Returns a number from 0 to 1. */
  random?: () => number;
}

/** Beats while it runs, and tells when the server falls silent [TALK100, TALK101]. */
export interface Heartbeat {
  start(): void;
  /** Call when the server answered something else, which is as good as a beat [TALK100]. */
  answered(): void;
  /** Beats at once, because something seems to be missed. Without an answer the connection is replaced soon. */
  ask(): void;
  stop(): void;
}

export const createHeartbeat = (deps: HeartbeatDeps): Heartbeat => {
  const { clock, random = Math.random } = deps;
  /** Number of the run, to ignore answers to beats of earlier runs. */
  let run = 0;
  let cancelTick: Stop = () => undefined;
  let tickedAt = 0;
  let tickDueAt = 0;
  /** Time that the page was awake, ms. The following are readings of it. */
  let awake = 0;
  let beatAt = 0;
  let answeredAt = 0;
  let askedAt: number | null = null;
  let isSilent = false;
  let replacements = 0;
  let replacedAt = Number.NEGATIVE_INFINITY;
  let hurriedAt = Number.NEGATIVE_INFINITY;
  let spread = 0;

  const wake = () => {
    const now = clock.now();
    const isLate = now - tickDueAt > LATE_MAX_MS;
    awake += isLate ? Math.max(tickDueAt - tickedAt, 0) : now - tickedAt;
    tickedAt = now;
  };
  const isDue = (at: number) => awake + TIMER_EARLY_MS >= at;
  const setSilent = (next: boolean) => {
    if (next === isSilent) return;
    isSilent = next;
    deps.onSilence(next);
  };

  const beat = async () => {
    const mine = run;
    beatAt = awake;
    const isAnswered = await deps.beat();
    if (mine === run && isAnswered) noteAnswer();
  };

  const noteAnswer = () => {
    wake();
    answeredAt = awake;
    askedAt = null;
    if (awake - replacedAt > CALM_MS) replacements = 0;
    setSilent(false);
  };

  const replace = () => {
    replacements += 1;
    replacedAt = awake;
    setSilent(true);
    stop();
    deps.onDead();
  };

  const hurryAt = () =>
    askedAt === null || awake - hurriedAt <= CALM_MS ? Number.POSITIVE_INFINITY : askedAt + ASK_LIMIT_MS;
  const replaceAt = () => answeredAt + REPLACE_AFTER_MS * 2 ** Math.min(replacements, REPLACE_DOUBLINGS_MAX) + spread;
  const nextBeatAt = () => beatAt + BEAT_MS - BEAT_EARLY_MS;

  const tick = () => {
    wake();
    if (isDue(hurryAt())) {
      hurriedAt = awake;
      replace();
      return;
    }
    if (isDue(replaceAt())) {
      replace();
      return;
    }
    if (isDue(answeredAt + BEAT_SILENCE_MS)) setSilent(true);
    if (isDue(nextBeatAt())) void beat();
    tickLater();
  };
  /** Ticks at the next moment at which something may be due: each tick costs every client in a room [TALK90]. */
  const tickLater = () => {
    const silentAt = isSilent ? Number.POSITIVE_INFINITY : answeredAt + BEAT_SILENCE_MS;
    const wait = Math.max(Math.min(nextBeatAt(), silentAt, hurryAt(), replaceAt()) - awake, TICK_MIN_MS);
    tickDueAt = clock.now() + wait;
    cancelTick();
    cancelTick = clock.after(wait, tick);
  };

  const stop = () => {
    run += 1;
    cancelTick();
  };

  return {
    start() {
      stop();
      tickedAt = clock.now();
      answeredAt = awake;
      beatAt = awake;
      askedAt = null;
      isSilent = false;
      spread = random() * REPLACE_SPREAD_MS;
      tickLater();
    },
    answered() {
      noteAnswer();
      beatAt = awake;
      tickLater();
    },
    ask() {
      wake();
      askedAt ??= awake;
      void beat();
      tickLater();
    },
    stop,
  };
};

const LOOK_EVERY_MS = 500;
/** Sound may come this much before the news of its grant, and end this much after the news of its release. */
const SURE_AFTER_MS = 250;

interface SoundWatchDeps {
  clock: Clock;
  /** Whether nobody has the floor, by the newest snapshot. */
  isIdle(): boolean;
  /** Whether voice has arrived since the last call, played or not. */
  isSounding(): boolean;
  /** Called when sound arrives though nobody should talk. Called again while it lasts. */
  onSound(): void;
}

/**
 * Notices sound on an idle floor: news of the floor must have been lost [TALK103]. Checks nothing while somebody talks.
 */
const createSoundWatch = ({ clock, isIdle, isSounding, onSound }: SoundWatchDeps) => {
  let isStarted = false;
  let cancel: Stop | null = null;
  const hears = () => isIdle() && isSounding();
  const look = () => {
    if (!hears()) return rest();
    cancel = clock.after(SURE_AFTER_MS, () => {
      if (hears()) onSound();
      rest();
    });
  };
  const rest = () => {
    cancel = isIdle() ? clock.after(LOOK_EVERY_MS, look) : null;
  };
  const pause = () => {
    cancel?.();
    cancel = null;
  };
  return {
    start() {
      isStarted = true;
      pause();
      rest();
    },
    /** Call when the floor may have become idle. */
    follow() {
      if (isStarted && cancel === null) rest();
    },
    stop() {
      isStarted = false;
      pause();
    },
  };
};

/** A room that self is in. */
export interface WatchedRoom {
  channelId: ChannelId;
  floor: Pick<FloorView, 'current' | 'apply'>;
  /** Called when the floor is known to match the server's right now. */
  confirm(): void;
  /** Called when the server says that self is not in the room. */
  onOut(): void;
}

export interface LinkWatchDeps {
  clock: Clock;
  signalling: Signalling;
  /** Whether voice has arrived since the last call, played or not. */
  isSounding(): boolean;
  /** Called when the server doesn't answer although the connection looks alive, and when it answers again. */
  onSilence(isSilent: boolean): void;
}

/** Makes sure that the server's news arrive while self is in any room: one beat for all rooms. */
export interface LinkWatch {
  /** Call when a room was entered: the server answered. */
  add(room: WatchedRoom): void;
  remove(room: WatchedRoom): void;
  /** Call when the server acknowledged something: all news until then are here, since a socket keeps their order. */
  answered(): void;
  /** Call when a floor may have become idle. */
  floorChanged(): void;
  close(): void;
}

export const createLinkWatch = ({ clock, signalling, ...deps }: LinkWatchDeps): LinkWatch => {
  const rooms = new Set<WatchedRoom>();

  const beat = async (): Promise<boolean> => {
    const asked = [...rooms];
    const answer = await signalling.send('beat', {
      rooms: asked.map(({ channelId, floor }) => ({ channelId, version: floor.current()?.version ?? 0 })),
    });
    // Rooms that were left or entered again meanwhile get their floor from elsewhere.
    const present = asked.filter((room) => rooms.has(room));
    if (present.length === 0) return false;
    if (!answer.ok && answer.code !== 'not_in_room') return answer.code !== 'unavailable';
    const floors = answer.ok ? (answer.data.floors ?? []) : [];
    for (const room of present) {
      if (!answer.ok || answer.data.outside?.includes(room.channelId)) {
        room.onOut();
        continue;
      }
      const news = floors.find(({ channelId }) => channelId === room.channelId);
      if (news !== undefined) room.floor.apply(news);
      room.confirm();
    }
    return true;
  };
  const heartbeat = createHeartbeat({
    clock,
    beat,
    onSilence: deps.onSilence,
    onDead: () => signalling.reconnect(),
  });
  const sound = createSoundWatch({
    clock,
    isIdle: () => [...rooms].every(({ floor }) => floor.current()?.talkers.length === 0),
    isSounding: deps.isSounding,
    onSound: heartbeat.ask,
  });
  const stop = () => {
    heartbeat.stop();
    sound.stop();
  };

  return {
    add(room) {
      rooms.add(room);
      if (rooms.size === 1) {
        heartbeat.start();
        sound.start();
      } else heartbeat.answered();
    },
    remove(room) {
      if (rooms.delete(room) && rooms.size === 0) stop();
    },
    answered() {
      // With several rooms the answer was about only one of them, and the server waits for a beat of each.
      if (rooms.size !== 1) return;
      heartbeat.answered();
      for (const room of rooms) room.confirm();
    },
    floorChanged: sound.follow,
    close() {
      rooms.clear();
      stop();
    },
  };
};
