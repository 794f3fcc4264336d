import type { Microphone } from './microphone.ts';
import type { SoundDesk } from './platform.ts';

/** The level of the own microphone, 0..1, also after a change of device. Cheap enough to read per frame. */
export const createOwnLevel = (desk: SoundDesk, microphone: Pick<Microphone, 'track' | 'subscribe'>) => {
  let measured: MediaStreamTrack | null = null;
  let meter: ReturnType<SoundDesk['meter']> | null = null;

  const follow = () => {
    const track = microphone.track();
    if (track === measured) return;
    meter?.close();
    measured = track;
    meter = track === null ? null : desk.meter(track);
  };
  const stop = microphone.subscribe(follow);
  follow();

  return {
    level: (): number => meter?.level() ?? 0,
    close() {
      stop();
      meter?.close();
      meter = null;
      measured = null;
    },
  };
};
