import { expect, test } from 'vitest';
import { createFakeClock, settle } from '#test/fake-clock.ts';
import { createFakeMicrophones } from '#test/fake-microphone.ts';
import {
  createMicrophone,
  MICROPHONE_TIMEOUT_MS,
  MUTE_GRACE_MS,
  REOPEN_AFTER_MS,
  REOPENINGS_MAX,
} from './microphone.ts';

const setUp = (...devices: string[]) => {
  const clock = createFakeClock();
  const access = createFakeMicrophones(...devices);
  const microphone = createMicrophone({ clock, microphone: access });
  return { clock, access, microphone };
};
const ready = async (...devices: string[]) => {
  const all = setUp(...devices);
  await all.microphone.start();
  await settle();
  return all;
};

test('[TALK40] is opened once, mono and with echo cancelling, and stays closed to the air until told', async () => {
  const { access, microphone } = await ready();
  expect(access.asked).toEqual([
    { echoCancellation: true, noiseSuppression: true, autoGainControl: true, channelCount: 1 },
  ]);
  expect(access.current().enabled).toBe(false);
  microphone.setOpen(true);
  expect(access.current().enabled).toBe(true);
  microphone.setOpen(false);
  expect(access.current().enabled).toBe(false);
  expect(access.asked).toHaveLength(1);
});

test.each([
  ['NotAllowedError', 'refused'],
  ['SecurityError', 'refused'],
  ['NotFoundError', 'missing'],
  ['NotReadableError', 'busy'],
  ['AbortError', 'busy'],
])('%s means: %s', async (failure, reason) => {
  const { access, microphone } = setUp();
  access.failure = failure;
  await microphone.start();
  expect(microphone.state()).toEqual({ state: 'unavailable', reason });
  access.failure = null;
  await microphone.start();
  expect(microphone.state()).toEqual({ state: 'ready', deviceId: 'built-in', label: 'built-in' });
});

test('an insecure page is told as such and nothing is asked for', async () => {
  const { access, microphone } = setUp();
  access.isSecure = false;
  await microphone.start();
  expect(microphone.state()).toEqual({ state: 'unavailable', reason: 'insecure' });
  expect(access.asked).toEqual([]);
});

test('a prompt that nobody answers is given up, and a late yes is taken up', async () => {
  const { clock, access, microphone } = setUp();
  access.isAsking = true;
  void microphone.start();
  await clock.advance(MICROPHONE_TIMEOUT_MS);
  expect(microphone.state()).toEqual({ state: 'unavailable', reason: 'refused' });
  access.answer();
  await settle();
  expect(microphone.state().state).toBe('ready');
});

test('of two requests under way the newest wins, and what the older one brings is let go', async () => {
  const { access, microphone } = setUp('built-in', 'headset');
  access.isAsking = true;
  void microphone.start();
  void microphone.select('headset');
  access.answer();
  await settle();
  expect(microphone.state()).toMatchObject({ state: 'ready', label: 'headset' });
  expect(access.given.map(({ label, readyState }) => `${label} ${readyState}`)).toEqual([
    'built-in ended',
    'headset live',
  ]);
});

test('another device takes over in the middle of a talk', async () => {
  const { access, microphone } = await ready('built-in', 'headset');
  microphone.setOpen(true);
  await microphone.select('headset');
  await settle();
  expect(access.given.map(({ enabled, readyState }) => `${enabled} ${readyState}`)).toEqual([
    'false ended',
    'true live',
  ]);
});

test('the device before goes on until every link sends the new one, and a release closes both at once', async () => {
  const { clock, access, microphone } = await ready('built-in', 'headset');
  const sent: (string | undefined)[] = [];
  const { promise: isSent, resolve } = Promise.withResolvers<void>();
  microphone.onTrack((track) => {
    sent.push(track?.label);
    return isSent;
  });
  microphone.setOpen(true);
  await microphone.select('headset');
  const states = () => access.given.map(({ enabled, readyState }) => `${enabled} ${readyState}`);
  expect(sent).toEqual(['headset']);
  expect(states()).toEqual(['true live', 'true live']);
  microphone.setOpen(false);
  expect(states()).toEqual(['false live', 'false live']);
  resolve();
  await settle();
  expect(states()).toEqual(['false ended', 'false live']);
  expect(clock.pending()).toBe(0);
});

test('a link that never sends the new device keeps the one before for a moment only', async () => {
  const { clock, access, microphone } = await ready('built-in', 'headset');
  microphone.onTrack(() => new Promise(() => undefined));
  await microphone.select('headset');
  expect(access.given[0]?.readyState).toBe('live');
  await clock.advance(2_000);
  expect(access.given[0]?.readyState).toBe('ended');
});

test('a device that cannot be opened leaves the one before in use', async () => {
  const { microphone } = await ready();
  await microphone.select('gone');
  expect(microphone.state()).toMatchObject({ state: 'ready', label: 'built-in' });
});

test('a remembered device that is gone is replaced by the default one', async () => {
  const { microphone } = setUp();
  await microphone.select('gone');
  await settle();
  expect(microphone.state()).toMatchObject({ state: 'ready', label: 'built-in' });
});

test('[TALK69] unplugged with nothing else there: unavailable, until one is plugged in', async () => {
  const { access, microphone } = await ready();
  access.devices = [];
  access.current().end();
  await settle();
  expect(microphone.state()).toEqual({ state: 'unavailable', reason: 'unplugged' });
  expect(microphone.track()).toBeNull();
  access.plug('headset');
  await settle();
  expect(microphone.state()).toMatchObject({ state: 'ready', label: 'headset' });
  expect(microphone.choices().map(({ label }) => label)).toEqual(['headset']);
});

test('[TALK140] the chosen device is used again as soon as it is back, also in the middle of a talk', async () => {
  const { access, microphone } = await ready('built-in', 'headset');
  await microphone.select('headset');
  microphone.setOpen(true);
  access.devices = ['built-in'];
  access.current().end();
  await settle();
  expect(microphone.state(), 'meanwhile another one').toMatchObject({ state: 'ready', label: 'built-in' });
  access.plug('built-in', 'headset');
  await settle();
  expect(microphone.state()).toMatchObject({ state: 'ready', label: 'headset' });
  expect(access.current().enabled).toBe(true);
  access.plug('built-in', 'headset', 'other');
  await settle();
  expect(access.asked, 'nothing is opened again').toHaveLength(5);
});

test('[TALK140] a device that ends and is there all the same is opened again, and not the default one', async () => {
  const { access, microphone } = await ready('built-in', 'headset');
  await microphone.select('headset');
  access.current().end();
  await settle();
  expect(microphone.state()).toMatchObject({ state: 'ready', label: 'headset' });
});

test('[TALK140] the chosen device is asked for after a permission that came late or was given back, and by the button', async () => {
  const { clock, access, microphone } = setUp('built-in', 'headset');
  access.isAsking = true;
  void microphone.select('headset');
  await clock.advance(MICROPHONE_TIMEOUT_MS);
  access.isAsking = false;
  access.permit('granted');
  await settle();
  expect(microphone.state()).toMatchObject({ state: 'ready', label: 'headset' });
  access.permit('denied');
  await microphone.start();
  expect(microphone.state()).toMatchObject({ state: 'ready', label: 'headset' });
});

test('[TALK140] a choice that can’t be opened is no choice', async () => {
  const { access, microphone } = await ready('built-in', 'headset');
  await microphone.select('headset');
  await microphone.select('gone');
  access.plug('built-in', 'headset', 'gone');
  await settle();
  expect(microphone.state()).toMatchObject({ state: 'ready', label: 'headset' });
});

test('[TALK70] a permission that was withdrawn and is given back brings the microphone back', async () => {
  const { access, microphone } = await ready();
  access.permit('denied');
  expect(microphone.state()).toEqual({ state: 'unavailable', reason: 'refused' });
  expect(access.current().readyState).toBe('ended');
  access.permit('granted');
  await settle();
  expect(microphone.state().state).toBe('ready');
});

const MUTED = { state: 'unavailable', reason: 'muted' };

test('[TALK121] a track that is muted by something else can’t be used while it lasts, and can at once when it is over', async () => {
  const { clock, access, microphone } = await ready();
  const told: string[] = [];
  microphone.subscribe(() => told.push(microphone.state().state));
  access.current().mute();
  await clock.advance(MUTE_GRACE_MS);
  expect(microphone.state()).toEqual(MUTED);
  expect(microphone.track(), 'it may come back').not.toBeNull();
  access.current().mute(false);
  expect(microphone.state()).toEqual({ state: 'ready', deviceId: 'built-in', label: 'built-in' });
  expect(told).toEqual(['unavailable', 'ready']);
  await clock.advance(10 * REOPEN_AFTER_MS);
  expect(access.given).toHaveLength(1);
});

test('[TALK121] a mute of less than a second is told to nobody', async () => {
  const { clock, access, microphone } = await ready();
  const told: string[] = [];
  for (let round = 0; round < 3; round += 1) {
    access.current().mute();
    microphone.subscribe(() => told.push(microphone.state().state));
    await clock.advance(MUTE_GRACE_MS - 1);
    expect(microphone.state().state).toBe('ready');
    access.current().mute(false);
    await clock.advance(MUTE_GRACE_MS);
  }
  expect(told.filter((state) => state !== 'ready')).toEqual([]);
});

test('[TALK121] muted from the start it is not ready, and becomes so when it delivers', async () => {
  const { clock, access, microphone } = setUp();
  access.isMuted = true;
  await microphone.start();
  expect(microphone.state()).toEqual({ state: 'starting' });
  await clock.advance(MUTE_GRACE_MS);
  expect(microphone.state()).toEqual(MUTED);
  access.current().mute(false);
  expect(microphone.state().state).toBe('ready');
});

test('[TALK121] a mute that lasts opens the same device anew, which may heal it', async () => {
  const { clock, access, microphone } = await ready('built-in', 'headset');
  await microphone.select('headset');
  await settle();
  access.current().mute();
  await clock.advance(MUTE_GRACE_MS + REOPEN_AFTER_MS);
  expect(access.given.map(({ label, readyState }) => `${label} ${readyState}`)).toEqual([
    'built-in ended',
    'headset ended',
    'headset live',
  ]);
  expect(microphone.state()).toMatchObject({ state: 'ready', label: 'headset' });
});

test('[TALK121] it is opened anew a few times only, in view of the user, and by the button without end', async () => {
  const { clock, access, microphone } = await ready();
  access.isMuted = true;
  access.show(false);
  access.current().mute();
  const told: unknown[] = [];
  await clock.advance(MUTE_GRACE_MS + REOPEN_AFTER_MS);
  microphone.subscribe(() => told.push(microphone.state()));
  expect(access.given, 'nobody could answer a prompt').toHaveLength(1);
  access.show(true);
  await settle();
  expect(access.given).toHaveLength(2);
  for (let press = 0; press < 10; press += 1) {
    microphone.revive();
    await settle();
    access.show(true);
    await clock.advance(REOPEN_AFTER_MS + MUTE_GRACE_MS);
  }
  expect(access.given).toHaveLength(1 + REOPENINGS_MAX);
  await microphone.start();
  expect(access.given).toHaveLength(2 + REOPENINGS_MAX);
  expect(
    told.filter((state) => JSON.stringify(state) !== JSON.stringify(MUTED)),
    'nothing flickers',
  ).toEqual([]);
  access.isMuted = false;
  access.current().mute(false);
  access.current().mute();
  await clock.advance(MUTE_GRACE_MS + REOPEN_AFTER_MS);
  expect(access.given, 'another mute has its own tries').toHaveLength(3 + REOPENINGS_MAX);
  expect(microphone.state().state).toBe('ready');
});

test('[TALK121] what can’t be opened anew leaves the muted one, which comes back by itself', async () => {
  const { clock, access, microphone } = await ready();
  access.current().mute();
  access.failure = 'NotReadableError';
  await clock.advance(MUTE_GRACE_MS + REOPEN_AFTER_MS);
  expect(microphone.state()).toEqual(MUTED);
  access.current().mute(false);
  expect(microphone.state().state).toBe('ready');
});

test('[TALK69] a muted microphone that is unplugged is unplugged', async () => {
  const { clock, access, microphone } = await ready();
  access.current().mute();
  await clock.advance(MUTE_GRACE_MS);
  access.devices = [];
  access.current().end();
  await clock.advance(REOPEN_AFTER_MS);
  expect(microphone.state()).toEqual({ state: 'unavailable', reason: 'unplugged' });
});

test('after close nothing is open, and what comes late is let go', async () => {
  const { access, microphone } = await ready();
  access.isAsking = true;
  void microphone.start();
  microphone.close();
  microphone.close();
  access.answer();
  await settle();
  microphone.setOpen(true);
  expect(access.given.map(({ readyState }) => readyState)).toEqual(['ended', 'ended']);
});
