import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createFakeClock, type FakeClock, settle } from '#test/fake-clock.ts';
import { createOwnLevel, UNREAD_MS } from './levels.ts';
import { createPlayback } from './playback.ts';
import { createWebAudio, SLEEP_AFTER_MS, WAKE_PATIENCE_MS } from './web-audio.ts';

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

/** A WebAudio whose context is only made on first use. */
const openUnmade = ({ needsGesture = false } = {}) => {
  const context = new FakeContext(needsGesture);
  const make = vi.fn(() => context as unknown as AudioContext);
  return { context, make, webAudio: createWebAudio(make, clock) };
};

const open = async (options?: Parameters<typeof openUnmade>[0]) => {
  const opened = openUnmade(options);
  opened.webAudio.wake();
  await settle();
  return opened;
};

test('nothing is made before it is needed; a tone makes it and is heard', async () => {
  const { context, make, webAudio } = openUnmade();
  await clock.advance(SLEEP_AFTER_MS);
  expect(make).not.toHaveBeenCalled();
  expect(webAudio.isBlocked()).toBe(false);
  webAudio.play([{ hertz: 660, ms: 40, gain: 0.1 }]);
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
  const webAudio = createWebAudio(make, clock);
  webAudio.prepare();
  await settle();
  expect([contexts.tones?.state, contexts.levels?.state]).toEqual(['running', 'suspended']);
  webAudio.play([{ hertz: 660, ms: 40, gain: 0.1 }]);
  webAudio.meter({} as MediaStreamTrack);
  webAudio.prepare();
  await settle();
  expect(make).toHaveBeenCalledTimes(2);
  expect(contexts.levels?.state, 'in use').toBe('running');
});

test('[TALK141] no context is made until the output is open, which happens once; a talk waits for neither', async () => {
  const output = Promise.withResolvers<void>();
  const openOutput = vi.fn(() => output.promise);
  const make = vi.fn(() => new FakeContext(false) as unknown as AudioContext);
  const webAudio = createWebAudio(make, clock, openOutput);
  webAudio.prepare();
  webAudio.play([{ hertz: 660, ms: 40, gain: 0.1 }]);
  const meter = webAudio.meter({} as MediaStreamTrack);
  const closed = webAudio.meter({} as MediaStreamTrack);
  closed.close();
  await settle();
  expect(make).not.toHaveBeenCalled();
  expect([meter.read(), webAudio.isBlocked()]).toEqual([null, false]);
  output.resolve();
  webAudio.prepare();
  await settle();
  expect(make.mock.calls.flat().sort()).toEqual(['levels', 'tones']);
  expect(heard).toEqual([660]);
  expect([meter.read(), closed.read()]).toEqual([expect.objectContaining({ rms: expect.any(Number) }), null]);
  expect(openOutput).toHaveBeenCalledTimes(1);
});

test('a browser that holds it back is known of without anybody’s doing, and not before', async () => {
  const { webAudio } = openUnmade({ needsGesture: true });
  const told: boolean[] = [];
  webAudio.onStateChanged(() => told.push(webAudio.isBlocked()));
  webAudio.prepare();
  await clock.advance(WAKE_PATIENCE_MS - 1);
  expect(told).toEqual([]);
  await clock.advance(1);
  expect(told).toEqual([true]);
});

test.each([
  ['before it was made', false],
  ['while it is not known whether it is held back', true],
])('a gesture %s is taken', async (_, isMade) => {
  const { context, webAudio } = openUnmade({ needsGesture: true });
  if (isMade) webAudio.prepare();
  await settle();
  context.needsGesture = false;
  await webAudio.resume();
  await clock.advance(WAKE_PATIENCE_MS);
  expect(context.state).toBe('running');
  expect(webAudio.isBlocked()).toBe(false);
});

const asleep = async () => {
  const opened = await open();
  await clock.advance(SLEEP_AFTER_MS);
  expect(opened.context.state).toBe('suspended');
  return opened;
};

test('[TALK91] nothing to play or measure: it sleeps, and that is not being blocked', async () => {
  const { context, webAudio } = await open();
  const playback = createPlayback({
    clock,
    sound: webAudio,
    createSink: () => ({ play: async () => undefined, setVolume: () => undefined, close: () => undefined }),
  });
  const states: string[] = [];
  playback.subscribe(() => states.push(playback.state()));
  await clock.advance(SLEEP_AFTER_MS + WAKE_PATIENCE_MS);
  expect(context.state).toBe('suspended');
  expect(webAudio.isBlocked()).toBe(false);
  webAudio.wake();
  await clock.advance(SLEEP_AFTER_MS + WAKE_PATIENCE_MS);
  expect(context.state).toBe('suspended');
  expect(playback.state()).toBe('running');
  expect(states).toEqual([]);
});

test('[TALK91] a tone wakes it and is heard at once, whether it was woken before or not', async () => {
  const { context, webAudio } = await asleep();
  webAudio.play([{ hertz: 660, ms: 40, gain: 0.1 }]);
  await settle();
  expect(context.state).toBe('running');
  expect(heard).toEqual([660]);
  await clock.advance(SLEEP_AFTER_MS);
  expect(context.state).toBe('suspended');
  webAudio.wake();
  await settle();
  webAudio.play([{ hertz: 220, ms: 40, gain: 0.1 }]);
  expect(heard).toEqual([660, 220]);
});

test('[TALK91] each tone puts the sleep off', async () => {
  const { context, webAudio } = await open();
  await clock.advance(SLEEP_AFTER_MS - 1);
  webAudio.play([{ hertz: 660, ms: 40, gain: 0.1 }]);
  await clock.advance(SLEEP_AFTER_MS - 1);
  expect(context.state).toBe('running');
});

test('[TALK91] if it can’t be woken it is blocked, and the tone is never heard late', async () => {
  const { context, webAudio } = await asleep();
  const told: boolean[] = [];
  webAudio.onStateChanged(() => told.push(webAudio.isBlocked()));
  context.needsGesture = true;
  webAudio.play([{ hertz: 660, ms: 40, gain: 0.1 }]);
  await clock.advance(WAKE_PATIENCE_MS - 1);
  expect(told).toEqual([]);
  await clock.advance(1);
  expect(told).toEqual([true]);
  context.needsGesture = false;
  await webAudio.resume();
  await settle();
  expect(webAudio.isBlocked()).toBe(false);
  expect(heard).toEqual([]);
});

test('before a gesture it is blocked, and doesn’t count as asleep', async () => {
  const { context, webAudio } = await open({ needsGesture: true });
  await clock.advance(SLEEP_AFTER_MS);
  expect(webAudio.isBlocked()).toBe(true);
  webAudio.play([{ hertz: 660, ms: 40, gain: 0.1 }]);
  context.needsGesture = false;
  await webAudio.resume();
  expect(webAudio.isBlocked()).toBe(false);
  expect(heard).toEqual([]);
  await clock.advance(SLEEP_AFTER_MS);
  expect(context.state).toBe('suspended');
});

test('[TALK91] where a track is taken at its own rate alone, as in Firefox, the level is measured at that rate', async () => {
  const contexts: { use: string; context: FakeContext }[] = [];
  const webAudio = createWebAudio((use) => {
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
  const [first, second] = [webAudio.meter({} as MediaStreamTrack), webAudio.meter({} as MediaStreamTrack)];
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
  const webAudio = createWebAudio((use) => {
    const context = new FakeContext(false);
    contexts[use]?.push(context);
    return context as unknown as AudioContext;
  }, clock);
  webAudio.wake();
  const track = {} as MediaStreamTrack;
  const own = createOwnLevel(webAudio, { track: () => track }, clock);
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
  const webAudio = createWebAudio(() => {
    throw new DOMException('no device', 'NotSupportedError');
  }, clock);
  webAudio.wake();
  webAudio.play([{ hertz: 660, ms: 40, gain: 0.1 }]);
  await webAudio.resume();
  expect(webAudio.isBlocked()).toBe(false);
  expect(errors).toHaveLength(1);
  const own = createOwnLevel(webAudio, { track: () => ({}) as MediaStreamTrack }, clock);
  expect([own.level(), own.read()]).toEqual([0, null]);
  await clock.advance(10 * SLEEP_AFTER_MS);
  expect(clock.pending()).toBe(0);
});

test('a tone that fails is reported, and the next one plays', async () => {
  const errors: unknown[] = [];
  vi.spyOn(window, 'reportError').mockImplementation((error) => void errors.push(error));
  const { webAudio } = await open();
  const Working = OscillatorNode;
  vi.stubGlobal('OscillatorNode', function broken() {
    throw new DOMException('no memory', 'UnknownError');
  });
  webAudio.play([{ hertz: 660, ms: 40, gain: 0.1 }]);
  expect(errors).toHaveLength(1);
  vi.stubGlobal('OscillatorNode', Working);
  webAudio.play([{ hertz: 440, ms: 40, gain: 0.1 }]);
  expect(heard).toEqual([440]);
});

test('sound that the system takes away, as for a telephone call, asks for no touch and is woken by the next use', async () => {
  const { context, webAudio } = await open();
  context.become('interrupted');
  expect(webAudio.isBlocked()).toBe(false);
  context.become('suspended');
  expect(webAudio.isBlocked()).toBe(false);
  webAudio.play([{ hertz: 660, ms: 40, gain: 0.1 }]);
  await settle();
  expect([context.state, heard]).toEqual(['running', [660]]);
  context.become('interrupted');
  context.become('running');
  await clock.advance(SLEEP_AFTER_MS);
  expect(context.state, 'given back, it sleeps as ever').toBe('suspended');
  webAudio.wake();
  await settle();
  context.become('interrupted');
  context.needsGesture = true;
  webAudio.wake();
  await clock.advance(WAKE_PATIENCE_MS);
  expect(webAudio.isBlocked(), 'a touch is needed').toBe(true);
});

test('a context that stops for a moment while it moves to another device asks for no touch', async () => {
  const { context, webAudio } = await open();
  const told: boolean[] = [];
  webAudio.onStateChanged(() => told.push(webAudio.isBlocked()));
  context.become('suspended');
  context.become('running');
  webAudio.play([{ hertz: 660, ms: 40, gain: 0.1 }]);
  expect(heard).toEqual([660]);
  expect(told).not.toContain(true);
});

test('a microphone that is measured by no context has no level, and says that it is unknown', async () => {
  const webAudio = createWebAudio(() => new FakeContext(true) as unknown as AudioContext, clock);
  const own = createOwnLevel(webAudio, { track: () => ({}) as MediaStreamTrack }, clock);
  expect([own.level(), own.read()]).toEqual([0, null]);
});
