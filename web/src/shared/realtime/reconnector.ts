import type { Socket } from 'socket.io-client';

const FIRST_MS = 300;
const LONGEST_MS = 5_000;
/** A listening user is to be back in the room 1.5 s after the server can be reached: 0.87 s with jitter, and the rest to enter. */
const LISTENING_MS = 650;
const LOOK_MS = 3_000;

/** Varies a delay by a third, so that a thousand clients of a restarted server don't come at the same instant. */
const spread = (ms: number, random: () => number): number => Math.round(ms * (2 / 3 + (random() * 2) / 3));

/**
 * Delay before the next attempt after `failed` ones (from 1) that were lost or refused, ms. It doubles from 0.3 s up to
 * 5 s (0.65 s while listening in a room), varied by a third.
 */
export const reconnectDelayMs = (failed: number, isListening: boolean, random: () => number): number =>
  spread(Math.min(isListening ? LISTENING_MS : LONGEST_MS, FIRST_MS * 2 ** Math.min(failed - 1, 10)), random);

/** Interval of looks whether the server can be reached, ms: 0.65 s while listening, else 3 s, varied by a third. */
const lookDelayMs = (isListening: boolean, random: () => number): number =>
  spread(isListening ? LISTENING_MS : LOOK_MS, random);

/** Time limit of an attempt that was made without knowing that the server can be reached. It keeps others of this browser waiting. */
const BLIND_LIMIT_MS = 2_000;
/** Age at which an attempt that may have been made over a dead path is replaced when the server can be reached. Most get an answer by then. */
const OUTLIVED_MS = 900;
/** A look can hang on a dead connection until the browser notices, which takes some 20 s. */
const HUNG_LOOKS_MS = 60_000;
const BLIND_PAUSE_MS = 90_000;
/**
 * Pause from such an attempt to the next, ms. In an outage's first minute, while no look was answered in it, 5 to 8 s;
 * then 90 s. That makes some twelve in the six minutes that Chromium counts. With a few more, Chromium makes all
 * sockets wait.
 */
const blindPauseMs = (outageMs: number, isLookAnswered: boolean, random: () => number): number =>
  isLookAnswered || outageMs > HUNG_LOOKS_MS ? BLIND_PAUSE_MS : Math.round(5_000 + random() * 3_000);
/** Longest wait of the patient look, for ways that are slow rather than dead. */
const PATIENT_MS = 8_000;

const LIMIT_MS = 2_000;
/**
 * Time limit of an attempt on an open way, ms: 2 s, doubled after each attempt that timed out, up to 8 s. If they time
 * out, the way or the server is slow, and more attempts would only make it slower.
 */
const answerLimitMs = (unanswered: number): number => Math.min(PATIENT_MS, LIMIT_MS * 2 ** Math.min(unanswered, 4));

/**
 * Runs `act` once after `ms`; returns the function that cancels it. In pages that are hidden for some minutes and play
 * nothing, browsers run chained timers (five deep) once a minute. There this sets the timer from within a message, so
 * that each timer of a chain is the first one.
 */
function startChainTimer(ms: number, act: () => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isCancelled = false;
  const begin = (): void => {
    if (!isCancelled) timer = setTimeout(act, ms);
  };
  if (document.hidden) inMessage(begin);
  else begin();
  return () => {
    isCancelled = true;
    clearTimeout(timer);
  };
}

function inMessage(run: () => void): void {
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = () => {
    port1.close();
    run();
  };
  port2.postMessage(null);
}

/** The part of a Socket.IO client that is used here. */
export type RawSocket = Pick<Socket, 'on' | 'connect' | 'disconnect' | 'connected' | 'timeout' | 'io'>;

export interface ReconnectorDeps {
  /** Returns a socket that has not begun to connect, for one attempt. */
  open(): RawSocket;
  /** Whether the server answers a small request. Never rejects; false when the signal ends it. */
  reach(signal: AbortSignal): Promise<boolean>;
  random(): number;
  /** Whether the user listens in a room. */
  isListening(): boolean;
  onConnected(socket: RawSocket): void;
  /** Called when an attempt failed, or was not answered in time: then without an error. */
  onFailed(error?: Error): void;
}

/** `first`: nothing suggests that it can't be reached. `doubt`: something does. `loss`: a connection was lost just now. */
type ConnectReason = 'first' | 'doubt' | 'loss';

/** Tries to connect until it succeeds or is stopped [TALK73]. */
export interface Reconnector {
  /** Makes the first attempt now, or after the delay that spreads clients that lost the same server. */
  start(why: ConnectReason): void;
  /** Looks sooner, because the user listens from now on. */
  hurry(): void;
  stop(): void;
}

interface Attempt {
  socket: RawSocket;
  begunAt: number;
  /** Made without knowing that the server can be reached. */
  isBlind: boolean;
  /** It may have been made over a dead path, and is replaced when the server can be reached. */
  isDoubted: boolean;
  /** The age at which it is then replaced, ms. */
  outlivedMs: number;
}

/**
 * Looks by small requests whether the server can be reached, and makes an attempt when it is. Attempts can't look themselves:
 * browsers connect one WebSocket at a time to a server (RFC 6455, 4.1), also over several tabs. Chromium makes each
 * wait up to 5 s after some fifteen that failed. So an attempt over a dead path blocks the next, and many make all of them
 * late.
 */
export function createReconnector(deps: ReconnectorDeps): Reconnector {
  const { random, isListening } = deps;
  let attempt: Attempt | null = null;
  /** Ends the attempt, or the pause before it. */
  let cancelTimer = (): void => {};
  let cancelLook = (): void => {};
  /** Counts the attempts that were lost or refused, and those that stood on an open way without an answer. */
  let failed = 0;
  let unanswered = 0;
  let isDue = false;
  let startedAt = 0;
  let isLookAnswered = false;
  let notBefore = 0;
  let run: AbortController | null = null;
  let isPatient = false;

  const drop = (): void => {
    cancelTimer();
    attempt?.socket.disconnect();
    attempt = null;
  };
  const stop = (): void => {
    drop();
    cancelLook();
    run?.abort();
    run = null;
  };

  /** @param isBlind - nothing says that the server can be reached */
  const plan = (delay: number, isBlind: boolean): void => {
    isDue = !isBlind;
    cancelTimer();
    cancelTimer = startChainTimer(delay, () => begin(isBlind));
  };
  const planBlindly = (): void => plan(blindPauseMs(performance.now() - startedAt, isLookAnswered, random), true);

  const begin = (isBlind: boolean, limitMs = BLIND_LIMIT_MS, outlivedMs = OUTLIVED_MS): void => {
    isDue = false;
    const socket = deps.open();
    const mine: Attempt = { socket, begunAt: performance.now(), isBlind, isDoubted: isBlind, outlivedMs };
    attempt = mine;
    cancelTimer = startChainTimer(isBlind ? limitMs : answerLimitMs(unanswered), expire);
    socket.on('connect', () => {
      if (mine !== attempt) return;
      attempt = null;
      stop();
      deps.onConnected(socket);
    });
    socket.on('connect_error', (error) => {
      if (mine === attempt) fail(error);
    });
    socket.connect();
  };

  const giveUp = (): void => {
    if (attempt?.isBlind === false) unanswered += 1;
    drop();
  };
  const expire = (): void => {
    giveUp();
    planBlindly();
    deps.onFailed();
  };

  const fail = (error: Error): void => {
    drop();
    const mine = run;
    deps.onFailed(error);
    if (mine === null || run !== mine) return;
    failed += 1;
    const delay = reconnectDelayMs(failed, isListening(), random);
    notBefore = performance.now() + delay;
    // An answer of the server itself, though a refusal, shows that the server can be reached.
    if ('data' in error) plan(delay, false);
    else planBlindly();
  };

  /** Called when the server can be reached. */
  const arrive = (isQuick: boolean): void => {
    const now = performance.now();
    isLookAnswered = true;
    if (attempt === null) {
      if (!isDue) plan(Math.max(notBefore - now, 0), false);
    } else if (attempt.isDoubted && isQuick) {
      attempt.isDoubted = false;
      cancelTimer();
      const replace = (): void => {
        giveUp();
        begin(false);
      };
      cancelTimer = startChainTimer(Math.max(attempt.begunAt + attempt.outlivedMs - now, 0), replace);
    }
  };

  /** Also false if nothing came within `ms`. */
  const ask = async (ms: number, ended: AbortSignal): Promise<boolean> => {
    const limit = new AbortController();
    const end = (): void => limit.abort();
    const limitTimer = setTimeout(end, ms);
    ended.addEventListener('abort', end);
    const isOpen = await deps.reach(limit.signal);
    clearTimeout(limitTimer);
    ended.removeEventListener('abort', end);
    return isOpen && !ended.aborted;
  };
  const look = async (): Promise<void> => {
    if (run === null) return;
    const { signal } = run;
    const delay = lookDelayMs(isListening(), random);
    const asked = ask(delay, signal);
    lookLater(delay);
    if (await asked) arrive(true);
    else if (!signal.aborted) {
      // The way may have been closed and opened since the attempt was made. Slow ways look the same, so this is
      // believed only once.
      if (attempt !== null && unanswered === 0) attempt.isDoubted = true;
      await lookPatiently(signal);
    }
  };
  /** On a slow way, quick looks get no answer. */
  const lookPatiently = async (signal: AbortSignal): Promise<void> => {
    if (isPatient) return;
    isPatient = true;
    const isOpen = await ask(PATIENT_MS, signal);
    isPatient = false;
    if (isOpen) arrive(false);
  };
  const lookLater = (delay: number): void => {
    cancelLook();
    cancelLook = startChainTimer(delay, () => void look());
  };

  return {
    start(why) {
      stop();
      run = new AbortController();
      const isLost = why === 'loss';
      failed = isLost ? 1 : 0;
      unanswered = 0;
      startedAt = performance.now();
      isLookAnswered = false;
      notBefore = 0;
      const delay = isLost ? reconnectDelayMs(failed, isListening(), random) : 0;
      if (isLost) plan(delay, true);
      else if (why === 'first') begin(true, PATIENT_MS, LIMIT_MS);
      else begin(true);
      // If all is well, the attempt is answered before the first look.
      lookLater(delay + lookDelayMs(isListening(), random));
    },
    hurry() {
      if (run !== null) lookLater(lookDelayMs(true, random));
    },
    stop,
  };
}
