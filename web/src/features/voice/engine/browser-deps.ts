import { randomId } from '#src/shared/random-id.ts';
import { whenIdle } from '#src/shared/when-idle.ts';
import { openAudioOutput } from './audio-output.ts';
import type { CheckSignature, Clock, Loudspeaker, MicrophoneAccess, OutputAccess, Platform } from './platform.ts';
import { createLoudspeaker, followLoudspeaker, type Output } from './playback.ts';
import { createWebAudio } from './web-audio.ts';

const CONTEXTS = {
  // The lowest latency.
  tones: { latencyHint: 'interactive' },
  // Nobody hears this context: it takes few samples in long blocks, and no output device where the browser knows
  // `sinkId` (Chromium 110).
  levels: { latencyHint: 0.12, sampleRate: 8_000, sinkId: { type: 'none' } },
  levelsAsRecorded: { latencyHint: 'playback', sinkId: { type: 'none' } },
} as const;

/** The platform of each page's loudspeaker. */
const platforms = new WeakMap<Loudspeaker, Platform>();

/**
 * The engine's platform in a real browser; a page has one, like its loudspeaker. It opens no device and asks for no
 * permission by itself.
 */
export const browserDeps = (loudspeaker: Loudspeaker): Platform => {
  const platform = platforms.get(loudspeaker) ?? createPlatform(loudspeaker);
  platforms.set(loudspeaker, platform);
  return platform;
};

const createPlatform = (loudspeaker: Loudspeaker): Platform => ({
  clock: browserClock(),
  randomId,
  createPeerConnection: (configuration) => new RTCPeerConnection(configuration),
  checkBy: window.isSecureContext ? checkBy : null,
  microphone: browserMicrophone(loudspeaker),
  loudspeaker,
  canSetVolume: probeVolume(),
  createSink(track) {
    const element = document.createElement('audio');
    element.autoplay = true;
    element.srcObject = new MediaStream([track]);
    const unfollow = followLoudspeaker(element, loudspeaker);
    return {
      play: () => element.play(),
      setVolume(volume) {
        element.volume = volume;
      },
      close() {
        unfollow();
        element.pause();
        element.srcObject = null;
      },
    };
  },
  sound: createWebAudio(
    (use) => {
      const context = new AudioContext(CONTEXTS[use]);
      if (use === 'tones') followLoudspeaker(context as AudioContext & Output, loudspeaker);
      return context;
    },
    browserClock(),
    () => openAudioOutput(browserClock()),
  ),
});

/** The loudspeaker of a page in a real browser. */
export const browserLoudspeaker = (chosenId: string): Loudspeaker => createLoudspeaker(browserOutputs(), chosenId);

const browserOutputs = (): OutputAccess => {
  // Undefined on insecure pages, although its type does not say so.
  const devices: MediaDevices | undefined = navigator.mediaDevices;
  // Only Firefox asks which device; other browsers list them all once the microphone is allowed.
  const { selectAudioOutput } = (devices ?? {}) as { selectAudioOutput?: () => Promise<{ deviceId: string }> };
  return {
    canChoose: devices !== undefined && 'setSinkId' in HTMLMediaElement.prototype,
    async list() {
      const all = await listDevices(devices);
      const seen = new Set(['', 'default', 'communications']);
      return all.filter(({ kind, deviceId }) => {
        const isNew = kind === 'audiooutput' && !seen.has(deviceId);
        if (isNew) seen.add(deviceId);
        return isNew;
      });
    },
    onDevicesChanged(handler) {
      devices.addEventListener('devicechange', handler);
      return () => devices.removeEventListener('devicechange', handler);
    },
    ask:
      selectAudioOutput === undefined
        ? null
        : async () => {
            try {
              return (await selectAudioOutput.call(devices)).deviceId;
            } catch {
              // NotAllowedError: the question was dismissed.
              return null;
            }
          },
  };
};

let isSettled: Promise<void> | undefined;

/**
 * Lists the devices of all kinds, for the first time when the page has been there for a moment. Chromium starts a process for cameras at
 * the first question, while the page still has to be drawn, and nobody can see the list yet.
 */
const listDevices = async (devices: MediaDevices): Promise<MediaDeviceInfo[]> => {
  isSettled ??= new Promise((resolve) => void whenIdle(resolve));
  await isSettled;
  return devices.enumerateDevices();
};

/** iOS accepts a volume and resets it in the next task, so the answer is read later than the volume is set. */
const probeVolume = (): (() => boolean) => {
  const probe = document.createElement('audio');
  probe.volume = 0.5;
  return () => probe.volume === 0.5;
};

const browserMicrophone = (loudspeaker: Loudspeaker): MicrophoneAccess => {
  const devices = browserDevices('audio');
  return {
    ...devices,
    async open(constraints) {
      // Safari uses this to decide where voices come out, and whether they ignore the silent switch, before a
      // microphone is open.
      const { audioSession } = navigator as { audioSession?: { type: string } };
      if (audioSession !== undefined) audioSession.type = 'play-and-record';
      const track = await devices.open(constraints);
      // When browsers open the microphone, they also reveal the output devices.
      loudspeaker.look();
      return track;
    },
  };
};

const ECDSA = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };

const checkBy = (publicKey: string): CheckSignature => {
  const key = crypto.subtle.importKey('raw', fromBase64Url(publicKey), ECDSA, false, ['verify']).catch(() => null);
  return async (text, signature) => {
    const by = await key;
    if (by === null) return false;
    try {
      return await crypto.subtle.verify(ECDSA, by, fromBase64Url(signature), new TextEncoder().encode(text));
    } catch {
      return false;
    }
  };
};

/** @throws DOMException if it isn't base64url */
const fromBase64Url = (text: string) =>
  Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (letter) => letter.charCodeAt(0));

/** Access to the devices of one kind. */
export const browserDevices = (kind: 'audio' | 'video'): MicrophoneAccess => {
  // Undefined on insecure pages, although its type does not say so.
  const devices: MediaDevices | undefined = navigator.mediaDevices;
  return {
    isSecure: window.isSecureContext && devices !== undefined,
    async open(constraints) {
      const stream = await devices.getUserMedia({ [kind]: constraints });
      const [track] = stream.getTracks();
      if (track === undefined) throw new DOMException('no track', 'NotFoundError');
      return track;
    },
    async list() {
      if (devices === undefined) return [];
      const all = await listDevices(devices);
      // Skips the nameless device that browsers list before consent, and 'communications', an alias of the default.
      return all.filter(
        (device) => device.kind === `${kind}input` && device.deviceId !== '' && device.deviceId !== 'communications',
      );
    },
    onDevicesChanged(handler) {
      devices?.addEventListener('devicechange', handler);
      return () => devices?.removeEventListener('devicechange', handler);
    },
    isShown: () => document.visibilityState === 'visible',
    onShown(handler) {
      const onVisibility = () => {
        if (document.visibilityState === 'visible') handler();
      };
      document.addEventListener('visibilitychange', onVisibility);
      return () => document.removeEventListener('visibilitychange', onVisibility);
    },
    onPermissionChanged(handler) {
      let status: PermissionStatus | null = null;
      let isStopped = false;
      const tell = () => {
        if (status !== null) handler(status.state);
      };
      // Firefox before 132 and old Safari reject this permission name: there the track's 'ended' event has to suffice.
      const watch = async () => {
        try {
          const found = await navigator.permissions.query({ name: kind === 'audio' ? 'microphone' : 'camera' });
          if (isStopped) return;
          status = found;
          found.addEventListener('change', tell);
        } catch {
          status = null;
        }
      };
      void watch();
      return () => {
        isStopped = true;
        status?.removeEventListener('change', tell);
      };
    },
  };
};

/** The page's own clock. */
export const browserClock = (): Clock => ({
  now: () => performance.now(),
  wall: () => Date.now(),
  after(ms, run) {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
});
