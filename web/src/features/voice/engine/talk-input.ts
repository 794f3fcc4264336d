import { browserClock } from './browser-deps.ts';
import type { Clock, Stop } from './platform.ts';
import { createTalkLatch, type Hold, type LatchedTalk } from './talk-holds.ts';
import type { RoomSession } from './types.ts';

type Talk = Pick<RoomSession, 'press' | 'release' | 'stop'>;

/** Ends talk on window blur, hidden tab, page unload and when a dialog opens. Returns the function that unbinds. */
export const bindPageGuards = (talk: Pick<RoomSession, 'stop'>, page: Window = window): Stop => {
  const stop = () => talk.stop();
  const onVisibility = () => {
    if (page.document.visibilityState === 'hidden') talk.stop();
  };
  // A dialog or menu takes the focus when it opens [TALK66].
  const onFocus = (event: Event) => {
    if (isOverlay(event.target)) talk.stop();
  };
  page.addEventListener('blur', stop);
  page.addEventListener('pagehide', stop);
  page.document.addEventListener('visibilitychange', onVisibility);
  page.document.addEventListener('focusin', onFocus);
  return () => {
    page.document.removeEventListener('focusin', onFocus);
    page.removeEventListener('blur', stop);
    page.removeEventListener('pagehide', stop);
    page.document.removeEventListener('visibilitychange', onVisibility);
    // Unbinding ends a running talk too, because nothing guards it any more [TALK67].
    talk.stop();
  };
};

export interface TalkKeyOptions {
  /** KeyboardEvent.code of the talk key; read at each event, because the user may change it. */
  code(): string;
  /** Whether the room's own page is shown. On others every control keeps its keys [TALK111]. */
  isOnItsPage?: () => boolean;
}

/**
 * Hold-to-talk by a key. A press is ignored while typing, in dialogs and menus, with modifiers, on key repeat, and where it is the
 * key of a control to which the keyboard led [KEYS12]. A release is never ignored, whatever has the focus and with or without modifiers [TALK63].
 */
export const bindTalkKey = (talk: Talk, options: TalkKeyOptions, page: Window = window): Stop => {
  const { isOnItsPage = () => true } = options;
  const moves = followMoves(page);
  /** Code of the key that is held and talks. Stored, because the talk key may be changed meanwhile. */
  let held: string | null = null;
  const hold = Symbol('talk key');

  const releaseKey = () => {
    if (held === null) return;
    held = null;
    talk.release(hold);
  };
  const forget = () => {
    held = null;
  };
  /** Whether the control that has the focus takes the key. */
  const isOfControl = (code: string, target: EventTarget | null): boolean => {
    if (isTextPlace(target)) return true;
    if (isInPanel(target)) return code === 'Space' && isControl(target);
    return isOnItsPage() ? moves.isByKeys() && doesSomething(code, target) : isControl(target);
  };
  const onDown = (event: Event) => {
    const { code, repeat, ctrlKey, altKey, metaKey } = event as KeyboardEvent;
    if (held !== null && code === held) {
      // Repeats of the held key must not scroll the page or click the focused element.
      event.preventDefault();
      return;
    }
    if (code !== options.code() || event.defaultPrevented) return;
    const isModifier = /^(Control|Alt|Meta)/.test(code);
    if (!isModifier && (ctrlKey || altKey || metaKey)) return;
    if (isOverlay(event.target)) return;
    if (isOfControl(code, event.target)) return;
    // Also for repeats: after a stop the key is still down, and releasing space on a button would click it.
    event.preventDefault();
    moves.forgetKey();
    if (repeat) return;
    held = code;
    talk.press(hold);
  };
  const onUp = (event: Event) => {
    const { code } = event as KeyboardEvent;
    if (held === null) return;
    // macOS sends no keyup while Command is down, so the state of the talk key is unknown afterwards.
    if (code.startsWith('Meta')) releaseKey();
    if (code !== held) return;
    // Space clicks a focused button on keyup, not on keydown.
    event.preventDefault();
    releaseKey();
  };

  // Capturing on the window, so that no handler further in can stop the event first.
  page.addEventListener('keydown', onDown, { capture: true });
  page.addEventListener('keyup', onUp, { capture: true });
  // A window without focus gets no keyup. The talk is ended by bindPageGuards then.
  page.addEventListener('blur', forget);
  return () => {
    page.removeEventListener('keydown', onDown, { capture: true });
    page.removeEventListener('keyup', onUp, { capture: true });
    page.removeEventListener('blur', forget);
    moves.stop();
    if (held !== null) talk.stop();
    held = null;
  };
};

/**
 * Tells whether the focus came where it is by the keyboard. The browsers' own answer is that to `:focus-visible`, but Chromium changes it
 * with any key that is pressed after a click, so that a second Space would press what the first one talked on. And neither of the two
 * changes it at a click on what has the focus already.
 */
const followMoves = (page: Window) => {
  let isKeyLast = false;
  let isFocusByKeys = false;
  let focused: EventTarget | null = null;
  let wasAway = false;
  const onKey = (event: Event) => {
    const { key } = event as KeyboardEvent;
    wasAway = false;
    if (key !== 'Control' && key !== 'Alt' && key !== 'Shift' && key !== 'Meta') isKeyLast = true;
  };
  const onPointer = () => {
    wasAway = false;
    isKeyLast = false;
    isFocusByKeys = false;
  };
  const onFocus = ({ target }: Event) => {
    // The window came back with the focus where it was.
    if (!wasAway || target !== focused) isFocusByKeys = isKeyLast;
    focused = target;
    wasAway = false;
  };
  const onAway = () => {
    wasAway = true;
  };
  page.addEventListener('keydown', onKey, { capture: true });
  page.addEventListener('pointerdown', onPointer, { capture: true });
  page.addEventListener('blur', onAway);
  page.document.addEventListener('focusin', onFocus);
  return {
    isByKeys: () => isFocusByKeys,
    /** Leaves the key that is pressed now out: it talks. */
    forgetKey: () => {
      isKeyLast = false;
    },
    stop: () => {
      page.removeEventListener('keydown', onKey, { capture: true });
      page.removeEventListener('pointerdown', onPointer, { capture: true });
      page.removeEventListener('blur', onAway);
      page.document.removeEventListener('focusin', onFocus);
    },
  };
};

/**
 * Hold-to-talk by mouse, touch or pen on an element: each pointer that is down there holds the talk [TALK119]. Returns the function that
 * unbinds and ends a talk that one of them holds.
 */
export const bindTalkButton = (talk: Talk, element: HTMLElement): Stop => {
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
  // It moves and no button is down: its pointerup was lost.
  const onMove = (event: PointerEvent) => {
    if (event.buttons === 0) onCut(event);
  };
  const prevent = (event: Event) => event.preventDefault();
  // A mouse would take the focus from a message that is being written; a finger doesn't [TALK57]. From anything else the
  // button may take it, as it does by the Tab key. Pointer events, which the talk goes by, come all the same.
  const onMouse = (event: MouseEvent) => {
    if (isTextPlace(element.ownerDocument.activeElement)) event.preventDefault();
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

/** Input types without text: the talk key works on them. */
const TEXTLESS = new Set(['button', 'checkbox', 'color', 'file', 'image', 'radio', 'range', 'reset', 'submit']);

/** True on whatever a key operates: text places, buttons, links, boxes to tick. The talk button is none of them. */
const isControl = (target: EventTarget | null): boolean =>
  isTextPlace(target) ||
  (target instanceof Element &&
    target.closest('[data-talk-button]') === null &&
    target.closest('button, a[href], input, summary, [role="button"], [role="checkbox"], [role="tab"]') !== null);

/** True in text fields, editable text and selects, where keys have their own meaning. */
const isTextPlace = (target: EventTarget | null): boolean => {
  if (!(target instanceof Element)) return false;
  const field = target.closest('input, textarea, select, [contenteditable], [role="textbox"], [role="combobox"]');
  if (field === null) return false;
  if (field instanceof HTMLInputElement) return !TEXTLESS.has(field.type);
  return field.getAttribute('contenteditable') !== 'false';
};

/** A dialog that leaves the page usable beside it, as that of a one-to-one call (RING14). */
const PANEL = '[role="dialog"][aria-modal="false"]';
const OVERLAYS = `dialog[open], [role="dialog"]:not(${PANEL}), [role="alertdialog"], [role="menu"], [role="listbox"]`;

/** True inside an open dialog or menu, where keys select and confirm. */
const isOverlay = (target: EventTarget | null): boolean =>
  target instanceof Element && target.closest(OVERLAYS) !== null;

const isInPanel = (target: EventTarget | null): boolean => target instanceof Element && target.closest(PANEL) !== null;

const PRESSED_BY_SPACE =
  'button, summary, input, [role="button"], [role="checkbox"], [role="switch"], [role="radio"], [role="tab"], [role="option"]';
const MOVED_BY_KEYS =
  'hr[tabindex], [role="slider"], [role="tab"], [role="radio"], input[type="radio"], input[type="range"], [data-message-list]';
const MOVES = new Set(['ArrowUp', 'ArrowDown', 'ArrowLeft', 'ArrowRight', 'PageUp', 'PageDown', 'Home', 'End']);

/** Whether a key does something to the control that has the focus, other than the talk button [KEYS12]. */
const doesSomething = (code: string, target: EventTarget | null): boolean => {
  if (!(target instanceof Element) || target.closest('[data-talk-button]') !== null) return false;
  const controls = code === 'Space' ? PRESSED_BY_SPACE : MOVES.has(code) ? MOVED_BY_KEYS : null;
  return controls !== null && target.closest(controls) !== null;
};

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
