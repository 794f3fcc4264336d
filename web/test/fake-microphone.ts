import type { MicrophoneAccess } from '#src/features/voice/engine/platform.ts';
import { asTrack, FakeTrack } from './fake-media-track.ts';

export interface FakeMicrophones extends MicrophoneAccess {
  isSecure: boolean;
  /** The available devices, the default first. */
  devices: string[];
  /** Name of the DOMException with which every open fails; null: none. */
  failure: string | null;
  /** True: opens stay pending, as with a permission prompt, until `answer`. */
  isAsking: boolean;
  /** Tracks are muted from the start, as while the system's switch is off. */
  isMuted: boolean;
  /** Every track opened so far, newest last. */
  readonly given: FakeTrack[];
  readonly asked: MediaTrackConstraints[];
  answer(): void;
  current(): FakeTrack;
  plug(...devices: string[]): void;
  /** Shows or hides the page. */
  show(isShown: boolean): void;
  permit(state: 'granted' | 'denied' | 'prompt'): void;
}

/** Fake microphones and permission, with controls for refusals and failures. */
export const createFakeMicrophones = (...devices: string[]): FakeMicrophones => {
  const changed = new Set<() => void>();
  const permitted = new Set<(state: 'granted' | 'denied' | 'prompt') => void>();
  const seen = new Set<() => void>();
  const waiting: (() => void)[] = [];
  let isShown = true;
  const fake: FakeMicrophones = {
    isSecure: true,
    devices: devices.length > 0 ? devices : ['built-in'],
    failure: null,
    isAsking: false,
    isMuted: false,
    given: [],
    asked: [],
    async open(constraints) {
      fake.asked.push(constraints);
      if (fake.isAsking) await new Promise<void>((resolve) => waiting.push(resolve));
      if (fake.failure !== null) throw new DOMException('refused by the fake', fake.failure);
      const { deviceId } = constraints;
      const wanted = typeof deviceId === 'object' && 'exact' in deviceId ? String(deviceId.exact) : fake.devices[0];
      if (wanted === undefined) throw new DOMException('none', 'NotFoundError');
      if (!fake.devices.includes(wanted)) throw new DOMException('not that one', 'OverconstrainedError');
      const track = new FakeTrack(wanted);
      track.muted = fake.isMuted;
      fake.given.push(track);
      return asTrack(track);
    },
    list: async () => fake.devices.map((name) => ({ deviceId: name, label: name })),
    onDevicesChanged(handler) {
      changed.add(handler);
      return () => changed.delete(handler);
    },
    onPermissionChanged(handler) {
      permitted.add(handler);
      return () => permitted.delete(handler);
    },
    isShown: () => isShown,
    onShown(handler) {
      seen.add(handler);
      return () => seen.delete(handler);
    },
    show(next) {
      isShown = next;
      if (next) for (const handler of [...seen]) handler();
    },
    answer() {
      for (const resolve of waiting.splice(0)) resolve();
    },
    current() {
      const track = fake.given.at(-1);
      if (track === undefined) throw new Error('no microphone was opened');
      return track;
    },
    plug(...now) {
      fake.devices = now;
      for (const handler of [...changed]) handler();
    },
    permit(state) {
      for (const handler of [...permitted]) handler(state);
    },
  };
  return fake;
};
