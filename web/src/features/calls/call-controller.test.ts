import type { CallId } from '@pressel/contract/calls';
import type { UserId } from '@pressel/contract/ids';
import { RESUME_MS } from '@pressel/contract/limits';
import { beforeEach, describe, expect, test } from 'vitest';
import { createFakeClock, type FakeClock, settle } from '#test/fake-clock.ts';
import { createFakeSignalling, type FakeSignalling, ok, unavailable } from '#test/fake-signalling.ts';
import { type CallController, type CallParts, createCallController } from './call-controller.ts';

const ana = { id: '01890000-0000-7000-8000-00000000000a' as UserId, name: 'Ana' };
const bo = { id: '01890000-0000-7000-8000-00000000000b' as UserId, name: 'Bo' };
const callId = '01890000-0000-7000-8000-0000000000ff' as CallId;

let signalling: FakeSignalling;
let acts: string[];
let clock: FakeClock;
let controller: CallController;
let loadParts: () => Promise<CallParts>;
const parts: CallParts = {
  openVoice({ isCaller }) {
    acts.push(`open as ${isCaller ? 'caller' : 'callee'}`);
    let isConnected = false;
    return {
      getSnapshot: () => ({
        ...{ peer: 'connecting', playback: 'running', isLoudspeakerGone: false, theirs: null },
        microphone: { state: 'ready', deviceId: '', label: '' },
        video: { camera: { state: 'off' }, cameras: [], screen: 'off', own: null, pictures: new Map() },
      }),
      subscribe: () => () => undefined,
      connect() {
        if (!isConnected) acts.push('connect');
        isConnected = true;
      },
      setMicrophoneOn: (isOn) => void acts.push(isOn ? 'microphone on' : 'microphone off'),
      retryMicrophone: async () => undefined,
      setCamera: (isOn) => void acts.push(isOn ? 'camera on' : 'camera off'),
      shareScreen: async () => void acts.push('screen on'),
      stopSharing: () => void acts.push('screen off'),
      tellAgain: () => void acts.push('tell again'),
      unlockAudio: async () => undefined,
      close: () => void acts.push('close'),
    };
  },
  openRinger: () => ({
    sound: (sound) => void acts.push(`sound ${sound ?? 'none'}`),
    close: () => void acts.push('ringer closed'),
  }),
};
beforeEach(() => {
  acts = [];
  clock = createFakeClock();
  loadParts = async () => parts;
  signalling = createFakeSignalling();
  signalling.answer('call_start', () => ok<'call_start'>({ callId, name: 'Bo Test', over: null }));
  controller = createCallController({
    realtime: signalling,
    self: ana,
    loadParts: () => loadParts(),
    now: () => 5_000,
    after: clock.after,
  });
});

const phase = () => controller.getSnapshot().call.callState;
const ring = async () => {
  signalling.emit('call_ring', {
    callId,
    caller: { id: bo.id, display_name: 'Bo Test' },
    ringMs: 30_000,
    canWrite: true,
  });
  await settle();
};

describe('calling', () => {
  test('[RING13] it rings, is taken, and is hung up', async () => {
    controller.start(bo);
    expect(phase()).toBe('CALL_STARTING');
    await settle();
    expect(signalling.sentOf('call_start')).toEqual([{ userId: bo.id }]);
    expect(phase()).toBe('CALL_OUTGOING');
    expect(acts).toEqual(['sound outgoing', 'open as caller', 'microphone on']);
    signalling.emit('call_accepted', { callId });
    expect(controller.getSnapshot()).toMatchObject({ call: { isAccepted: true }, since: 5_000 });
    controller.setMicrophoneOn(false);
    controller.leave();
    expect(acts.slice(3)).toEqual(['sound none', 'connect', 'microphone off', 'close']);
    expect(signalling.sentOf('call_end')).toEqual([{ callId }]);
    expect(controller.getSnapshot()).toMatchObject({
      call: { callState: 'CALL_UNAVAILABLE' },
      voice: null,
      since: null,
    });
  });

  test('[RING13] given up before the server answered, it is ended as soon as it is known', async () => {
    controller.start(bo);
    controller.leave();
    await settle();
    expect(phase()).toBe('CALL_UNAVAILABLE');
    expect(signalling.sentOf('call_end')).toEqual([{ callId }]);
    expect(acts.filter((act) => act.startsWith('open'))).toEqual([]);
  });

  test.each([
    [() => ok<'call_start'>({ callId, name: 'Bo', over: 'offline' }), 'offline'],
    [() => ({ ok: false as const, code: 'in_a_call' as const, params: {} }), 'in_a_call'],
    [() => unavailable, 'failed'],
  ])('[RING13] what the server refuses is said: %#', async (answer, end) => {
    signalling.answer('call_start', answer);
    controller.start(bo);
    await settle();
    expect(controller.getSnapshot().call).toMatchObject({ callState: 'CALL_ENDED', end });
    controller.leave();
    expect(phase()).toBe('CALL_UNAVAILABLE');
    expect(signalling.sentOf('call_end')).toEqual([]);
  });

  test('[RING4] a call whose start was not answered is hung up when it is taken', async () => {
    signalling.answer('call_start', () => unavailable);
    controller.start(bo);
    await settle();
    signalling.emit('call_accepted', { callId });
    expect(phase()).toBe('CALL_ENDED');
    expect(signalling.sentOf('call_end')).toEqual([{ callId }]);
  });

  test('[RING13] a call that the code for it is missing for is ended', async () => {
    loadParts = () => Promise.reject(new Error('gone'));
    controller.start(bo);
    await settle();
    expect(controller.getSnapshot().call).toMatchObject({ callState: 'CALL_ENDED', end: 'failed' });
    expect(signalling.sentOf('call_end')).toEqual([{ callId }]);
  });
});

describe('being called', () => {
  test('[RING5] where the code for it is missing it rings no more, and goes on ringing elsewhere', async () => {
    loadParts = () => Promise.reject(new Error('gone'));
    await ring();
    expect(phase()).toBe('CALL_UNAVAILABLE');
    expect([signalling.sentOf('call_end'), signalling.sentOf('call_reject')]).toEqual([[], []]);
  });

  test('[RING8] a device where it only rang loses its link, and ends nothing: another one may have taken it', async () => {
    await ring();
    signalling.setLink('down');
    signalling.setLink('up');
    expect(signalling.sentOf('call_end')).toEqual([]);
  });

  test('[RING4] a call whose taking was not answered is hung up: nobody stays in one that is not shown', async () => {
    await ring();
    signalling.answer('call_accept', () => unavailable);
    controller.accept();
    await settle();
    expect(phase()).toBe('CALL_ENDED');
    expect(signalling.sentOf('call_end')).toEqual([{ callId }]);
  });

  test('[RING15] no microphone before it is taken, no voice before the server says so', async () => {
    await ring();
    expect(phase()).toBe('CALL_INCOMING');
    expect(acts).toEqual(['sound incoming']);
    controller.accept();
    expect(acts.slice(1)).toEqual(['sound none', 'open as callee', 'microphone on']);
    await settle();
    expect(acts.slice(4)).toEqual(['connect']);
    expect(signalling.sentOf('call_accept')).toEqual([{ callId }]);
    signalling.emit('call_over', { callId, reason: 'hung_up', rejection: null });
    expect(acts.slice(5)).toEqual(['sound over', 'close']);
  });

  test('[RING6] it is rejected with a reason or without', async () => {
    await ring();
    controller.reject('not_now');
    expect(phase()).toBe('CALL_UNAVAILABLE');
    await ring();
    controller.reject();
    expect(signalling.sentOf('call_reject')).toEqual([{ callId, rejection: 'not_now' }, { callId }]);
  });

  test('[RING5] taken at another device it is put away; taken too late it says so', async () => {
    await ring();
    signalling.emit('call_over', { callId, reason: 'elsewhere', rejection: null });
    expect(phase()).toBe('CALL_UNAVAILABLE');
    await ring();
    signalling.answer('call_accept', () => ({ ok: false, code: 'not_found', params: {} }));
    controller.accept();
    await settle();
    expect(controller.getSnapshot().call).toMatchObject({ callState: 'CALL_ENDED', end: 'cancelled' });
  });

  test('[RING9] missed calls are counted as the server says', () => {
    signalling.emit('missed_calls', { count: 3 });
    expect(controller.getSnapshot().missed).toBe(3);
  });
});

describe('a call that was taken, and the link to the server', () => {
  beforeEach(async () => {
    controller.start(bo);
    await settle();
    signalling.emit('call_accepted', { callId });
  });
  const end = () => controller.getSnapshot().call.end;

  test('[RING8] goes on without it, and over the next one, for as long as the server waits', async () => {
    for (const failed of [unavailable, { ok: false, code: 'too_many', params: {} }] as const) {
      signalling.setLink('down');
      await clock.advance(RESUME_MS - 1_001);
      expect(phase()).toBe('CALL_ACCEPTED');
      signalling.answer('call_resume', () => failed);
      signalling.setLink('up');
      await settle();
      signalling.answer('call_resume', () => ok<'call_resume'>({}));
      // The server couldn't do it at once, so the page asks again.
      await clock.advance(1_000);
    }
    await clock.advance(2 * RESUME_MS);
    expect(phase()).toBe('CALL_ACCEPTED');
    expect(acts, 'the voice is the same one').not.toContain('close');
    expect(signalling.sentOf('call_resume')).toEqual(Array(4).fill({ callId }));
    expect(signalling.sentOf('call_end')).toEqual([]);
  });

  test('[RING8] ends when the link stays away for longer, and the server hears it by the next one', async () => {
    signalling.setLink('down');
    await clock.advance(RESUME_MS / 2);
    // An attempt that fails doesn't begin the wait anew.
    signalling.setLink('down');
    await clock.advance(RESUME_MS / 2);
    expect([phase(), end(), acts.at(-1)]).toEqual(['CALL_ENDED', 'lost', 'close']);
    signalling.setLink('up');
    signalling.setLink('down');
    signalling.setLink('up');
    expect(signalling.sentOf('call_end')).toEqual([{ callId, isLost: true }]);
    expect(signalling.sentOf('call_resume')).toEqual([]);
  });

  test('[RING8] ends when the server says that it is over', async () => {
    signalling.setLink('down');
    signalling.answer('call_resume', () => ({ ok: false, code: 'not_found', params: {} }));
    signalling.setLink('up');
    await settle();
    expect([phase(), end(), clock.pending()]).toEqual(['CALL_ENDED', 'lost', 0]);
  });

  test('[RING22] ends as the server says that it did while the device was away', async () => {
    signalling.setLink('down');
    signalling.answer('call_resume', () => {
      signalling.emit('call_over', { callId, reason: 'hung_up', rejection: null });
      return { ok: false, code: 'not_found', params: {} };
    });
    signalling.setLink('up');
    await settle();
    expect([phase(), end(), clock.pending()]).toEqual(['CALL_ENDED', 'hung_up', 0]);
  });

  test('[RING23] tells again what is shown when either of the two is back, and in no other case', async () => {
    const told = () => acts.filter((act) => act === 'tell again').length;
    signalling.emit('call_resumed', { callId: ana.id as unknown as CallId });
    signalling.setLink('down');
    signalling.answer('call_resume', () => unavailable);
    signalling.setLink('up');
    await settle();
    expect(told()).toBe(0);
    signalling.answer('call_resume', () => ok<'call_resume'>({}));
    await clock.advance(1_000);
    expect(told(), 'the server let the call go on').toBe(1);
    signalling.emit('call_resumed', { callId });
    expect(told(), 'the other one is back').toBe(2);
  });

  test('[RING23] is hung up again when the other one goes on with it after its end', async () => {
    signalling.emit('call_over', { callId, reason: 'hung_up', rejection: null });
    signalling.emit('call_resumed', { callId });
    expect(signalling.sentOf('call_end'), 'while its end is shown').toEqual([{ callId }]);
    controller.leave();
    signalling.emit('call_resumed', { callId });
    expect(signalling.sentOf('call_end'), 'after that').toEqual([{ callId }, { callId }]);
    expect(acts).not.toContain('tell again');
  });

  test('[RING8] ends at once where the session is refused, and closes the microphone', async () => {
    signalling.setLink('refused');
    expect([phase(), end(), acts.at(-1)]).toEqual(['CALL_ENDED', 'lost', 'close']);
    signalling.setLink('up');
    expect(signalling.sentOf('call_end')).toEqual([{ callId, isLost: true }]);
  });

  test('[RING6] [RING8] is hung up although the server let it go on meanwhile', async () => {
    const answer = Promise.withResolvers<void>();
    signalling.answer('call_resume', async () => {
      await answer.promise;
      return ok<'call_resume'>({});
    });
    signalling.setLink('down');
    signalling.setLink('up');
    controller.leave();
    answer.resolve();
    await settle();
    expect(phase()).toBe('CALL_UNAVAILABLE');
    // The first one may have come before the server let the call go on.
    expect(signalling.sentOf('call_end')).toEqual([{ callId }, { callId }]);
  });

  test('[RING6] [RING8] is hung up once more by the next link if nobody answered', async () => {
    signalling.answer('call_end', () => unavailable);
    controller.leave();
    await settle();
    signalling.setLink('down');
    signalling.answer('call_end', () => ok<'call_end'>({}));
    signalling.setLink('up');
    expect(signalling.sentOf('call_end')).toEqual([{ callId }, { callId, isLost: true }]);
  });

  test('[RING6] [RING8] is hung up without it: the server hears it by the next one', async () => {
    signalling.setLink('down');
    controller.leave();
    expect([phase(), acts.at(-1), clock.pending()]).toEqual(['CALL_UNAVAILABLE', 'close', 0]);
    signalling.setLink('up');
    expect(signalling.sentOf('call_end')).toEqual([{ callId, isLost: true }]);
    expect(signalling.sentOf('call_resume')).toEqual([]);
  });
});

test('[RING15] closing it closes the microphone and the sounds, and hears nothing more', async () => {
  controller.start(bo);
  await settle();
  controller.close();
  controller.close();
  expect(acts.slice(-2)).toEqual(['close', 'ringer closed']);
  expect(signalling.listeners()).toBe(0);
});
