import { FLOOR_RENEW_MS, TALK_WARNING_MS } from '@pressel/contract/limits';
import type { FloorReply, RevokeReason } from '@pressel/contract/voice';
import { denyReason } from '@pressel/contract/voice';
import { createListeners } from '#src/shared/listeners.ts';
import { type Clock, type Stop, TIMER_EARLY_MS } from './platform.ts';
import type { Signalling, TalkSound, TalkState } from './types.ts';

/** The microphone closes by itself this long after the talk's time limit if the server's revocation is late. */
const TIME_LIMIT_GRACE_MS = 500;
/** A press that the server has not answered for this long is called late: T101 of 3GPP TS 24.380 §11.1.1. */
export const ANSWER_WAIT_MS = 1_000;
/** How long `unheard` is shown, unless a press comes first. */
export const UNHEARD_SHOWN_MS = 6_000;

/** A longer time between two renewals is one in which the page stood still: it counts as this much. */
const AWAKE_STEP_MAX_MS = 2 * FLOOR_RENEW_MS;

export interface TalkControlDeps {
  clock: Clock;
  signalling: Pick<Signalling, 'send'>;
  /** Opens or closes microphone and sending. Immediate. */
  setSending(sending: boolean): void;
  /** What prevents a press now, or null. `entering`: it has to wait for the answer to the join, or for the microphone to open. */
  obstacle(): 'link' | 'microphone' | 'entering' | null;
  /** The floor is known to be free, so the microphone may open before the server answers. */
  looksFree(): boolean;
  play(sound: TalkSound): void;
  /** A renewal was acknowledged. */
  onRenewed(): void;
}

/** The client's side of the floor: opens and closes the microphone by presses, releases and the server's replies. */
export interface TalkControl {
  state(): TalkState;
  press(): void;
  release(): void;
  letGo(): void;
  stop(): void;
  /** Call when what `obstacle` says may have changed: a press that waits begins, or fails [TALK143]. */
  obstacleChanged(): void;
  /** A reply that the server sent after the acknowledgement. */
  reply(reply: FloorReply): void;
  /** The socket was lost: the server has released the floor, and numbering restarts with the next socket. */
  linkLost(): void;
  microphoneLost(): void;
  setTail(ms: number): void;
  subscribe(listener: () => void): Stop;
  /** Stops, and leaves nothing to run. */
  close(): void;
}

type Running = Extract<TalkState, { state: 'asking' } | { state: 'talking' }>;

export const createTalkControl = (deps: TalkControlDeps): TalkControl => {
  const { clock, signalling, setSending, play } = deps;
  const listeners = createListeners();
  let state: TalkState = { state: 'idle' };
  let isPressed = false;
  let tailMs = 200;
  /** Number of the last press or release of this socket. */
  let seq = 0;
  /** Number of the current press, which the server's replies must match; 0 without one. */
  let request = 0;
  /** The state to resume when the key is pressed again during the tail. */
  let resume: Running | null = null;
  let leaseMs = Number.POSITIVE_INFINITY;
  /** Time that the page was awake for, ms, by which leases are counted, and when that was last added up. */
  let awake = 0;
  let awakeAt = 0;
  /** When the newest renewal that was acknowledged was sent, in awake time. */
  let lastRenewal = 0;
  /** When the floor was asked for: renewals keep step with it. */
  let requestedAt = 0;
  /** Number of the socket, to ignore answers that belong to an earlier one. */
  let epoch = 0;
  /** Number of a press that ended with an open microphone before its answer; 0 without one [TALK84]. */
  let doubted = 0;
  let cancelTail: Stop = () => undefined;
  let cancelRenew: Stop = () => undefined;
  let cancelTimeLimit: Stop = () => undefined;
  let cancelAnswerWait: Stop = () => undefined;
  let cancelOutcome: Stop = () => undefined;

  const setState = (next: TalkState) => {
    state = next;
    listeners.tell();
  };

  const clearTimers = () => {
    cancelTail();
    cancelRenew();
    cancelTimeLimit();
    cancelAnswerWait();
  };

  /** Closes the microphone first, then releases the floor: the other order cuts off the last syllable. */
  const releaseFloor = () => {
    clearTimers();
    resume = null;
    setSending(false);
    if (request === 0) return;
    request = 0;
    seq += 1;
    void signalling.send('floor_release', { seq });
  };

  /** Ends the press. `isRefused`: the server's refusal, or no answer at all, came before its end. */
  const finish = (isRefused = false) => {
    const last = resume ?? state;
    const asked = request;
    const wasTalking = state.state === 'talking' || state.state === 'ending';
    releaseFloor();
    if (last.state === 'unheard') return;
    if (last.state === 'asking' && (last.late || (last.open && isRefused))) {
      tellUnheard();
      return;
    }
    if (last.state === 'asking' && last.open) doubt(asked, last.since);
    if (wasTalking) play('ended');
    if (state.state !== 'idle') setState({ state: 'idle' });
  };

  const tellUnheard = () => {
    believe();
    play('unheard');
    setState({ state: 'unheard' });
    cancelOutcome = clock.after(UNHEARD_SHOWN_MS, () => setState({ state: 'idle' }));
  };
  /** The answer to a press that is over already still tells whether it was heard. */
  const doubt = (asked: number, since: number) => {
    doubted = asked;
    cancelOutcome = clock.after(Math.max(since + ANSWER_WAIT_MS - clock.now(), 0), tellUnheard);
  };
  const believe = () => {
    doubted = 0;
    cancelOutcome();
  };

  const watchAnswer = () => {
    cancelAnswerWait = clock.after(ANSWER_WAIT_MS, () => {
      if (state.state === 'asking') setState({ ...state, late: true });
      else if (resume?.state === 'asking') resume = { ...resume, late: true };
    });
  };

  /** Blocks talking until a new press; after a release the state is simply idle. */
  const blockUntilRelease = (next: Extract<TalkState, { state: 'denied' } | { state: 'revoked' }>) => {
    clearTimers();
    setSending(false);
    if (!isPressed) {
      finish(true);
      return;
    }
    resume = null;
    play(next.reason === 'unanswered' ? 'unheard' : 'denied');
    setState(next);
  };
  const deny = (reason: Extract<TalkState, { state: 'denied' }>['reason'], talkerName?: string) =>
    blockUntilRelease({ state: 'denied', reason, talkerName });
  const revoke = (reason: RevokeReason | 'link', byName?: string) =>
    blockUntilRelease({ state: 'revoked', reason, byName });

  const requestFloor = async () => {
    seq += 1;
    request = seq;
    const mine = request;
    const socket = epoch;
    leaseMs = Number.POSITIVE_INFINITY;
    requestedAt = clock.now();
    renew();
    const answer = await signalling.send('floor_request', { seq: mine, queue: true });
    if (mine === doubted && socket === epoch) {
      if (answer.ok && answer.data.type === 'granted') believe();
      else tellUnheard();
    }
    if (mine !== request || socket !== epoch) return;
    if (answer.ok) {
      handleReply(answer.data);
      return;
    }
    const known = denyReason.safeParse(answer.code);
    deny(known.success ? known.data : answer.code === 'unavailable' ? 'unanswered' : 'link');
    // The request may have been granted and only its answer lost, so release it.
    releaseFloor();
  };

  /** The server knows a busy page from a lost link, and keeps its floor for longer [TALK33]: a pause of the page is no lease. */
  const wake = () => {
    const now = clock.now();
    awake += Math.min(now - awakeAt, AWAKE_STEP_MAX_MS);
    awakeAt = now;
    return awake;
  };

  const renew = () => {
    cancelRenew();
    // One that a busy page sent late doesn't put off those after it.
    const since = clock.now() - requestedAt;
    const next = (Math.floor((since + TIMER_EARLY_MS) / FLOOR_RENEW_MS) + 1) * FLOOR_RENEW_MS;
    cancelRenew = clock.after(Math.max(next - since, FLOOR_RENEW_MS / 2), () => {
      // Without an acknowledged renewal for a whole lease the server has revoked the floor, and listeners mute us.
      if (wake() - lastRenewal > leaseMs) {
        revoke('link');
        releaseFloor();
        return;
      }
      void sendRenewal();
      renew();
    });
  };
  const sendRenewal = async () => {
    const mine = request;
    const sentAt = wake();
    const answer = await signalling.send('floor_renew', { seq: mine });
    if (!answer.ok) return;
    deps.onRenewed();
    if (mine === request) lastRenewal = Math.max(lastRenewal, sentAt);
  };

  const watchTime = (endsAt: number) => {
    const left = endsAt - clock.now();
    const end = () => {
      revoke('time_limit');
      releaseFloor();
    };
    cancelTimeLimit();
    cancelTimeLimit = clock.after(Math.max(left - TALK_WARNING_MS, 0), () => {
      play('warning');
      cancelTimeLimit = clock.after(Math.min(left, TALK_WARNING_MS) + TIME_LIMIT_GRACE_MS, end);
    });
  };

  const granted = (reply: Extract<FloorReply, { type: 'granted' }>) => {
    const now = clock.now();
    leaseMs = reply.leaseMs;
    lastRenewal = wake();
    const talking: Running = { state: 'talking', since: now, endsAt: now + reply.talkMs };
    if (state.state === 'ending') {
      // Released before the grant: the tail continues, and only a new press within it resumes as talking.
      if (resume?.state === 'asking') resume = talking;
    } else if (isPressed && (state.state === 'asking' || state.state === 'queued')) {
      setSending(true);
      watchTime(talking.endsAt);
      play('granted');
      setState(talking);
    }
  };

  const queued = ({ position, size }: Extract<FloorReply, { type: 'queued' }>) => {
    if (!isPressed) {
      finish(true);
      return;
    }
    if (state.state !== 'asking' && state.state !== 'queued') return;
    setSending(false);
    if (state.state === 'asking') play('queued');
    setState({ state: 'queued', since: state.since, position, size });
  };

  /** Handles a reply. Replies that don't match the current press are late and never open the microphone. */
  const handleReply = (reply: FloorReply) => {
    if (request === 0 || reply.seq !== request) return;
    switch (reply.type) {
      case 'granted':
        granted(reply);
        break;
      case 'queued':
        queued(reply);
        break;
      case 'denied':
        deny(reply.reason, reply.talkerName);
        break;
      case 'revoked':
        revoke(reply.reason, reply.byName);
        break;
      case 'released':
        revoke('left');
        break;
      default:
        reply satisfies never;
    }
  };

  /** Asks for the floor, unless something is in the way; `since`: when the press began. */
  const begin = (since: number) => {
    const obstacle = deps.obstacle();
    if (obstacle === 'entering') {
      setState({ state: 'asking', since, open: false, late: false });
      watchAnswer();
      return;
    }
    if (obstacle !== null) {
      deny(obstacle);
      return;
    }
    const open = deps.looksFree();
    if (open) setSending(true);
    setState({ state: 'asking', since, open, late: false });
    watchAnswer();
    void requestFloor();
  };
  /** The press was made while the room was being entered, and nothing was sent yet. */
  const isWaiting = () => state.state === 'asking' && request === 0;

  const continueTalk = (running: Running) => {
    cancelTail();
    resume = null;
    if (running.state === 'talking') watchTime(running.endsAt);
    setState(running);
  };

  return {
    state: () => state,
    press() {
      if (isPressed) return;
      isPressed = true;
      if (state.state === 'ending' && resume !== null) {
        continueTalk(resume);
        return;
      }
      believe();
      begin(clock.now());
    },
    obstacleChanged() {
      if (state.state !== 'asking' || !isWaiting() || deps.obstacle() === 'entering') return;
      cancelAnswerWait();
      begin(state.since);
    },
    release() {
      isPressed = false;
      const running = state;
      const isOpen = running.state === 'talking' || (running.state === 'asking' && running.open);
      if (running.state === 'ending') return;
      if (!isOpen || tailMs === 0) {
        finish();
        return;
      }
      cancelTimeLimit();
      resume = running;
      cancelTail = clock.after(tailMs, finish);
      setState({ state: 'ending', since: clock.now() });
    },
    letGo() {
      isPressed = false;
      releaseFloor();
    },
    stop() {
      isPressed = false;
      finish();
    },
    reply: handleReply,
    linkLost() {
      epoch += 1;
      const wasWaiting = state.state === 'queued';
      const wasAsking = state.state === 'asking';
      const wasTalking = state.state === 'talking';
      request = 0;
      seq = 0;
      if (wasTalking) revoke('link');
      else if (wasAsking) deny('unanswered');
      else if (wasWaiting) deny('link');
      else if (state.state === 'ending') finish(true);
      setSending(false);
    },
    microphoneLost() {
      if (!isRunning(state) || isWaiting()) return;
      deny('microphone');
      releaseFloor();
    },
    setTail(ms) {
      tailMs = Math.min(Math.max(ms, 0), 1000);
    },
    subscribe: listeners.add,
    close() {
      isPressed = false;
      finish();
      believe();
    },
  };
};

const isRunning = ({ state }: TalkState) =>
  state === 'asking' || state === 'queued' || state === 'talking' || state === 'ending';
