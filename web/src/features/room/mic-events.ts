import type { Stop } from '#src/features/voice/engine/platform.ts';
import type { RoomSession } from '#src/features/voice/engine/room-types.ts';

/** The events that the page hosting a call view sends to its window (spec §4). */
const ON = 'micOn';
const OFF = 'micOff';

/** Whether the microphone is open in a talk state. */
const isOpenIn = (state: ReturnType<RoomSession['getSnapshot']>['talk']['state']) =>
  state === 'talking' || state === 'ending';

/**
 * Lets the window's `micOn` and `micOff` events press and release. Reports each change of the microphone, even one with
 * another cause, such as the talk's time limit.
 */
export function bindMicEvents(
  target: Pick<EventTarget, 'addEventListener' | 'removeEventListener'>,
  room: Pick<RoomSession, 'press' | 'release' | 'subscribe' | 'getSnapshot'>,
  report: (isOn: boolean) => void,
): Stop {
  let wasOpen = isOpenIn(room.getSnapshot().talk.state);
  const stop = room.subscribe(() => {
    const isOpen = isOpenIn(room.getSnapshot().talk.state);
    if (isOpen === wasOpen) return;
    wasOpen = isOpen;
    report(isOpen);
  });
  const press = () => room.press();
  // Also ends a talk that a key or pointer holds here: the host asked for a closed microphone.
  const release = () => room.release();
  target.addEventListener(ON, press);
  target.addEventListener(OFF, release);
  return () => {
    target.removeEventListener(ON, press);
    target.removeEventListener(OFF, release);
    stop();
  };
}
