import type { Stop } from './engine/platform.ts';
import type { RoomSession } from './engine/types.ts';

/** What the page that hosts a call view sends to its window (spec §4). */
const ON = 'micOn';
const OFF = 'micOff';

/** On which the microphone is open. */
const isOpenIn = (state: ReturnType<RoomSession['getSnapshot']>['talk']['state']) =>
  state === 'talking' || state === 'ending';

/**
 * Lets the window's `micOn` and `micOff` press and release, and reports each change of the microphone: also one that had
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
  // Also of a talk that a hand holds here: who asks for a closed microphone gets it.
  const release = () => room.release();
  target.addEventListener(ON, press);
  target.addEventListener(OFF, release);
  return () => {
    target.removeEventListener(ON, press);
    target.removeEventListener(OFF, release);
    stop();
  };
}
