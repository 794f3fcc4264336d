import { browserClock } from './browser-clock.ts';
import type { Clock, Stop } from './platform.ts';
import { createTalkLatch, type LatchedTalk } from './talk-latch.ts';

const KEYS = new Set(['Space', 'Enter', 'NumpadEnter']);

/**
 * Hold-to-talk by Space or Enter on the focused talk button, whatever the talk key is [TALK54], and a click that no
 * pointer or key made, as assistive technology does: it toggles [TALK55]. Returns the function that unbinds.
 */
export const bindButtonActs = (
  talk: LatchedTalk,
  element: HTMLElement,
  page: Window = window,
  clock: Clock = browserClock(),
): Stop => {
  const latch = createTalkLatch(talk, clock);
  let held: string | null = null;
  const hold = Symbol('key on the button');

  const onDown = (event: KeyboardEvent) => {
    // The talk key is prevented already: bindTalkKey holds it.
    if (event.defaultPrevented || !KEYS.has(event.code) || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    if (event.repeat || held !== null) return;
    held = event.code;
    talk.press(hold);
  };
  const onUp = (event: Event) => {
    const { code } = event as KeyboardEvent;
    // macOS sends no keyup while Command is down, so the state of the key is unknown afterwards.
    if (held === null || (code !== held && !code.startsWith('Meta'))) return;
    held = null;
    talk.release(hold);
  };
  // Also after the talk was ended otherwise: Space would click at its keyup, and the click would talk.
  const onUpHere = (event: KeyboardEvent) => {
    if (KEYS.has(event.code)) event.preventDefault();
  };
  const forget = () => {
    held = null;
  };
  const onClick = (event: MouseEvent) => {
    // A pointer's click counts its presses; that of a program counts none.
    if (event.detail === 0) latch.toggle();
  };

  element.addEventListener('keydown', onDown);
  element.addEventListener('keyup', onUpHere);
  element.addEventListener('click', onClick);
  page.addEventListener('keyup', onUp, { capture: true });
  // A window without focus gets no keyup. The talk is ended by bindPageGuards then.
  page.addEventListener('blur', forget);
  return () => {
    element.removeEventListener('keydown', onDown);
    element.removeEventListener('keyup', onUpHere);
    element.removeEventListener('click', onClick);
    page.removeEventListener('keyup', onUp, { capture: true });
    page.removeEventListener('blur', forget);
    latch.close();
    if (held !== null) talk.stop();
    held = null;
  };
};
