import type { CameraAccess } from '#src/features/voice/engine/platform.ts';
import { asTrack, FakeTrack } from './fake-media-track.ts';
import { createFakeMicrophones, type FakeMicrophones } from './fake-microphone.ts';

export interface FakeCameras extends FakeMicrophones, Pick<CameraAccess, 'openScreen'> {
  /** Screens given so far, newest last. */
  readonly screens: FakeTrack[];
  /** Name of the DOMException with which sharing fails; null: none. */
  screenFailure: string | null;
}

/** Fake cameras, and a screen to share. */
export const createFakeCameras = (...devices: string[]): FakeCameras => {
  const screens: FakeTrack[] = [];
  const cameras: FakeCameras = Object.assign(createFakeMicrophones(...devices), {
    screens,
    screenFailure: null,
    async openScreen() {
      if (cameras.screenFailure !== null) throw new DOMException('refused by the fake', cameras.screenFailure);
      const track = new FakeTrack('screen', 'screen', 'video');
      screens.push(track);
      return asTrack(track);
    },
  });
  return cameras;
};
