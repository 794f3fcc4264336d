import { FLOOR_RENEW_MS, TALK_WARNING_MS } from '@pressel/contract/limits';
import type { DenyReason, FloorReply, RevokeReason } from '@pressel/contract/voice';
import { denyReason } from '@pressel/contract/voice';
import { createNotifier } from './notifier.ts';
import type { Clock, Stop } from './platform.ts';
import type { Signalling, TalkSound, TalkState } from './types.ts';

/** The microphone closes by itself this long after the talk's time is up, should the server's word be late. */
const TIME_LIMIT_GRACE_MS = 500;

export interface TalkControlDeps {
  clock: Clock;
  signalling: Signalling;
  /** Opens and closes the microphone and the way out. Immediate. */
  setSending(sending: boolean): void;
  /** What stands in the way of a press now; null when nothing does. */
  obstacle(): 'link' | 'microphone' | null;
  /** The floor is known to be free, so sound may flow before the server has answered. */
  looksFree(): boolean;
  play(sound: TalkSound): void;
}

/** The user's side of the floor: what a press, a release and the server's words make of the microphone. */
export interface TalkControl {
  state(): TalkState;
  press(): void;
  release(): void;
  stop(): void;
  /** The server's word that came by itself, after the acknowledgement. */
  reply(reply: FloorReply): void;
  /** The socket is gone: the server has let go of the floor, numbers start anew with the next socket. */
  linkLost(): void;
  microphoneLost(): void;
  setTail(ms: number): void;
  subscribe(listener: () => void): Stop;
}

type Running = Extract<TalkState, { state: 'asking' } | { state: 'talking' }>;

export const createTalkControl = (deps: TalkControlDeps): TalkControl => {
  const { clock, signalling, setSending, play } = deps;
  const notifier = createNotifier();
  let state: TalkState = { state: 'idle' };
  let isPressed = false;
  let tailMs = 200;
  /** Counts presses and releases of this socket. */
  let seq = 0;
  /** The press that the server's answers must be about, 0 when none is open. */
  let request = 0;
  /** What goes on when the key comes down again during the tail. */
  let resume: Running | null = null;
  let leaseMs = Number.POSITIVE_INFINITY;
  let lastSign = 0;
  /** Sockets are told apart, so that an answer through an old one changes nothing. */
  let epoch = 0;
  let cancelTail: Stop = () => undefined;
  let cancelRenew: Stop = () => undefined;
  let cancelTimeLimit: Stop = () => undefined;

  const setState = (next: TalkState) => {
    state = next;
    notifier.notify();
  };

  const clearTimers = () => {
    cancelTail();
    cancelRenew();
    cancelTimeLimit();
  };

  /** Closes the microphone first and then tells the server: the order in which the last syllable is whole. */
  const letGo = () => {
    clearTimers();
    resume = null;
    setSending(false);
    if (request === 0) return;
    request = 0;
    seq += 1;
    void signalling.send('floor_release', { seq });
  };

  const finish = () => {
    const wasTalking = state.state === 'talking' || state.state === 'ending';
    letGo();
    if (wasTalking) play('ended');
    if (state.state !== 'idle') setState({ state: 'idle' });
  };

  /** No more talk until a fresh press. Whoever has released already is simply done. */
  const shut = (next: TalkState) => {
    clearTimers();
    setSending(false);
    if (!isPressed) {
      finish();
      return;
    }
    resume = null;
    play('denied');
    setState(next);
  };
  const deny = (reason: DenyReason | 'link' | 'microphone', talkerName?: string) =>
    shut({ state: 'denied', reason, talkerName });
  const revoke = (reason: RevokeReason | 'link', byName?: string) => shut({ state: 'revoked', reason, byName });

  const ask = async () => {
    seq += 1;
    request = seq;
    const mine = request;
    const socket = epoch;
    leaseMs = Number.POSITIVE_INFINITY;
    renew();
    const answer = await signalling.send('floor_request', { seq: mine, queue: true });
    if (mine !== request || socket !== epoch) return;
    if (answer.ok) {
      hear(answer.data);
      return;
    }
    const known = denyReason.safeParse(answer.code);
    deny(known.success ? known.data : 'link');
    // It may have been granted all the same, with only the answer lost.
    letGo();
  };

  const renew = () => {
    cancelRenew();
    cancelRenew = clock.after(FLOOR_RENEW_MS, () => {
      // Without a sign for a whole lease the server has let go of the floor: nobody plays us any more.
      if (clock.now() - lastSign > leaseMs) {
        revoke('link');
        letGo();
        return;
      }
      void sendSign();
      renew();
    });
  };
  const sendSign = async () => {
    const mine = request;
    const sentAt = clock.now();
    const answer = await signalling.send('floor_renew', { seq: mine });
    if (answer.ok && mine === request) lastSign = Math.max(lastSign, sentAt);
  };

  const watchTime = (endsAt: number) => {
    const left = endsAt - clock.now();
    const end = () => {
      revoke('time_limit');
      letGo();
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
    lastSign = now;
    const talking: Running = { state: 'talking', since: now, endsAt: now + reply.talkMs };
    if (state.state === 'ending') {
      // Released before the answer: the tail goes on, only a new press within it makes a talk of this.
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
      finish();
      return;
    }
    if (state.state !== 'asking' && state.state !== 'queued') return;
    setSending(false);
    if (state.state === 'asking') play('queued');
    setState({ state: 'queued', since: state.since, position, size });
  };

  /** Whatever belongs to no open press is late: it never opens anything. */
  const hear = (reply: FloorReply) => {
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
      const obstacle = deps.obstacle();
      if (obstacle !== null) {
        deny(obstacle);
        return;
      }
      const open = deps.looksFree();
      if (open) setSending(true);
      setState({ state: 'asking', since: clock.now(), open });
      void ask();
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
    stop() {
      isPressed = false;
      finish();
    },
    reply: hear,
    linkLost() {
      epoch += 1;
      const wasAsking = state.state === 'asking' || state.state === 'queued';
      const wasTalking = state.state === 'talking';
      request = 0;
      seq = 0;
      if (wasTalking) revoke('link');
      else if (wasAsking) deny('link');
      else if (state.state === 'ending') finish();
      setSending(false);
    },
    microphoneLost() {
      const wasRunning = state.state !== 'idle' && state.state !== 'denied' && state.state !== 'revoked';
      if (!wasRunning) return;
      deny('microphone');
      letGo();
    },
    setTail(ms) {
      tailMs = Math.min(Math.max(ms, 0), 1000);
    },
    subscribe: notifier.subscribe,
  };
};
