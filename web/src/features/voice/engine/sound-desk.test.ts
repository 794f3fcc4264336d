import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createFakeClock, type FakeClock, settle } from '#test/fake-clock.ts';
import { createOwnLevel, UNREAD_MS } from './levels.ts';
import { createPlayback } from './playback.ts';
import { createSoundDesk, SLEEP_AFTER_MS, WAKE_PATIENCE_MS } from './sound-desk.ts';

/**
 * Behaves like a browser's context: it runs unless the page needs a gesture first, and resume() is pending until then.
 */
class FakeContext extends EventTarget {
  state: AudioContextState = 'suspended';
  currentTime = 0;
  sampleRate = 8_000;
  needsGesture: boolean;
  resumes = 0;
  private waiting: (() => void)[] = [];
  constructor(needsGesture: boolean) {
    super();
    this.needsGesture = needsGesture;
    if (!needsGesture) this.become('running');
  }
  become(state: AudioContextState) {
    this.state = state;
    this.dispatchEvent(new Event('statechange'));
    if (state === 'running') for (const resolve of this.waiting.splice(0)) resolve();
  }
  async suspend() {
    this.become('suspended');
  }
  async resume() {
    this.resumes += 1;
    if (!this.needsGesture) this.become('running');
    else await new Promise<void>((resolve) => this.waiting.push(resolve));
  }
  async close() {
    this.become('closed');
  }
}

/** Frequencies of the notes played. */
let heard: number[];
/** Number of samples in one reading of each meter. */
let windows: number[];
let clock: FakeClock;

class FakeNode {
  gain = { setValueAtTime: () => undefined, linearRampToValueAtTime: () => undefined };
  connect = (next: unknown) => next;
  disconnect = () => undefined;
  start = () => undefined;
  stop = () => undefined;
}

beforeEach(() => {
  heard = [];
  windows = [];
  clock = createFakeClock();
  class FakeOscillator extends FakeNode {
    constructor(_: unknown, { frequency }: { frequency: number }) {
      super();
      heard.push(frequency);
    }
  }
  class FakeAnalyser extends FakeNode {
    fftSize: number;
    constructor(_: unknown, { fftSize }: { fftSize: number }) {
      super();
      this.fftSize = fftSize;
      windows.push(fftSize);
    }
    getFloatTimeDomainData = (samples: Float32Array) => samples.fill(0.1).fill(-0.1, samples.length / 2);
  }
  vi.stubGlobal('OscillatorNode', FakeOscillator);
  vi.stubGlobal('GainNode', FakeNode);
  vi.stubGlobal('AnalyserNode', FakeAnalyser);
  vi.stubGlobal('MediaStreamAudioSourceNode', FakeNode);
  vi.stubGlobal('MediaStream', class {});
});

afterEach(() => vi.unstubAllGlobals());

/** A desk whose context is only made on first use. */
const openUnmade = ({ needsGesture = false } = {}) => {
  const context = new FakeContext(needsGesture);
  const make = vi.fn(() => context as unknown as AudioContext);
  return { context, make, desk: createSoundDesk(make, clock) };
};

const open = async (options?: Parameters<typeof openUnmade>[0]) => {
  const opened = openUnmade(options);
  opened.desk.wake();
  await settle();
  return opened;
};

test('nothing is made before it is needed; a tone makes it and is heard', async () => {
  const { context, make, desk } = openUnmade();
  await clock.advance(SLEEP_AFTER_MS);
  expect(make).not.toHaveBeenCalled();
  expect(desk.isBlocked()).toBe(false);
  desk.play([{ hertz: 660, ms: 40, gain: 0.1 }]);
  await settle();
  expect(context.state).toBe('running');
  expect(heard).toEqual([660]);
  await clock.advance(SLEEP_AFTER_MS);
  expect(make).toHaveBeenCalledTimes(1);
});

test('[TALK141] all contexts are made together, asleep but for the one that tells whether the browser holds sound back', async () => {
  const contexts: Record<string, FakeContext> = {};
  const make = vi.fn((use: string) => {
    contexts[use] = new FakeContext(false);
    return contexts[use] as unknown as AudioContext;
  });
  const desk = createSoundDesk(make, clock);
  desk.prepare();
  await settle();
  expect([contexts.tones?.state, contexts.levels?.state]).toEqual(['running', 'suspended']);
  desk.play([{ hertz: 660, ms: 40, gain: 0.1 }]);
  desk.meter({} as MediaStreamTrack);
  desk.prepare();
  expect(make).toHaveBeenCalledTimes(2);
  expect(contexts.levels?.state, 'in use').toBe('running');
});

test('a browser that holds it back is known of without anybody’s doing, and not before', async () => {
  const { desk } = openUnmade({ needsGesture: true });
  const told: boolean[] = [];
  desk.onStateChanged(() => told.push(desk.isBlocked()));
  desk.prepare();
  await clock.advance(WAKE_PATIENCE_MS - 1);
  expect(told).toEqual([]);
  await clock.advance(1);
  expect(told).toEqual([true]);
});

test.each([
  ['before it was made', false],
  ['while it is not known whether it is held back', true],
])('a gesture %s is taken', async (_, isMade) => {
  const { context, desk } = openUnmade({ needsGesture: true });
  if (isMade) desk.prepare();
  context.needsGesture = false;
  await desk.resume();
  await clock.advance(WAKE_PATIENCE_MS);
  expect(context.state).toBe('running');
  expect(desk.isBlocked()).toBe(false);
});

const asleep = async () => {
  const opened = await open();
  await clock.advance(SLEEP_AFTER_MS);
  expect(opened.context.state).toBe('suspended');
  return opened;
};

test('[TALK91] nothing to play or measure: it sleeps, and that is not being blocked', async () => {
  const { context, desk } = await open();
  const playback = createPlayback({
    clock,
    sound: desk,
    createSink: () => ({ play: async () => undefined, setVolume: () => undefined, close: () => undefined }),
  });
  const states: string[] = [];
  playback.subscribe(() => states.push(playback.state()));
  await clock.advance(SLEEP_AFTER_MS + WAKE_PATIENCE_MS);
  expect(context.state).toBe('suspended');
  expect(desk.isBlocked()).toBe(false);
  desk.wake();
  await clock.advance(SLEEP_AFTER_MS + WAKE_PATIENCE_MS);
  expect(context.state).toBe('suspended');
  expect(playback.state()).toBe('running');
  expect(states).toEqual([]);
});

test('[TALK91] a tone wakes it and is heard at once, whether it was woken before or not', async () => {
  const { context, desk } = await asleep();
  desk.play([{ hertz: 660, ms: 40, gain: 0.1 }]);
  await settle();
  expect(context.state).toBe('running');
  expect(heard).toEqual([660]);
  await clock.advance(SLEEP_AFTER_MS);
  expect(context.state).toBe('suspended');
  desk.wake();
  await settle();
  desk.play([{ hertz: 220, ms: 40, gain: 0.1 }]);
  expect(heard).toEqual([660, 220]);
});

test('[TALK91] each tone puts the sleep off', async () => {
  const { context, desk } = await open();
  await clock.advance(SLEEP_AFTER_MS - 1);
  desk.play([{ hertz: 660, ms: 40, gain: 0.1 }]);
  await clock.advance(SLEEP_AFTER_MS - 1);
  expect(context.state).toBe('running');
});

test('[TALK91] if it can’t be woken it is blocked, and the tone is never heard late', async () => {
  const { context, desk } = await asleep();
  const told: boolean[] = [];
  desk.onStateChanged(() => told.push(desk.isBlocked()));
  context.needsGesture = true;
  desk.play([{ hertz: 660, ms: 40, gain: 0.1 }]);
  await clock.advance(WAKE_PATIENCE_MS - 1);
  expect(told).toEqual([]);
  await clock.advance(1);
  expect(told).toEqual([true]);
  context.needsGesture = false;
  await desk.resume();
  await settle();
  expect(desk.isBlocked()).toBe(false);
  expect(heard).toEqual([]);
});

test('before a gesture it is blocked, and doesn’t count as asleep', async () => {
  const { context, desk } = await open({ needsGesture: true });
  await clock.advance(SLEEP_AFTER_MS);
  expect(desk.isBlocked()).toBe(true);
  desk.play([{ hertz: 660, ms: 40, gain: 0.1 }]);
  context.needsGesture = false;
  await desk.resume();
  expect(desk.isBlocked()).toBe(false);
  expect(heard).toEqual([]);
  await clock.advance(SLEEP_AFTER_MS);
  expect(context.state).toBe('suspended');
});

test('[TALK91] where a track is taken at its own rate alone, as in Firefox, the level is measured at that rate', async () => {
  const contexts: { use: string; context: FakeContext }[] = [];
  const desk = createSoundDesk((use) => {
    const context = new FakeContext(false);
    context.state = 'suspended';
    if (use === 'levelsAsRecorded') context.sampleRate = 48_000;
    contexts.push({ use, context });
    return context as unknown as AudioContext;
  }, clock);
  class SourceAsRecorded extends FakeNode {
    constructor(context: AudioContext) {
      super();
      if (context.sampleRate !== 48_000) throw new DOMException('different sample-rate', 'NotSupportedError');
    }
  }
  vi.stubGlobal('MediaStreamAudioSourceNode', SourceAsRecorded);
  const [first, second] = [desk.meter({} as MediaStreamTrack), desk.meter({} as MediaStreamTrack)];
  await settle();
  expect(first.read()?.rms).toBeCloseTo(0.1);
  expect(second.read()?.rms).toBeCloseTo(0.1);
  expect(contexts.map(({ use, context }) => [use, context.state])).toEqual([
    ['levels', 'closed'],
    ['levelsAsRecorded', 'running'],
  ]);
  expect(windows).toEqual([8_192, 8_192]);
});

test('[TALK91] the own level is measured only while it is read, by a context of its own', async () => {
  const contexts: Record<string, FakeContext[]> = { tones: [], levels: [] };
  const desk = createSoundDesk((use) => {
    const context = new FakeContext(false);
    contexts[use]?.push(context);
    return context as unknown as AudioContext;
  }, clock);
  desk.wake();
  const track = {} as MediaStreamTrack;
  const own = createOwnLevel(desk, { track: () => track }, clock);
  await clock.advance(SLEEP_AFTER_MS);
  expect(contexts.levels).toEqual([]);
  for (const talk of [1, 2]) {
    for (let reading = 0; reading < 20; reading += 1) {
      expect(own.level()).toBeCloseTo(0.4);
      expect(windows.at(-1)).toBe(1_024);
      await clock.advance(UNREAD_MS - 1);
      expect(contexts.levels?.map(({ state }) => state)).toEqual(['running']);
    }
    expect(contexts.tones?.map(({ state }) => state)).toEqual(['suspended']);
    await clock.advance(UNREAD_MS);
    expect(contexts.levels?.map(({ state }) => state)).toEqual(['suspended']);
    expect(contexts.levels?.[0]?.resumes).toBe(talk);
  }
});

test('a context that can’t be made is reported, and neither presses nor rings nor the level stop at it', async () => {
  const errors: unknown[] = [];
  vi.spyOn(window, 'reportError').mockImplementation((error) => void errors.push(error));
  const desk = createSoundDesk(() => {
    throw new DOMException('no device', 'NotSupportedError');
  }, clock);
  desk.wake();
  desk.play([{ hertz: 660, ms: 40, gain: 0.1 }]);
  await desk.resume();
  expect(desk.isBlocked()).toBe(false);
  expect(errors).toHaveLength(1);
  const own = createOwnLevel(desk, { track: () => ({}) as MediaStreamTrack }, clock);
  expect([own.level(), own.read()]).toEqual([0, null]);
  await clock.advance(10 * SLEEP_AFTER_MS);
  expect(clock.pending()).toBe(0);
});

test('a tone that fails is reported, and the next one plays', async () => {
  const errors: unknown[] = [];
  vi.spyOn(window, 'reportError').mockImplementation((error) => void errors.push(error));
  const { desk } = await open();
  const Working = OscillatorNode;
  vi.stubGlobal('OscillatorNode', function broken() {
    throw new DOMException('no memory', 'UnknownError');
  });
  desk.play([{ hertz: 660, ms: 40, gain: 0.1 }]);
  expect(errors).toHaveLength(1);
  vi.stubGlobal('OscillatorNode', Working);
  desk.play([{ hertz: 440, ms: 40, gain: 0.1 }]);
  expect(heard).toEqual([440]);
});

test('sound that the system takes away, as for a telephone call, asks for no touch and is woken by the next use', async () => {
  const { context, desk } = await open();
  context.become('interrupted');
  expect(desk.isBlocked()).toBe(false);
  context.become('suspended');
  expect(desk.isBlocked()).toBe(false);
  desk.play([{ hertz: 660, ms: 40, gain: 0.1 }]);
  await settle();
  expect([context.state, heard]).toEqual(['running', [660]]);
  context.become('interrupted');
  context.become('running');
  await clock.advance(SLEEP_AFTER_MS);
  expect(context.state, 'given back, it sleeps as ever').toBe('suspended');
  desk.wake();
  await settle();
  context.become('interrupted');
  context.needsGesture = true;
  desk.wake();
  await clock.advance(WAKE_PATIENCE_MS);
  expect(desk.isBlocked(), 'a touch is needed').toBe(true);
});

test('a context that stops for a moment while it moves to another device asks for no touch', async () => {
  const { context, desk } = await open();
  const told: boolean[] = [];
  desk.onStateChanged(() => told.push(desk.isBlocked()));
  context.become('suspended');
  context.become('running');
  desk.play([{ hertz: 660, ms: 40, gain: 0.1 }]);
  expect(heard).toEqual([660]);
  expect(told).not.toContain(true);
});

test('a microphone that is measured by no context has no level, and says that it is unknown', async () => {
  const desk = createSoundDesk(() => new FakeContext(true) as unknown as AudioContext, clock);
  const own = createOwnLevel(desk, { track: () => ({}) as MediaStreamTrack }, clock);
  expect([own.level(), own.read()]).toEqual([0, null]);
});
