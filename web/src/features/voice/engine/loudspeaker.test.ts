import { expect, test } from 'vitest';
import { settle } from '#test/fake-clock.ts';
import { createFakeOutputs } from '#test/fake-outputs.ts';
import { openRoom } from '#test/voice-bench.ts';
import { createLoudspeaker, followLoudspeaker } from './playback.ts';

/** A page that plays on the device chosen before, and the outputs that the browser was told to use. */
const open = async (chosenId = '', ...devices: string[]) => {
  const outputs = createFakeOutputs(...devices);
  const loudspeaker = outputs.loudspeaker(chosenId);
  const told: string[] = [];
  /** Devices that the browser doesn't play on. */
  const dead = new Set<string>();
  const output = {
    sinkId: '',
    async setSinkId(id: string) {
      told.push(id);
      if (dead.has(id)) throw new DOMException('no such device', 'NotFoundError');
      output.sinkId = id;
    },
  };
  const stop = followLoudspeaker(output, loudspeaker);
  await settle();
  return { outputs, loudspeaker, told, dead, output, stop };
};

test('[TALK124] what was chosen before is played on from the start, and the default one is left to the browser', async () => {
  const { output } = await open('headset', 'desk', 'headset');
  expect(output.sinkId).toBe('headset');
  const { told } = await open('', 'desk', 'headset');
  expect(told).toEqual([]);
});

test('[TALK124] another choice is followed at once by what plays already', async () => {
  const { loudspeaker, output, told, stop } = await open('', 'desk', 'headset');
  loudspeaker.choose('desk');
  expect(output.sinkId).toBe('desk');
  loudspeaker.choose('');
  expect(output.sinkId).toBe('');
  stop();
  loudspeaker.choose('headset');
  expect(told).toEqual(['desk', '']);
});

test('[TALK124] a device that vanishes is replaced by the default one, which is said, until it is back', async () => {
  const { outputs, loudspeaker, output } = await open('headset', 'desk', 'headset');
  outputs.plug('desk');
  await settle();
  expect(output.sinkId).toBe('');
  expect(loudspeaker.getSnapshot()).toMatchObject({ isGone: true, chosenId: 'headset' });
  outputs.plug('desk', 'headset');
  await settle();
  expect(output.sinkId).toBe('headset');
  expect(loudspeaker.getSnapshot().isGone).toBe(false);
});

test('[TALK124] a device that the browser lists and doesn’t play on is replaced too, and tried again when devices change', async () => {
  const { outputs, loudspeaker, output, dead, told } = await open('', 'desk', 'headset');
  dead.add('headset');
  loudspeaker.choose('headset');
  await settle();
  expect([output.sinkId, loudspeaker.getSnapshot().isGone]).toEqual(['', true]);
  expect(told).toEqual(['headset', '']);
  await settle();
  dead.clear();
  outputs.plug('headset');
  await settle();
  expect([output.sinkId, loudspeaker.getSnapshot().isGone]).toEqual(['headset', false]);
});

test('[TALK124] before a browser tells its devices nothing is said to be gone; with the microphone they are told, and it is used', async () => {
  const bench = createFakeOutputs();
  const loudspeaker = bench.loudspeaker('headset');
  const isHidden = () => bench.devices.length === 0;
  const output = {
    sinkId: '',
    async setSinkId(id: string) {
      if (id !== '' && isHidden()) throw new DOMException('not allowed yet', 'NotFoundError');
      output.sinkId = id;
    },
  };
  followLoudspeaker(output, loudspeaker);
  await settle();
  expect([output.sinkId, loudspeaker.getSnapshot().isGone]).toEqual(['', false]);
  bench.devices = ['desk', 'headset'];
  loudspeaker.look();
  await settle();
  expect(output.sinkId).toBe('headset');
});

test('[TALK124] with the microphone the chosen device is used at once, however late the list comes', async () => {
  const loudspeaker = createLoudspeaker(
    { canChoose: true, list: () => new Promise(() => undefined), onDevicesChanged: () => () => undefined, ask: null },
    'headset',
  );
  let isAllowed = false;
  const output = {
    sinkId: '',
    async setSinkId(id: string) {
      if (id !== '' && !isAllowed) throw new DOMException('not allowed yet', 'NotFoundError');
      output.sinkId = id;
    },
  };
  followLoudspeaker(output, loudspeaker);
  await settle();
  isAllowed = true;
  loudspeaker.look();
  await settle();
  expect(output.sinkId).toBe('headset');
});

test('[TALK124] a closed output that refuses says nothing of the device', async () => {
  const { loudspeaker, stop, dead } = await open('', 'desk', 'headset');
  dead.add('headset');
  loudspeaker.choose('headset');
  stop();
  await settle();
  expect(loudspeaker.getSnapshot().isGone).toBe(false);
});

test('[TALK124] the browser’s own question chooses, and leaves all as it was when it is dismissed', async () => {
  const outputs = createFakeOutputs();
  let answer: string | null = 'headset';
  const loudspeaker = createAsking(outputs, async () => answer);
  await loudspeaker.ask?.();
  expect(loudspeaker.getSnapshot().chosenId).toBe('headset');
  answer = null;
  await loudspeaker.ask?.();
  expect(loudspeaker.getSnapshot().chosenId).toBe('headset');
});

const createAsking = (outputs: ReturnType<typeof createFakeOutputs>, ask: () => Promise<string | null>) => {
  Object.assign(outputs, { ask });
  return outputs.loudspeaker();
};

test('a browser without a choice is never asked for its devices, and plays all the same', async () => {
  const outputs = createFakeOutputs('desk');
  outputs.canChoose = false;
  const loudspeaker = outputs.loudspeaker('desk');
  followLoudspeaker({}, loudspeaker);
  loudspeaker.look();
  await settle();
  expect(loudspeaker.getSnapshot()).toEqual({ chosenId: 'desk', choices: [], isGone: false });
});

test('a snapshot keeps its identity while nothing changes', async () => {
  const { outputs, loudspeaker } = await open('headset', 'desk', 'headset');
  const before = loudspeaker.getSnapshot();
  outputs.plug('desk', 'headset');
  await settle();
  expect(loudspeaker.getSnapshot()).toBe(before);
});

test('[TALK124] a room says that its loudspeaker is gone', async () => {
  const { room, outputs } = await openRoom();
  room.loudspeaker.choose('headset');
  expect(room.getSnapshot().isLoudspeakerGone).toBe(false);
  outputs.plug('desk');
  await settle();
  expect(room.getSnapshot().isLoudspeakerGone).toBe(true);
});
