import type { Stop } from './platform.ts';
import type { TalkState, VoiceRoom } from './types.ts';

type Talk = Pick<VoiceRoom, 'press' | 'release' | 'stop' | 'getSnapshot'>;

/** Whether the button is held down: from the press until the release, whatever its outcome. */
export const isHeld = ({ state }: TalkState): boolean => state !== 'idle' && state !== 'ending' && state !== 'unheard';

const KEYS = new Set(['Space', 'Enter', 'NumpadEnter']);

/**
 * Hold-to-talk by Space or Enter on the focused talk button, whatever the talk key is [TALK54], and a click that no
 * pointer or key made, as assistive technology does: it toggles [TALK55]. Returns the function that unbinds.
 */
export const bindButtonActs = (talk: Talk, element: HTMLElement, page: Window = window): Stop => {
  let held: string | null = null;
  let isLatched = false;

  const onDown = (event: KeyboardEvent) => {
    // The talk key is prevented already: bindTalkKey holds it.
    if (event.defaultPrevented || !KEYS.has(event.code) || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    if (event.repeat || held !== null) return;
    held = event.code;
    talk.press();
  };
  const onUp = (event: Event) => {
    const { code } = event as KeyboardEvent;
    // macOS sends no keyup while Command is down, so the state of the key is unknown afterwards.
    if (held === null || (code !== held && !code.startsWith('Meta'))) return;
    held = null;
    talk.release();
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
    if (event.detail !== 0) return;
    isLatched = !isHeld(talk.getSnapshot().talk);
    if (isLatched) talk.press();
    else talk.release();
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
    if (held !== null || isLatched) talk.stop();
    held = null;
    isLatched = false;
  };
};
