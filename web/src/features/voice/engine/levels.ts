import type { Microphone } from './microphone.ts';
import type { Clock, SoundDesk, Stop } from './platform.ts';

/** A meter that nobody read for this long is closed. Longer than the screen's pause between two readings. */
export const UNREAD_MS = 1_000;

/** The level of the own microphone, 0..1, also after a change of device. Measures only while it is read [TALK91]. */
export const createOwnLevel = (desk: SoundDesk, microphone: Pick<Microphone, 'track'>, clock: Clock) => {
  let measured: MediaStreamTrack | null = null;
  let meter: ReturnType<SoundDesk['meter']> | null = null;
  let cancel: Stop = () => undefined;

  const close = () => {
    cancel();
    meter?.close();
    meter = null;
    measured = null;
  };

  return {
    level(): number {
      const track = microphone.track();
      if (track !== measured) {
        close();
        measured = track;
        meter = track === null ? null : desk.meter(track);
      }
      cancel();
      cancel = clock.after(UNREAD_MS, close);
      return meter?.level() ?? 0;
    },
    close,
  };
};
