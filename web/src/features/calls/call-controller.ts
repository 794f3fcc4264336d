import type { CallId, Rejection } from '@pressel/contract/calls';
import type { ErrorCode } from '@pressel/contract/errors';
import type { UserId } from '@pressel/contract/ids';
import { RESUME_MS } from '@pressel/contract/limits';
import type { CallMedia, CallMediaSnapshot } from '#src/features/voice/engine/call-media.ts';
import type { Ringer, RingSound } from '#src/features/voice/engine/web-audio.ts';
import { createListeners } from '#src/shared/listeners.ts';
import type { Realtime } from '#src/shared/realtime/realtime.ts';
import type { SnapshotSource } from '#src/shared/use-snapshot.ts';
import { type CallState, type CallStateInput, isFree, NO_CALL, nextCall, type Somebody } from './call-state.ts';

/** Code that only calls need; the first call loads it. */
export interface CallParts {
  openVoice(options: { callId: CallId; isCaller: boolean }): CallMedia;
  openRinger(): Ringer;
}

export interface CallControllerSnapshot {
  call: CallState;
  /** Null while nobody may be heard. */
  voice: CallMediaSnapshot | null;
  /** When the call was taken: a performance.now() reading, ms; null before that. */
  since: number | null;
  /** Number of missed calls that the user has not seen. */
  missed: number;
}

/** The one-to-one calls of a signed-in user on this device: one at a time. */
export interface CallController extends SnapshotSource<CallControllerSnapshot> {
  readonly selfId: UserId;
  start(callee: Somebody & { readonly id: UserId }): void;
  accept(): void;
  reject(rejection?: Rejection): void;
  /** Hangs up, gives up, or puts away a call that is over. */
  leave(): void;
  setMicrophoneOn(isOn: boolean): void;
  retryMicrophone(): void;
  setCamera(isOn: boolean): void;
  /** Needs a user gesture. */
  shareScreen(): void;
  stopSharing(): void;
  unlockAudio(): void;
  close(): void;
}

export interface CallControllerDeps {
  realtime: Pick<Realtime, 'send' | 'on' | 'onLink'>;
  self: Somebody & { readonly id: UserId };
  loadParts: () => Promise<CallParts>;
  /** ms, as performance.now(). */
  now: () => number;
  /** Runs once after so many ms; returns the function that cancels it. */
  after: (ms: number, run: () => void) => () => void;
}

/** The wait before a call that the server can't go on with at the moment is asked for again, ms. */
const RETRY_MS = 1_000;

export function createCallController({ realtime, self, loadParts, now, after }: CallControllerDeps): CallController {
  const listeners = createListeners();
  let call = NO_CALL;
  let voice: CallMedia | null = null;
  let stopVoice: () => void = () => undefined;
  let ringer: Ringer | null = null;
  let parts: CallParts | null = null;
  let isLoading = false;
  let isClosed = false;
  let since: number | null = null;
  let missed = 0;
  let isUp = false;
  /** The call that was lost with the link; null once the server was told. */
  let lost: CallId | null = null;
  /** Stops the end of a call whose link stays away; null while it needs none. */
  let cancelEnd: (() => void) | null = null;
  let cancelRetry: () => void = () => undefined;
  let sounding: RingSound | null = null;
  let snapshot: CallControllerSnapshot = { call, voice: null, since, missed };

  const tell = () => {
    snapshot = { call, voice: voice?.getSnapshot() ?? null, since, missed };
    listeners.notify();
  };

  const closeVoice = () => {
    stopVoice();
    voice?.close();
    voice = null;
  };

  const openVoice = (from: CallParts, callId: CallId) => {
    voice = from.openVoice({ callId, isCaller: call.callerId === self.id });
    voice.setMicrophoneOn(call.isMicrophoneOn);
    stopVoice = voice.subscribe(tell);
  };

  /** Starts and stops ringer and voices to match the call's state. */
  const follow = () => {
    if (isClosed) return;
    if (parts === null) {
      if (call.callState !== 'CALL_UNAVAILABLE') void load();
      return;
    }
    const wanted = soundOf(call);
    if (wanted !== sounding) {
      sounding = wanted;
      ringer ??= parts.openRinger();
      ringer.sound(wanted);
    }
    const isTalk = call.callState === 'CALL_OUTGOING' || call.callState === 'CALL_ACCEPTED';
    if (!isTalk) closeVoice();
    else if (voice === null && call.room !== null) openVoice(parts, call.room);
    if (call.isAccepted) voice?.connect();
  };

  const load = async () => {
    if (isLoading) return;
    isLoading = true;
    try {
      parts = await loadParts();
    } catch {
      // An upgrade removed the call's code. Without it there is no voice, so there is no call here.
      const { room, callState } = call;
      if (room !== null) {
        // A call that rings goes on ringing at the user's other devices, which may have the code.
        if (callState !== 'CALL_INCOMING') void hangUp(room);
        step({ type: 'over', callId: room, reason: 'failed', rejection: null });
      }
    } finally {
      isLoading = false;
    }
    if (parts !== null) follow();
    tell();
  };

  const stopWaiting = () => {
    cancelEnd?.();
    cancelEnd = null;
    cancelRetry();
  };

  /** @returns whether it changed something */
  const step = (input: CallStateInput): boolean => {
    const before = call;
    call = nextCall(before, input);
    if (call === before) return false;
    since = call.isAccepted ? (since ?? now()) : null;
    if (!call.isAccepted) stopWaiting();
    follow();
    tell();
    return true;
  };

  /** Goes on with a call over the next link, at whichever process (RING8). */
  const resume = async (callId: CallId): Promise<void> => {
    const answer = await realtime.send('call_resume', { callId });
    const goesOn = !isClosed && call.room === callId && call.isAccepted;
    // Its user hung up meanwhile.
    if (answer.ok && !goesOn) return void hangUp(callId);
    if (answer.ok) {
      stopWaiting();
      return voice?.tellAgain();
    }
    if (!goesOn) return;
    if (answer.code !== 'unavailable' && answer.code !== 'too_many') endLost(callId);
    else if (isUp) cancelRetry = after(RETRY_MS, () => void resume(callId));
  };

  /** Tells the server that a call is over here; by the next link, if it hears nothing of it now. */
  const hangUp = async (callId: CallId, isLost = false): Promise<void> => {
    const answer = await realtime.send('call_end', { callId, ...(isLost && { isLost }) });
    if (!answer.ok && answer.code === 'unavailable') lost = callId;
  };

  const endLost = (callId: CallId) => step({ type: 'over', callId, reason: 'lost', rejection: null });

  const stops = [
    realtime.on('call_ring', ({ callId, caller, canWrite }) => {
      step({ type: 'ring', callId, self, caller: { id: caller.id, name: caller.display_name }, canWrite });
    }),
    realtime.on('call_accepted', ({ callId }) => {
      // The answer to this call's start came too late to be known here: the other one isn't left alone in it.
      if (!step({ type: 'accepted', callId }) && call.room !== callId) void hangUp(callId);
    }),
    realtime.on('call_over', (over) => void step({ type: 'over', ...over })),
    realtime.on('call_resumed', ({ callId }) => {
      if (call.room === callId && !isFree(call)) voice?.tellAgain();
      // It is over here, and the server could not store that: the other one isn't left alone in it.
      else void hangUp(callId);
    }),
    realtime.on('missed_calls', ({ count }) => {
      missed = count;
      tell();
    }),
    // The voices of a call that was taken need no server. A client that comes back is rung again if the call still rings.
    realtime.onLink((link) => {
      isUp = link === 'up';
      cancelRetry();
      const { room, callState, isAccepted } = call;
      const goesOn = room !== null && isAccepted && link !== 'refused';
      if (isUp) {
        // The server may not have noticed yet, and would think that we are in that call.
        if (lost !== null) void hangUp(lost, true);
        lost = null;
        if (goesOn) void resume(room);
      } else if (goesOn) {
        cancelEnd ??= after(RESUME_MS, () => {
          lost = room;
          endLost(room);
        });
        // A call that only rang here may go on at another device, even one of the same session.
      } else if (step({ type: 'link_lost' }) && callState !== 'CALL_INCOMING') lost = room;
    }),
  ];

  return {
    selfId: self.id,
    getSnapshot: () => snapshot,
    subscribe: listeners.add,
    start(callee) {
      if (!step({ type: 'start', self, callee })) return;
      const mine = call;
      void realtime.send('call_start', { userId: callee.id }).then((answer) => {
        if (!answer.ok) {
          if (call === mine) step({ type: 'refused', end: endOf(answer.code) });
          return;
        }
        const { callId, name, over } = answer.data;
        if (over !== null) {
          if (call === mine) step({ type: 'refused', end: over });
        } else if (call === mine && !isClosed) step({ type: 'started', callId, name });
        // The user gave up before the server answered.
        else void hangUp(callId);
      });
    },
    accept() {
      const { room } = call;
      if (room === null || !step({ type: 'take' })) return;
      void realtime.send('call_accept', { callId: room }).then((answer) => {
        if (answer.ok) {
          step({ type: 'accepted', callId: room });
          return;
        }
        // The call may have been taken and the answer lost, unless it is known to belong to somebody else.
        if (answer.code !== 'not_found') void hangUp(room);
        step({ type: 'over', callId: room, reason: 'cancelled', rejection: null });
      });
    },
    reject(rejection) {
      const { room, callState } = call;
      if (room === null || callState !== 'CALL_INCOMING') return;
      void realtime.send('call_reject', { callId: room, ...(rejection === undefined ? {} : { rejection }) });
      step({ type: 'leave' });
    },
    leave() {
      const { room, callState, isAccepted } = call;
      step({ type: 'leave' });
      // The server hears it by the next link.
      if (isAccepted && !isUp) lost = room;
      else if (room !== null && callState !== 'CALL_ENDED') void hangUp(room);
    },
    setMicrophoneOn(isOn) {
      // The microphone comes first: closing it waits for nothing.
      voice?.setMicrophoneOn(isOn);
      step({ type: 'microphone', isOn });
    },
    retryMicrophone: () => void voice?.retryMicrophone(),
    setCamera: (isOn) => voice?.setCamera(isOn),
    shareScreen: () => void voice?.shareScreen(),
    stopSharing: () => voice?.stopSharing(),
    unlockAudio: () => void voice?.unlockAudio(),
    close() {
      if (isClosed) return;
      isClosed = true;
      for (const stop of stops) stop();
      stopWaiting();
      closeVoice();
      ringer?.close();
    },
  };
}

function soundOf({ callState }: CallState): RingSound | null {
  switch (callState) {
    case 'CALL_INCOMING':
      return 'incoming';
    case 'CALL_STARTING':
    case 'CALL_OUTGOING':
      return 'outgoing';
    case 'CALL_ENDED':
      return 'over';
    default:
      return null;
  }
}

const endOf = (code: ErrorCode) => (code === 'in_a_call' ? ('in_a_call' as const) : ('failed' as const));
