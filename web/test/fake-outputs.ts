import type { Loudspeaker, OutputAccess } from '#src/features/voice/engine/platform.ts';
import { createLoudspeaker } from '#src/features/voice/engine/playback.ts';

export interface FakeOutputs extends OutputAccess {
  canChoose: boolean;
  /** The devices that the browser reports. */
  devices: string[];
  /** Replaces the available devices. */
  plug(...devices: string[]): void;
  /** Returns the loudspeaker of a page with these devices. */
  loudspeaker(chosenId?: string): Loudspeaker;
}

/** Fake output devices. Without any, the browser has only its default one. */
export const createFakeOutputs = (...devices: string[]): FakeOutputs => {
  const changed = new Set<() => void>();
  const fake: FakeOutputs = {
    canChoose: true,
    devices,
    ask: null,
    list: async () => fake.devices.map((name) => ({ deviceId: name, label: name })),
    onDevicesChanged(handler) {
      changed.add(handler);
      return () => changed.delete(handler);
    },
    plug(...now) {
      fake.devices = now;
      for (const handler of [...changed]) handler();
    },
    loudspeaker: (chosenId = '') => createLoudspeaker(fake, chosenId),
  };
  return fake;
};
