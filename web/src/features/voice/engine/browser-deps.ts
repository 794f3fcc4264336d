import { randomId } from '#src/shared/random-id.ts';
import { createAudioDesk } from './audio-desk.ts';
import { browserClock } from './browser-clock.ts';
import type { CheckSignature, MicrophoneAccess, Platform } from './platform.ts';

const CONTEXTS = {
  // The lowest latency.
  tones: { latencyHint: 'interactive' },
  // Nothing of it is heard: few samples in long blocks, and no output device where the browser knows `sinkId` (Chromium 110).
  levels: { latencyHint: 0.12, sampleRate: 8_000, sinkId: { type: 'none' } },
  levelsAsRecorded: { latencyHint: 'playback', sinkId: { type: 'none' } },
} as const;

/** The engine's platform in a real browser. Opens no device and asks for no permission by itself. */
export const browserDeps = (): Platform => ({
  clock: browserClock(),
  randomId,
  createPeerConnection: (configuration) => new RTCPeerConnection(configuration),
  checkBy: window.isSecureContext ? checkBy : null,
  microphone: browserDevices('audio'),
  createSink(track) {
    const element = document.createElement('audio');
    element.autoplay = true;
    element.srcObject = new MediaStream([track]);
    return {
      play: () => element.play(),
      setVolume(volume) {
        element.volume = volume;
      },
      close() {
        element.pause();
        element.srcObject = null;
      },
    };
  },
  createDesk: () => createAudioDesk((use) => new AudioContext(CONTEXTS[use]), browserClock()),
});

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

/** The devices of one kind. */
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
      const all = await devices.enumerateDevices();
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
