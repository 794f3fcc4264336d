import { browserClock } from './browser-deps.ts';
import { type HeldTalk, isTextField } from './page-talk.ts';
import type { Clock, Stop } from './platform.ts';
import { createTalkLatch, type Hold, type LatchedTalk } from './talk-holds.ts';

/**
 * Hold-to-talk by mouse, touch or pen on an element: each pointer that is down there holds the talk [TALK119]. Returns
 * the function that unbinds and ends a talk that one of them holds.
 */
export const bindTalkButton = (talk: HeldTalk, element: HTMLElement): Stop => {
  const held = new Map<number, Hold>();

  const onDown = (event: PointerEvent) => {
    if (event.button !== 0 || held.has(event.pointerId)) return;
    const hold = Symbol('pointer');
    held.set(event.pointerId, hold);
    // Pointer capture delivers the release here wherever the pointer is then [TALK60].
    try {
      element.setPointerCapture(event.pointerId);
    } catch {
      // The pointer was lifted already: its pointerup or pointercancel follows.
    }
    talk.press(hold);
  };
  const end = ({ pointerId }: PointerEvent, how: 'release' | 'stop') => {
    const hold = held.get(pointerId);
    if (hold === undefined) return;
    held.delete(pointerId);
    talk[how](hold);
  };
  const onUp = (event: PointerEvent) => end(event, 'release');
  const onCut = (event: PointerEvent) => end(event, 'stop');
  // The pointer moves and no button is down: its pointerup was lost.
  const onMove = (event: PointerEvent) => {
    if (event.buttons === 0) onCut(event);
  };
  const prevent = (event: Event) => event.preventDefault();
  // A mouse press would take the focus from a message that is being written; a finger doesn't [TALK57]. The button may
  // take the focus from anything else, as by the Tab key. The talk uses pointer events, which come all the same.
  const onMouse = (event: MouseEvent) => {
    if (isTextField(element.ownerDocument.activeElement)) event.preventDefault();
  };
  const onTouch = (event: TouchEvent) => {
    // Prevents text selection, call-out and zoom on a long touch in iOS.
    if (event.cancelable) event.preventDefault();
  };

  const { style } = element;
  const before = { touchAction: style.touchAction, userSelect: style.userSelect };
  style.touchAction = 'none';
  style.userSelect = 'none';
  style.setProperty('-webkit-user-select', 'none');
  style.setProperty('-webkit-touch-callout', 'none');
  element.addEventListener('pointerdown', onDown);
  element.addEventListener('pointerup', onUp);
  element.addEventListener('pointermove', onMove);
  element.addEventListener('pointercancel', onCut);
  element.addEventListener('lostpointercapture', onCut);
  element.addEventListener('contextmenu', prevent);
  element.addEventListener('dragstart', prevent);
  element.addEventListener('mousedown', onMouse);
  element.addEventListener('touchstart', onTouch, { passive: false });
  return () => {
    style.touchAction = before.touchAction;
    style.userSelect = before.userSelect;
    style.removeProperty('-webkit-user-select');
    style.removeProperty('-webkit-touch-callout');
    element.removeEventListener('pointerdown', onDown);
    element.removeEventListener('pointerup', onUp);
    element.removeEventListener('pointermove', onMove);
    element.removeEventListener('pointercancel', onCut);
    element.removeEventListener('lostpointercapture', onCut);
    element.removeEventListener('contextmenu', prevent);
    element.removeEventListener('dragstart', prevent);
    element.removeEventListener('mousedown', onMouse);
    element.removeEventListener('touchstart', onTouch);
    if (held.size > 0) talk.stop();
    held.clear();
  };
};

const KEYS = new Set(['Space', 'Enter', 'NumpadEnter']);

/**
 * Hold-to-talk by Space or Enter on the focused talk button, whatever the talk key is [TALK54]. A click without pointer
 * or key, as from assistive technology, toggles the talk [TALK55]. Returns the function that unbinds.
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
    // The talk key's event is already prevented: bindTalkKey handles it.
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
  // Prevented even after the talk was ended otherwise: Space would click at its keyup, and the click would talk.
  const onUpHere = (event: KeyboardEvent) => {
    if (KEYS.has(event.code)) event.preventDefault();
  };
  const forget = () => {
    held = null;
  };
  const onClick = (event: MouseEvent) => {
    // A pointer's click counts its presses; a program's click counts none.
    if (event.detail === 0) latch.toggle();
  };

  element.addEventListener('keydown', onDown);
  element.addEventListener('keyup', onUpHere);
  element.addEventListener('click', onClick);
  page.addEventListener('keyup', onUp, { capture: true });
  // A window without focus gets no keyup. Then bindPageGuards ends the talk.
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

/** Binds all ways to talk by a button, for a ref callback; null binds nothing. Returns the function that unbinds. */
export const bindWholeButton = (talk: LatchedTalk, element: HTMLElement | null): Stop | undefined => {
  if (element === null) return undefined;
  const stops = [bindTalkButton(talk, element), bindButtonActs(talk, element)];
  return () => {
    for (const stop of stops) stop();
  };
};
