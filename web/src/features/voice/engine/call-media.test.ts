import type { CallId } from '@pressel/contract/calls';
import { beforeEach, describe, expect, test } from 'vitest';
import { createFakeAudio, type FakeAudio } from '#test/fake-audio.ts';
import { createFakeCameras, type FakeCameras } from '#test/fake-cameras.ts';
import { createFakeClock, type FakeClock, settle } from '#test/fake-clock.ts';
import { createFakeMicrophones, type FakeMicrophones } from '#test/fake-microphone.ts';
import { createFakeOutputs, type FakeOutputs } from '#test/fake-outputs.ts';
import { createFakeNetwork, type FakeNetwork } from '#test/fake-peer-connection.ts';
import { createFakeSignalling, type FakeSignalling, ok, unavailable } from '#test/fake-signalling.ts';
import { NO_ICE, openRoom, roomStateOf } from '#test/voice-bench.ts';
import { type CallMedia, createCallMedia } from './call-media.ts';
import { MUTE_GRACE_MS } from './microphone.ts';
import { createVoiceEngine, type VoiceEngine } from './voice-engine.ts';

const callId = '01890000-0000-7000-8000-0000000000ff' as CallId;

interface Side {
  engine: VoiceEngine;
  audio: FakeAudio;
  media: CallMedia;
  signalling: FakeSignalling;
  microphones: FakeMicrophones;
  cameras: FakeCameras;
  outputs: FakeOutputs;
  isMicOpen(): boolean;
}

let clock: FakeClock;
let network: FakeNetwork;
let caller: Side;
let callee: Side;
beforeEach(async () => {
  clock = createFakeClock();
  network = createFakeNetwork();
  caller = side(true);
  callee = side(false);
  relay(caller, callee);
  relay(callee, caller);
  await settle();
});

function side(isCaller: boolean): Side {
  const signalling = createFakeSignalling();
  signalling.answer('ice_config', () => ok<'ice_config'>(NO_ICE));
  const microphones = createFakeMicrophones('built-in', 'headset');
  const cameras = createFakeCameras('front');
  const audio = createFakeAudio();
  const outputs = createFakeOutputs('desk', 'headset');
  let links = 0;
  const engine = createVoiceEngine({
    signalling,
    preferences: { tones: true },
    platform: {
      clock,
      randomId: () => {
        links += 1;
        return `link-${isCaller}-${links}`;
      },
      createPeerConnection: network.create,
      checkBy: null,
      microphone: microphones,
      createSink: audio.createSink,
      sound: audio.webAudio,
      loudspeaker: outputs.loudspeaker('headset'),
      canSetVolume: () => true,
    },
  });
  const media = createCallMedia({ callId, isCaller, engine: engine.devices, cameras, cameraId: '' });
  const isMicOpen = () => callTracks(microphones).some((track) => track.enabled && track.readyState === 'live');
  return { engine, media, signalling, microphones, audio, cameras, outputs, isMicOpen };
}

/** The call's tracks; the microphone's own tracks belong to the rooms. */
const callTracks = ({ given }: FakeMicrophones) => given.flatMap(({ copies }) => copies);

const relay = (from: Side, to: Side) =>
  from.signalling.answer('call_signal', (payload) => {
    to.signalling.emit('call_signal', payload as never);
    return ok<'call_signal'>({});
  });

const connect = async () => {
  for (const { media } of [caller, callee]) media.connect();
  await settle();
};

describe('[RING15] the microphone', () => {
  test('is asked for at once, and closed until the call was taken', async () => {
    expect(caller.media.getSnapshot().microphone.state).toBe('ready');
    expect([caller.isMicOpen(), callee.isMicOpen()]).toEqual([false, false]);
    expect(network.live()).toEqual([]);
    await connect();
    expect([caller.isMicOpen(), callee.isMicOpen()]).toEqual([true, true]);
  });

  test('is closed and opened at a touch, and stays closed when that was before the call was taken', async () => {
    caller.media.setMicrophoneOn(false);
    await connect();
    expect(caller.isMicOpen()).toBe(false);
    caller.media.setMicrophoneOn(true);
    expect(caller.isMicOpen()).toBe(true);
    caller.media.setMicrophoneOn(false);
    expect(caller.isMicOpen()).toBe(false);
  });

  test('is let go when the call ends', async () => {
    await connect();
    caller.media.close();
    caller.media.close();
    const { given } = caller.microphones;
    expect([...given, ...callTracks(caller.microphones)].map(({ readyState }) => readyState)).toEqual([
      'ended',
      'ended',
    ]);
    expect(caller.engine.isClosed()).toBe(true);
    caller.media.setMicrophoneOn(true);
    expect(caller.isMicOpen()).toBe(false);
  });
});

test('[RING7] both hear each other over one link, which the one who took the call offers', async () => {
  await connect();
  expect([caller, callee].map(({ media }) => media.getSnapshot().peer)).toEqual(['connected', 'connected']);
  expect(network.live()).toHaveLength(2);
  const offers = ({ signalling }: Side) =>
    signalling.sentOf('call_signal').filter(({ signal }) => signal.type === 'offer');
  expect([offers(caller).length, offers(callee).length]).toEqual([0, 1]);
});

test('[RING7] signals of another call are left alone', async () => {
  caller.media.connect();
  await settle();
  const another = '01890000-0000-7000-8000-0000000000ee' as CallId;
  caller.signalling.emit('call_signal', { callId: another, link: 'x', signal: { type: 'offer', sdp: 'v=0' } });
  await settle();
  expect(network.live()).toEqual([]);
});

test('[RING7] without ICE servers nothing connects: they are asked for again', async () => {
  caller.signalling.answer('ice_config', () => unavailable);
  await connect();
  expect(caller.isMicOpen()).toBe(false);
  caller.signalling.answer('ice_config', () => ok<'ice_config'>(NO_ICE));
  await clock.advance(1_000);
  expect(caller.media.getSnapshot().peer).toBe('connected');
});

describe('[RING16] pictures', () => {
  const seen = ({ media }: Side) => media.getSnapshot().theirs;

  test('are shown by nobody at first: no camera is asked for', async () => {
    await connect();
    expect([caller, callee].map(seen)).toEqual([null, null]);
    expect([...caller.cameras.asked, ...callee.cameras.asked]).toEqual([]);
  });

  test('of a camera that is turned on get to the other one, and end with it', async () => {
    await connect();
    caller.media.setCamera(true);
    await settle();
    await clock.advance(50);
    expect(seen(callee)).toMatchObject({ shows: 'camera', track: { kind: 'video' } });
    expect(network.live().flatMap((one) => one.receivesPicture()?.label ?? [])).toEqual(['front']);
    expect(seen(caller)).toBeNull();
    caller.media.setCamera(false);
    await settle();
    expect(seen(callee)).toBeNull();
    expect(caller.cameras.current().readyState).toBe('ended');
  });

  test('of a screen take the place of the camera, which comes back', async () => {
    await connect();
    callee.media.setCamera(true);
    await settle();
    await callee.media.shareScreen();
    await settle();
    expect(seen(caller)?.shows).toBe('screen');
    callee.media.stopSharing();
    await settle();
    await clock.advance(50);
    expect(seen(caller)?.shows).toBe('camera');
  });

  test('what the server could not take is told again', async () => {
    await connect();
    const pass = caller.signalling;
    pass.answer('call_signal', () => unavailable);
    caller.media.setCamera(true);
    await settle();
    expect(seen(callee)).toBeNull();
    relay(caller, callee);
    await clock.advance(1_000);
    expect(seen(callee)?.shows).toBe('camera');
  });

  test.each([true, false])(
    '[RING23] what was not heard is told again when the other one is back: camera on %s',
    async (isOn) => {
      await connect();
      caller.media.setCamera(!isOn);
      await settle();
      await clock.advance(50);
      expect(seen(callee)?.shows).toBe(isOn ? undefined : 'camera');
      // The server takes it, but the other one has no link.
      caller.signalling.answer('call_signal', () => ok<'call_signal'>({}));
      caller.media.setCamera(isOn);
      await settle();
      await clock.advance(1_000);
      expect(seen(callee)?.shows).toBe(isOn ? undefined : 'camera');
      relay(caller, callee);
      caller.media.tellAgain();
      await settle();
      expect(seen(callee)?.shows).toBe(isOn ? 'camera' : undefined);
    },
  );

  test('[RING23] nothing is told again before the call was taken, and after its end', async () => {
    caller.media.tellAgain();
    await connect();
    caller.media.close();
    caller.media.tellAgain();
    await settle();
    expect(caller.signalling.sentOf('call_signal').filter(({ signal }) => signal.type === 'video')).toEqual([]);
  });

  test('end with the call: camera and screen are let go', async () => {
    await connect();
    caller.media.setCamera(true);
    await settle();
    caller.media.close();
    expect(caller.cameras.current().readyState).toBe('ended');
  });
});

test('[TALK121] a microphone that something else mutes is said in a call, and its voice goes on when it is back', async () => {
  caller.media.connect();
  await settle();
  caller.microphones.current().mute();
  await clock.advance(MUTE_GRACE_MS);
  expect(caller.media.getSnapshot().microphone).toEqual({ state: 'unavailable', reason: 'muted' });
  caller.microphones.current().mute(false);
  expect(caller.media.getSnapshot().microphone.state).toBe('ready');
  expect(caller.isMicOpen()).toBe(true);
});

test('[TALK124] a call plays on the loudspeaker that was chosen, and says that it is gone', async () => {
  expect(caller.media.getSnapshot().isLoudspeakerGone).toBe(false);
  caller.outputs.plug('desk');
  await settle();
  expect(caller.media.getSnapshot().isLoudspeakerGone).toBe(true);
});

describe('[TALK142] [RING15] with a room at the same engine', () => {
  const enter = (side: Side) => {
    side.signalling.answer('join_room', () => ok<'join_room'>(roomStateOf()));
    side.signalling.answer('talks_since', () => ok<'talks_since'>({ talks: [] }));
    return side.engine.enter({
      room: 'Alpha',
      preferences: { tones: true, tailMs: 0, hearsOwnDevices: false, volumes: {}, roomVolume: 1 },
    });
  };
  /** The microphone's track for the rooms. */
  const roomTrack = (side: Side) => side.microphones.current();

  test('a room that is entered during a call opens no second microphone, and the call opens nothing in the room', async () => {
    await connect();
    const room = enter(caller);
    await settle();
    expect(room.getSnapshot()).toMatchObject({ status: { state: 'joined' }, microphone: { state: 'ready' } });
    expect(caller.microphones.asked).toHaveLength(1);
    expect([caller.isMicOpen(), roomTrack(caller).enabled]).toEqual([true, false]);
    room.press();
    await settle();
    expect(roomTrack(caller).enabled).toBe(true);
    room.release();
    caller.media.setMicrophoneOn(false);
    expect([caller.isMicOpen(), roomTrack(caller).enabled]).toEqual([false, false]);
  });

  test('of call and room the one that ends leaves the other its microphone and its voices', async () => {
    const room = enter(caller);
    await connect();
    expect(caller.audio.playing.size, 'the other one of the call').toBe(1);
    room.close();
    expect([caller.isMicOpen(), caller.audio.playing.size]).toEqual([true, 1]);
    const again = enter(caller);
    await settle();
    caller.media.close();
    expect(caller.audio.playing.size).toBe(0);
    expect(again.getSnapshot().microphone.state).toBe('ready');
    expect(roomTrack(caller).readyState).toBe('live');
    expect(callTracks(caller.microphones).every(({ readyState }) => readyState === 'ended')).toBe(true);
    again.close();
    expect(roomTrack(caller).readyState).toBe('ended');
  });

  test('another microphone that is chosen in the room is that of the call too, without a gap', async () => {
    const room = enter(caller);
    await connect();
    const [before] = callTracks(caller.microphones);
    await room.selectMicrophone('headset');
    await settle();
    expect(caller.media.getSnapshot().microphone).toMatchObject({ state: 'ready', label: 'headset' });
    const sent = network.live().map(({ transceivers }) => transceivers[0]?.sender.track?.label);
    expect(sent).toContain('headset');
    expect([before?.readyState, caller.isMicOpen()]).toEqual(['ended', true]);
    expect(roomTrack(caller).enabled).toBe(false);
  });

  test('a call asks once more for a microphone that the room could not open', async () => {
    const { engine, room, microphones } = await openRoom();
    microphones.permit('denied');
    expect(room.getSnapshot().microphone).toEqual({ state: 'unavailable', reason: 'refused' });
    const media = createCallMedia({
      callId,
      isCaller: true,
      engine: engine.devices,
      cameras: createFakeCameras(),
      cameraId: '',
    });
    await settle();
    expect(media.getSnapshot().microphone.state).toBe('ready');
    expect(microphones.asked).toHaveLength(2);
    media.close();
  });
});
