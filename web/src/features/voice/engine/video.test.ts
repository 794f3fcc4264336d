import type { ParticipantId } from '@pressel/contract/ids';
import type { VideoShown } from '@pressel/contract/presence';
import { expect, test } from 'vitest';
import { createFakeCameras, type FakeCameras } from '#test/fake-cameras.ts';
import { createFakeClock, settle } from '#test/fake-clock.ts';
import { asTrack, FakeTrack } from '#test/fake-media-track.ts';
import { createFakeSignalling, ok, unavailable } from '#test/fake-signalling.ts';
import { MICROPHONE_TIMEOUT_MS } from './microphone.ts';
import { createVideo, TELL_AGAIN_MS } from './video.ts';

interface Setting {
  isCameraOn?: boolean;
  devices?: string[];
  failure?: string;
  isAsking?: boolean;
  canShare?: boolean;
}

const setUp = async ({ isCameraOn = true, devices = ['front', 'back'], canShare = true, ...more }: Setting = {}) => {
  const clock = createFakeClock();
  const access: FakeCameras = Object.assign(createFakeCameras(...devices), more);
  if (!canShare) access.openScreen = null;
  const signalling = createFakeSignalling();
  const tell = (shown: VideoShown) => signalling.send('video_state', { video: shown });
  const video = createVideo({ clock, tell, access, isCameraOn, cameraId: '' });
  await settle();
  const told = () => signalling.sentOf('video_state').map((one) => one.video);
  return { clock, access, signalling, video, told, camera: () => video.getSnapshot().camera };
};

test('[VID11] the camera is opened on entering, as small as it may be', async () => {
  const { access, video } = await setUp();
  expect(access.asked).toEqual([{ width: { ideal: 240 }, height: { ideal: 240 }, frameRate: { ideal: 15, max: 30 } }]);
  expect(video.getSnapshot()).toMatchObject({
    camera: { state: 'on', deviceId: 'front' },
    cameras: [{ deviceId: 'front' }, { deviceId: 'back' }],
    own: { shows: 'camera' },
    screen: 'off',
  });
});

test('[TALK140] the chosen camera is used again as soon as it is back', async () => {
  const { access, camera, video } = await setUp();
  video.selectCamera('back');
  await settle();
  access.devices = ['front'];
  access.current().end();
  await settle();
  expect(camera()).toMatchObject({ state: 'on', deviceId: 'front' });
  access.plug('front', 'back');
  await settle();
  expect(camera()).toMatchObject({ state: 'on', deviceId: 'back' });
});

test('[VID11] who left it off is not asked for a camera', async () => {
  const { access, camera, video } = await setUp({ isCameraOn: false });
  access.permit('granted');
  access.plug('front');
  await settle();
  expect(access.asked).toEqual([]);
  expect(camera()).toEqual({ state: 'off' });
  expect(video.shown()).toBe('off');
});

test('[VID6] off is stopped at once, and on is a new one', async () => {
  const { access, video, camera } = await setUp();
  video.setCamera(false);
  expect(access.current().readyState).toBe('ended');
  expect(video.getSnapshot()).toMatchObject({ camera: { state: 'off' }, own: null });
  video.setCamera(true);
  expect(camera()).toEqual({ state: 'starting' });
  await settle();
  expect(camera()).toMatchObject({ state: 'on' });
  expect(access.given.map(({ readyState }) => readyState)).toEqual(['ended', 'live']);
});

test('[VID6] one that comes after it was turned off again is stopped', async () => {
  const { access, video, camera } = await setUp({ isAsking: true });
  expect(camera()).toEqual({ state: 'starting' });
  video.setCamera(false);
  access.answer();
  await settle();
  expect(access.current().readyState).toBe('ended');
  expect(video.getSnapshot()).toMatchObject({ camera: { state: 'off' }, own: null });
});

test.each([
  ['NotAllowedError', 'refused'],
  ['NotFoundError', 'missing'],
  ['NotReadableError', 'busy'],
])('[VID7] %s means: %s, and another attempt may succeed', async (failure, reason) => {
  const { access, video, camera } = await setUp({ failure });
  expect(camera()).toEqual({ state: 'unavailable', reason });
  expect(video.shown()).toBe('off');
  access.failure = null;
  video.setCamera(true);
  await settle();
  expect(camera()).toMatchObject({ state: 'on' });
});

test('[VID7] nobody answers the browser’s question: it is said, and a late yes is taken up', async () => {
  const { access, camera, clock } = await setUp({ isAsking: true });
  await clock.advance(MICROPHONE_TIMEOUT_MS);
  expect(camera()).toEqual({ state: 'unavailable', reason: 'refused' });
  access.answer();
  await settle();
  expect(camera()).toMatchObject({ state: 'on' });
});

test('[VID7] a refusal that is taken back by the browser’s settings needs no button', async () => {
  const { access, camera } = await setUp({ failure: 'NotAllowedError' });
  access.failure = null;
  access.permit('granted');
  await settle();
  expect(camera()).toMatchObject({ state: 'on' });
  access.permit('denied');
  expect(camera()).toEqual({ state: 'unavailable', reason: 'refused' });
  expect(access.current().readyState).toBe('ended');
});

test('[VID7] unplugged: any other is taken, else it is said, and one that is plugged in is taken up', async () => {
  const { access, video, camera } = await setUp();
  access.devices = ['back'];
  access.current().end();
  await settle();
  expect(camera()).toMatchObject({ state: 'on', deviceId: 'back' });
  access.devices = [];
  access.current().end();
  await settle();
  expect(video.getSnapshot()).toMatchObject({ camera: { state: 'unavailable', reason: 'unplugged' }, own: null });
  access.plug('front');
  await settle();
  expect(camera()).toMatchObject({ state: 'on', deviceId: 'front' });
});

test('[VID7] another device is chosen; one that fails leaves the picture as it is', async () => {
  const { access, video, camera } = await setUp();
  video.selectCamera('back');
  await settle();
  expect(camera()).toMatchObject({ state: 'on', deviceId: 'back' });
  expect(access.given.map(({ readyState }) => readyState)).toEqual(['ended', 'live']);
  access.failure = 'NotReadableError';
  video.selectCamera('front');
  await settle();
  expect(camera()).toMatchObject({ state: 'on', deviceId: 'back' });
});

test('[VID8] a screen stands for the camera, which is stopped meanwhile and comes back', async () => {
  const { access, video, told } = await setUp();
  video.entered('camera');
  await video.shareScreen();
  expect(video.getSnapshot()).toMatchObject({ screen: 'on', own: { shows: 'screen' }, camera: { state: 'off' } });
  expect(access.current().readyState).toBe('ended');
  video.stopSharing();
  await settle();
  expect(access.screens[0]?.readyState).toBe('ended');
  expect(video.getSnapshot()).toMatchObject({ screen: 'off', own: { shows: 'camera' }, camera: { state: 'on' } });
  await settle();
  expect(told().at(-1)).toBe('camera');
});

test('[VID8] sharing that ends by the browser’s own bar is over; a camera that was off stays off', async () => {
  const { access, video } = await setUp({ isCameraOn: false });
  await video.shareScreen();
  access.screens[0]?.end();
  await settle();
  expect(video.getSnapshot()).toMatchObject({ screen: 'off', own: null, camera: { state: 'off' } });
  expect(access.asked).toEqual([]);
});

test('[VID8] who changes their mind is told nothing; a failure is', async () => {
  const { access, video } = await setUp();
  access.screenFailure = 'NotAllowedError';
  await video.shareScreen();
  expect(video.getSnapshot()).toMatchObject({ screen: 'off', own: { shows: 'camera' } });
  access.screenFailure = 'NotReadableError';
  await video.shareScreen();
  expect(video.getSnapshot()).toMatchObject({ screen: 'failed', own: { shows: 'camera' } });
  const phone = await setUp({ canShare: false });
  await phone.video.shareScreen();
  expect(phone.video.getSnapshot().screen).toBe('unsupported');
});

test('[VID5] changes are told, the newest alone, one at a time', async () => {
  const { video, signalling, told } = await setUp();
  video.entered('camera');
  expect(told()).toEqual([]);
  let answer: (() => void) | undefined;
  signalling.answer('video_state', async () => {
    await new Promise<void>((resolve) => {
      answer = resolve;
    });
    return ok<'video_state'>({});
  });
  video.setCamera(false);
  await settle();
  video.setCamera(true);
  await settle();
  await video.shareScreen();
  expect(told()).toEqual(['off']);
  answer?.();
  await settle();
  expect(told()).toEqual(['off', 'screen']);
});

test('[VID5] what the server could not take is told again; outside of a room nothing is', async () => {
  const { video, signalling, told, clock } = await setUp();
  video.setCamera(false);
  await settle();
  expect(told()).toEqual([]);
  video.entered('camera');
  await settle();
  expect(told()).toEqual(['off']);
  signalling.answer('video_state', () => unavailable);
  video.setCamera(true);
  await settle();
  signalling.answer('video_state', () => ok<'video_state'>({}));
  await clock.advance(TELL_AGAIN_MS);
  expect(told()).toEqual(['off', 'camera', 'camera']);
  video.left();
  video.setCamera(false);
  await clock.advance(TELL_AGAIN_MS);
  expect(told()).toHaveLength(3);
  signalling.answer('video_state', () => ({ ok: false, code: 'forbidden', params: {} }));
  video.entered('camera');
  await clock.advance(10 * TELL_AGAIN_MS);
  expect(told()).toHaveLength(4);
});

test('links bring pictures and take them away; closing stops all devices', async () => {
  const { access, video, clock } = await setUp();
  const id = 'bob' as ParticipantId;
  const before = video.getSnapshot();
  expect(video.getSnapshot()).toBe(before);
  video.port.attach(id, asTrack(new FakeTrack('of bob', '', 'video')));
  expect([...video.getSnapshot().pictures.keys()]).toEqual([id]);
  video.port.detach(id);
  expect(video.getSnapshot().pictures.size).toBe(0);
  await video.shareScreen();
  video.close();
  await settle();
  expect([...access.given, ...access.screens].map(({ readyState }) => readyState)).toEqual(['ended', 'ended']);
  expect(clock.pending()).toBe(0);
});

test('a screen that is granted after the room was left is stopped', async () => {
  const { access, video } = await setUp();
  const sharing = video.shareScreen();
  video.close();
  await sharing;
  expect(access.screens.map(({ readyState }) => readyState)).toEqual(['ended']);
});
