import { BEAT_MS, BEAT_SILENCE_MS } from '@pressel/contract/limits';
import type { Clock, Stop } from './platform.ts';

/** Silence after which the connection is replaced, and the random part that keeps a thousand pages apart. */
export const REPLACE_AFTER_MS = 6_000;
export const REPLACE_SPREAD_MS = 2_000;
/** Replacing helps against a dead path, not against a slow server: each one in a row waits twice as long, up to this. */
const REPLACE_DOUBLINGS_MAX = 2;
/** An answered time of this length begins anew: with the waits, and with the hurry of `ask`. */
const CALM_MS = 30_000;
/** Silence after `ask` that replaces the connection, at most once in CALM_MS. */
export const ASK_LIMIT_MS = 1_500;
const TICK_MS = 250;
/**
 * A tick that is later than this counts as this much: what a sleeping tab or a busy page slept through is no silence
 * of the server. Hidden tabs tick once a second, which counts in full.
 */
const TICK_MAX_MS = 1_100;

export interface HeartbeatDeps {
  clock: Clock;
  /** Sends one beat. Resolves with whether the server answered it. */
  beat(): Promise<boolean>;
  /** The server has not answered for BEAT_SILENCE_MS; or it does again. */
  onSilence(isSilent: boolean): void;
  /** The connection should be replaced by a new one. */
  onDead(): void;
  /** 0 to 1. */
  random?: () => number;
}

/** Beats while it runs, and tells when the server falls silent [TALK100, TALK101]. */
export interface Heartbeat {
  start(): void;
  /** Beats at once: there is a sign that something is missed. Without an answer the connection is replaced soon. */
  ask(): void;
  stop(): void;
}

export const createHeartbeat = (deps: HeartbeatDeps): Heartbeat => {
  const { clock, random = Math.random } = deps;
  /** Number of the run, to ignore answers to beats of earlier ones. */
  let run = 0;
  let cancelTick: Stop = () => undefined;
  /** Time while the page was awake, ms. All of the following are readings of it. */
  let awake = 0;
  let tickedAt = 0;
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
    awake += Math.min(now - tickedAt, TICK_MAX_MS);
    tickedAt = now;
  };
  const setSilent = (next: boolean) => {
    if (next === isSilent) return;
    isSilent = next;
    deps.onSilence(next);
  };

  const beat = async () => {
    const mine = run;
    beatAt = awake;
    const isAnswered = await deps.beat();
    if (mine !== run || !isAnswered) return;
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

  const tick = () => {
    wake();
    const silence = awake - answeredAt;
    if (askedAt !== null && awake - askedAt >= ASK_LIMIT_MS && awake - hurriedAt > CALM_MS) {
      hurriedAt = awake;
      replace();
      return;
    }
    if (silence >= REPLACE_AFTER_MS * 2 ** Math.min(replacements, REPLACE_DOUBLINGS_MAX) + spread) {
      replace();
      return;
    }
    if (silence >= BEAT_SILENCE_MS) setSilent(true);
    // Half a tick early rather than a whole one late.
    if (awake - beatAt >= BEAT_MS - TICK_MS / 2) void beat();
    cancelTick = clock.after(TICK_MS, tick);
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
      cancelTick = clock.after(TICK_MS, tick);
    },
    ask() {
      wake();
      askedAt ??= awake;
      void beat();
    },
    stop,
  };
};
