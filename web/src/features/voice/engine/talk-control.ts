import { TALK_WARNING_MS } from '@pressel/contract/limits';
import { denyReason, type FloorReply, type RevokeReason } from '@pressel/contract/voice';
import { createListeners } from '#src/shared/listeners.ts';
import { createFloorLease } from './floor.ts';
import type { Clock, Stop } from './platform.ts';
import type { Signalling, TalkSound, TalkState } from './types.ts';

/** The microphone closes by itself this long after the talk's time limit if the server's revocation is late. */
const TIME_LIMIT_GRACE_MS = 500;
/** A press without the server's answer for this long is called late: T101 of 3GPP TS 24.380 §11.1.1. */
export const ANSWER_WAIT_MS = 1_000;
/** How long `unheard` is shown, unless a press comes first. */
export const UNHEARD_SHOWN_MS = 6_000;

export interface TalkControlDeps {
  clock: Clock;
  signalling: Pick<Signalling, 'send'>;
  /** Opens or closes microphone and sending. Immediate. */
  setSending(sending: boolean): void;
  /**
   * Returns the obstacle to a press now; null for none. `entering`: the press has to wait for the answer to the join,
   * or for the microphone to open.
   */
  obstacle(): 'link' | 'microphone' | 'entering' | null;
  /** Whether the floor is known to be free, so that the microphone may open before the server answers. */
  looksFree(): boolean;
  play(sound: TalkSound): void;
  /** Called when a renewal was acknowledged. */
  onRenewed(): void;
}

/** The client's side of the floor: opens and closes the microphone by presses, releases and the server's replies. */
export interface TalkControl {
  state(): TalkState;
  press(): void;
  release(): void;
  letGo(): void;
  stop(): void;
  /** Call when the result of `obstacle` may have changed: a waiting press begins or fails [TALK143]. */
  obstacleChanged(): void;
  /** Handles a reply that the server sent after the acknowledgement. */
  reply(reply: FloorReply): void;
  /** Call when the server can't be reached: a talk goes on, anything else ends [TALK153]. */
  linkLost(): void;
  /**
   * Call when it is known again after a lost link whether self has the floor, by the server or by its successor's page
   * [TALK154].
   */
  confirm(hasFloor: boolean): void;
  /** The number of the press that has the floor; undefined without one. */
  claim(): number | undefined;
  /**
   * Call when the participant is gone: the server has released the floor, and the next participant numbers its presses
   * anew.
   */
  left(): void;
  microphoneLost(): void;
  setTail(ms: number): void;
  subscribe(listener: () => void): Stop;
  /** Stops the talk and all timers. */
  close(): void;
}

type Running = Extract<TalkState, { state: 'asking' } | { state: 'talking' }>;

export const createTalkControl = (deps: TalkControlDeps): TalkControl => {
  const { clock, signalling, setSending, play } = deps;
  const listeners = createListeners();
  let state: TalkState = { state: 'idle' };
  let isPressed = false;
  let tailMs = 200;
  /** Number of the last press or release of this participant. */
  let seq = 0;
  /** Number of the current press, which the server's replies must match; 0 without one. */
  let request = 0;
  /** The state to resume when the key is pressed again during the tail. */
  let resume: Running | null = null;
  /** Number of the link, to ignore answers that belong to an earlier one. */
  let epoch = 0;
  /** Number of a press that ended with an open microphone before its answer; 0 without one [TALK84]. */
  let doubted = 0;
  let cancelTail: Stop = () => undefined;
  let cancelTimeLimit: Stop = () => undefined;
  let cancelAnswerWait: Stop = () => undefined;
  let cancelOutcome: Stop = () => undefined;

  const lease = createFloorLease({
    clock,
    signalling,
    onRenewed: deps.onRenewed,
    onOver() {
      revoke('link');
      releaseFloor();
    },
  });

  const setState = (next: TalkState) => {
    state = next;
    listeners.notify();
  };

  const clearTimers = () => {
    cancelTail();
    lease.stop();
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

  /** Ends the press. `isRefused`: before its end, the server refused it or did not answer at all. */
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
  /** The answer to a press that has ended still tells whether it was heard. */
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
    lease.begin(mine);
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
    lease.granted(reply.leaseMs);
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
        // The server may send it again (TALK18).
        if (state.state !== 'revoked') revoke(reply.reason, reply.byName);
        break;
      case 'released':
        revoke('left');
        break;
      default:
        reply satisfies never;
    }
  };

  /** Asks for the floor, unless there is an obstacle. `since`: when the press began. */
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
  /** Whether the press was made while the room was being entered, and nothing was sent yet. */
  const isWaiting = () => state.state === 'asking' && request === 0;

  const claim = () => {
    const running = resume ?? state;
    return running.state === 'talking' && request > 0 ? request : undefined;
  };
  /** Ends the remaining press without telling the server. */
  const drop = () => {
    request = 0;
    if (state.state === 'talking') revoke('link');
    else if (state.state === 'asking') deny('unanswered');
    else if (state.state === 'queued') deny('link');
    else if (state.state === 'ending') finish(true);
    setSending(false);
  };

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
    claim,
    linkLost() {
      epoch += 1;
      lease.stop();
      if (claim() === undefined) drop();
    },
    confirm(hasFloor) {
      const claimed = claim();
      if (claimed !== undefined && hasFloor) lease.resume(claimed);
      else if (claimed !== undefined) revoke('lease_expired');
      else if (hasFloor) {
        // The talk ended while the server was told that it went on.
        seq += 1;
        void signalling.send('floor_release', { seq });
      }
    },
    left() {
      epoch += 1;
      drop();
      seq = 0;
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
