import { expect, test } from 'vitest';
import { createFakeClock, settle } from '#test/fake-clock.ts';
import { createFakeMicrophones } from '#test/fake-microphone.ts';
import { createMicrophone, MICROPHONE_TIMEOUT_MS } from './microphone.ts';

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
  expect(access.given.map(({ enabled, readyState }) => `${enabled} ${readyState}`)).toEqual([
    'false ended',
    'true live',
  ]);
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

test('[TALK70] a permission that was withdrawn and is given back brings the microphone back', async () => {
  const { access, microphone } = await ready();
  access.permit('denied');
  expect(microphone.state()).toEqual({ state: 'unavailable', reason: 'refused' });
  expect(access.current().readyState).toBe('ended');
  access.permit('granted');
  await settle();
  expect(microphone.state().state).toBe('ready');
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
