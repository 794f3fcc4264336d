import type { Microphone } from './microphone.ts';
import type { Clock, Meter, MeterReading, SoundDesk, Stop } from './platform.ts';

/** A meter that nobody read for this long is closed. Longer than the screen's pause between two readings. */
export const UNREAD_MS = 1_000;
/** Speech is far below full scale, so the level that is shown amplifies it by this factor. */
const LEVEL_GAIN = 4;

/** Reads the own microphone, also after a change of device. Measures only while it is read [TALK91]. */
export const createOwnLevel = (desk: Pick<SoundDesk, 'meter'>, microphone: Pick<Microphone, 'track'>, clock: Clock) => {
  let measured: MediaStreamTrack | null = null;
  let meter: Meter | null = null;
  let cancel: Stop = () => undefined;

  const close = () => {
    cancel();
    meter?.close();
    meter = null;
    measured = null;
  };

  const read = (): MeterReading | null => {
    const track = microphone.track();
    if (track !== measured) {
      close();
      measured = track;
      meter = track === null ? null : desk.meter(track);
    }
    cancel();
    cancel = clock.after(UNREAD_MS, close);
    return meter?.read() ?? null;
  };

  return {
    /** As it is shown, 0..1. */
    level: (): number => Math.min((read()?.rms ?? 0) * LEVEL_GAIN, 1),
    read,
    close,
  };
};
