import type { BrowserContext, Page } from 'playwright';
import { AMPLITUDE, HIGH_HZ, LOW_HZ, ONSET_LEVEL, SAMPLE_RATE, type Voice } from './voice-signal.ts';

/** The sound that remote tracks let through since it was last taken: one recording a track, in order of arrival. */
export interface Recording {
  /** Empty if there was only silence: in a room of many that would be most of the data. */
  samples: Float32Array;
  /** Date.now() of the first sample, from the steadiest mapping of frames to time that the page saw. */
  startedAt: number;
  isEnded: boolean;
  /** The id of the track. */
  trackId: string;
}

interface RawRecording {
  base64: string;
  startedAt: number;
  isEnded: boolean;
  trackId: string;
}

interface MouthMark {
  now: number;
  said: number;
}

/** The handles that the init script leaves on the page for the harness. */
interface PageAudio {
  take(): Promise<RawRecording[]>;
  stopListening(): void;
  /** Date.now() at which the mouth said a frame, minus frame/48: add frame/48 to get a time. */
  mouthEpoch(): number | null;
  /** How much the mouth has said up to now, ms. The page's clock and that of the sound part where the machine is busy. */
  saidMs(): number;
  /** The times at which the mouth said its latest frames, both in ms. */
  mouthMarks: MouthMark[];
  /** Makes the mouth speak or be silent. @returns the frame from which on it does */
  setSounding(isSounding: boolean): Promise<number>;
  /** Every peer connection of the page, closed ones too. */
  connections: RTCPeerConnection[];
  /** The kinds of devices that the page asked for, in order. */
  asked: string[];
}

/**
 * Gives every page of a context a known voice as its microphone, and an ear at each remote track. The ear sits at the very track that the
 * page plays. So it hears what the page lets through, and nothing of what it holds back. It needs the autoplay flag of the launch options,
 * and in Chromium `bypassCSP` too: there the worklet comes from a data URL.
 */
export async function giveVoiceAndEar(context: BrowserContext, voice: Voice): Promise<void> {
  const isFirefox = context.browser()?.browserType().name() === 'firefox';
  if (isFirefox)
    await context.route(`**${WORKLET_PATH}`, (route) =>
      route.fulfill({ contentType: 'text/javascript', body: WORKLET }),
    );
  await context.addInitScript(installPageAudio, {
    voice,
    low: LOW_HZ,
    high: HIGH_HZ,
    amplitude: AMPLITUDE,
    rate: SAMPLE_RATE,
    module: isFirefox ? WORKLET_PATH : `data:text/javascript,${encodeURIComponent(WORKLET)}`,
    audible: ONSET_LEVEL / 2,
  });
}

/** Takes what the page heard since the last call. */
export async function takeHeard(page: Page): Promise<Recording[]> {
  const raw = await page.evaluate(() => (window as unknown as { pageAudio: PageAudio }).pageAudio.take());
  return raw.map(({ base64, ...of }) => {
    const bytes = Buffer.from(base64, 'base64');
    const integers = new Int16Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 2);
    return { samples: Float32Array.from(integers, (value) => value / 32_767), ...of };
  });
}

/** The ids of the voices' tracks that the page plays now. */
export const playedTracks = (page: Page): Promise<string[]> =>
  page.evaluate(() =>
    (window as unknown as { pageAudio: PageAudio }).pageAudio.connections
      .flatMap((connection) => connection.getReceivers())
      .flatMap(({ track }) =>
        track.kind === 'audio' && track.enabled && track.readyState === 'live' ? [track.id] : [],
      ),
  );

/** Takes the ears off: they cost work, which counts in a room of many. The next `takeHeard` puts them on again. */
export const stopListening = (page: Page): Promise<void> =>
  page.evaluate(() => (window as unknown as { pageAudio: PageAudio }).pageAudio.stopListening());

/** Time (Date.now()) of the mouth's frame 0; null while the page has no microphone. */
export const mouthEpoch = (page: Page): Promise<number | null> =>
  page.evaluate(() => (window as unknown as { pageAudio: PageAudio }).pageAudio.mouthEpoch());

/**
 * The same for a moment some hundred ms ago, for a browser whose audio clock drifts from the page's clock: the sound card that Firefox has
 * in memory runs nearly 3 % slow.
 */
export async function mouthEpochAt(page: Page, time: number): Promise<number> {
  const all = await page.evaluate(() => (window as unknown as { pageAudio: PageAudio }).pageAudio.mouthMarks);
  const marks = all.filter(({ now }) => Math.abs(now - time) < 1500);
  const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const middle = mean(marks.map(({ now }) => now));
  const rate =
    mean(marks.map(({ now, said }) => (now - middle) * said)) / mean(marks.map(({ now }) => (now - middle) ** 2));
  // Frames are made early or on time, never late, so the line goes along the top.
  const top = Math.max(...marks.map(({ now, said }) => said - rate * (now - time)));
  return time - top;
}

/** Makes the voice of a page's microphone sound or be silent. Returns the time (Date.now()) of the first such frame. */
export async function setSounding(page: Page, isSounding: boolean): Promise<number> {
  const frame = await page.evaluate(
    (wish) => (window as unknown as { pageAudio: PageAudio }).pageAudio.setSounding(wish),
    isSounding,
  );
  return ((await mouthEpoch(page)) ?? 0) + (frame / SAMPLE_RATE) * 1000;
}

/** The path of the module for Firefox, whose content policy stays on. */
const WORKLET_PATH = '/e2e-worklet.js';
/** The module of the voice and the ear, which don't run in the page's own thread. */
const WORKLET = `
  registerProcessor('mouth', class extends AudioWorkletProcessor {
    constructor({ processorOptions }) {
      super(); this.blocks = 0; this.isSounding = true; this.wish = null;
      const { low, high, amplitude, voice } = processorOptions;
      // Made once: a page in a room would otherwise spend a hundredth of a core on sines.
      this.second = Float32Array.from({ length: sampleRate }, (_, frame) => {
        const t = frame / sampleRate;
        const phase = voice === 'up' ? low * t + (high - low) * t * t / 2 : high * t - (high - low) * t * t / 2;
        return amplitude * Math.sin(2 * Math.PI * phase);
      });
      this.port.onmessage = ({ data }) => { this.wish = data; };
    }
    process(_inputs, [[out]]) {
      if (this.wish !== null) {
        this.isSounding = this.wish; this.wish = null;
        this.port.postMessage({ frame: currentFrame, now: Date.now(), isSwitch: true });
      }
      // The voice repeats each second, which is a whole number of blocks.
      const at = currentFrame % sampleRate;
      if (this.isSounding) out.set(this.second.subarray(at, at + out.length)); else out.fill(0);
      if (this.blocks++ % 20 === 0) this.port.postMessage({ frame: currentFrame, now: Date.now() });
      return true;
    }
  });
  registerProcessor('ear', class extends AudioWorkletProcessor {
    constructor() { super(); this.size = 0; this.block = new Float32Array(1024); this.first = 0; }
    process([input]) {
      const channel = input && input[0];
      if (this.size === 0) this.first = currentFrame;
      if (channel) this.block.set(channel, this.size); else this.block.fill(0, this.size, this.size + 128);
      this.size += 128;
      if (this.size === 1024) {
        this.port.postMessage({ frame: this.first, now: Date.now(), samples: this.block.slice() });
        this.size = 0;
      }
      return true;
    }
  });`;

/** Runs in the page. Must not refer to anything outside itself. */
function installPageAudio(options: {
  voice: string;
  low: number;
  high: number;
  amplitude: number;
  rate: number;
  /** Address of WORKLET. */
  module: string;
  /** Sound below this level counts as silence. */
  audible: number;
}): void {
  let context: Promise<AudioContext> | null = null;
  const audio = () => {
    context ??= (async () => {
      const made = new AudioContext({ sampleRate: options.rate, latencyHint: 'interactive' });
      await made.audioWorklet.addModule(options.module);
      await made.resume();
      return made;
    })();
    return context;
  };

  // The lower envelope of (now - frame time) tells when the frame was made, because messages only ever come late.
  let mouthTime: number | null = null;
  let saidMs = () => 0;
  const mouthMarks: MouthMark[] = [];
  let setSounding: PageAudio['setSounding'] = () => Promise.reject(new Error('No microphone was asked for'));
  let switched: (frame: number) => void = () => undefined;
  const speak = async (): Promise<MediaStream> => {
    const ready = await audio();
    saidMs = () => ready.currentTime * 1000;
    const mouth = new AudioWorkletNode(ready, 'mouth', {
      numberOfInputs: 0,
      outputChannelCount: [1],
      processorOptions: options,
    });
    setSounding = (isSounding) => {
      mouth.port.postMessage(isSounding);
      return new Promise((resolve) => {
        switched = resolve;
      });
    };
    mouth.port.onmessage = ({ data }: MessageEvent<{ frame: number; now: number; isSwitch?: true }>) => {
      if (data.isSwitch) switched(data.frame);
      const said = (data.frame / options.rate) * 1000;
      const epoch = data.now - said;
      mouthMarks.push({ now: data.now, said });
      if (mouthMarks.length > 100) mouthMarks.shift();
      mouthTime = mouthTime === null ? epoch : Math.min(mouthTime, epoch);
    };
    const microphone = ready.createMediaStreamDestination();
    microphone.channelCount = 1;
    // A node that leads nowhere audible is not rendered.
    const nowhere = new GainNode(ready, { gain: 0 });
    mouth.connect(microphone);
    mouth.connect(nowhere).connect(ready.destination);
    return microphone.stream;
  };
  const asked: string[] = [];
  if (navigator.mediaDevices) {
    const open = navigator.mediaDevices.getUserMedia.bind(navigator.mediaDevices);
    // Cameras are the browser's own fake ones.
    navigator.mediaDevices.getUserMedia = (constraints) => {
      asked.push(...Object.keys(constraints ?? {}));
      return constraints?.video === undefined ? speak() : open(constraints);
    };
  }

  interface Ear {
    blocks: Float32Array[];
    isSilent: boolean;
    frames: number;
    /** Upper envelope of (now - frame time): the latest moment at which the frame could be heard. */
    epoch: number;
    firstFrame: number;
    track: MediaStreamTrack;
    close(): void;
  }
  // Ears cost work. They are put on when the harness first asks for sound, then at once for each new track, and taken off on request.
  const tracks: MediaStreamTrack[] = [];
  let ears: Ear[] = [];
  let isListening = false;
  const listened = new Set<MediaStreamTrack>();
  const listen = async (track: MediaStreamTrack): Promise<void> => {
    if (listened.has(track)) return;
    listened.add(track);
    const ready = await audio();
    const node = new AudioWorkletNode(ready, 'ear', { numberOfInputs: 1, outputChannelCount: [1] });
    const source = ready.createMediaStreamSource(new MediaStream([track]));
    const ear: Ear = {
      blocks: [],
      isSilent: true,
      frames: 0,
      epoch: Number.NEGATIVE_INFINITY,
      firstFrame: 0,
      track,
      close() {
        source.disconnect();
        node.disconnect();
      },
    };
    ears.push(ear);
    node.port.onmessage = ({ data }: MessageEvent<{ frame: number; now: number; samples: Float32Array }>) => {
      if (ear.frames === 0) ear.firstFrame = data.frame;
      ear.blocks.push(data.samples);
      ear.isSilent &&= data.samples.every((value) => Math.abs(value) < options.audible);
      ear.frames += data.samples.length;
      const epoch = data.now - ((data.frame + data.samples.length) / options.rate) * 1000;
      ear.epoch = Math.max(ear.epoch, epoch);
    };
    source.connect(node);
    node.connect(new GainNode(ready, { gain: 0 })).connect(ready.destination);
  };
  const meet = (track: MediaStreamTrack): void => {
    if (track.kind !== 'audio' || tracks.includes(track)) return;
    tracks.push(track);
    if (isListening) void listen(track);
  };
  const connections: RTCPeerConnection[] = [];
  const Original = window.RTCPeerConnection;
  window.RTCPeerConnection = class extends Original {
    constructor(configuration?: RTCConfiguration) {
      super(configuration);
      connections.push(this);
      this.addEventListener('track', (event) => meet(event.track));
    }
    /** The offering side has the other's track before the other says anything. */
    override addTransceiver(...what: Parameters<RTCPeerConnection['addTransceiver']>): RTCRtpTransceiver {
      const transceiver = super.addTransceiver(...what);
      meet(transceiver.receiver.track);
      return transceiver;
    }
  };

  const encode = (ear: Ear): string => {
    if (ear.isSilent) return '';
    const integers = new Int16Array(ear.frames);
    let at = 0;
    for (const block of ear.blocks) {
      for (const value of block) {
        integers[at] = Math.max(-1, Math.min(1, value)) * 32_767;
        at += 1;
      }
    }
    const bytes = new Uint8Array(integers.buffer);
    let text = '';
    for (let from = 0; from < bytes.length; from += 0x8000) {
      text += String.fromCharCode(...bytes.subarray(from, from + 0x8000));
    }
    return btoa(text);
  };
  const pageAudio: PageAudio = {
    async take() {
      isListening = true;
      await Promise.all(tracks.filter((track) => track.readyState === 'live').map(listen));
      return ears.map((ear) => {
        const recording = {
          base64: encode(ear),
          startedAt: ear.epoch + (ear.firstFrame / options.rate) * 1000,
          isEnded: ear.track.readyState === 'ended',
          trackId: ear.track.id,
        };
        ear.blocks = [];
        ear.isSilent = true;
        ear.frames = 0;
        return recording;
      });
    },
    stopListening() {
      for (const ear of ears) ear.close();
      ears = [];
      isListening = false;
      listened.clear();
    },
    mouthEpoch: () => mouthTime,
    saidMs: () => saidMs(),
    mouthMarks,
    setSounding: (isSounding) => setSounding(isSounding),
    connections,
    asked,
  };
  Object.assign(window, { pageAudio });
}

/** Returns a function that unplugs the page's microphone and plugs it in. Call this before the page asks for one. */
export async function makeUnpluggable(page: Page): Promise<(isPlugged: boolean) => Promise<void>> {
  await page.evaluate(() => {
    const { mediaDevices } = navigator;
    const plugged = mediaDevices.getUserMedia;
    const state = { isPlugged: true, tracks: [] as MediaStreamTrack[] };
    mediaDevices.getUserMedia = async (constraints) => {
      if (!state.isPlugged) throw new DOMException('unplugged', 'NotFoundError');
      const stream = await plugged(constraints);
      state.tracks.push(...stream.getTracks());
      return stream;
    };
    const plug = (isPlugged: boolean) => {
      state.isPlugged = isPlugged;
      if (!isPlugged) {
        for (const track of state.tracks) {
          track.stop();
          track.dispatchEvent(new Event('ended'));
        }
      }
      mediaDevices.dispatchEvent(new Event('devicechange'));
    };
    Object.assign(window, { plug });
  });
  return (isPlugged) =>
    page.evaluate((is) => (window as unknown as { plug: (is: boolean) => void }).plug(is), isPlugged);
}
