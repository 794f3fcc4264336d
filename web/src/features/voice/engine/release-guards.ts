import type { Stop } from './platform.ts';
import type { VoiceRoom } from './types.ts';

type Talk = Pick<VoiceRoom, 'press' | 'release' | 'stop'>;

/** Ends talk when the page loses the user: focus gone, tab hidden, page left. Returns the way to undo it. */
export const bindPageGuards = (talk: Pick<VoiceRoom, 'stop'>, page: Window = window): Stop => {
  const stop = () => talk.stop();
  const onVisibility = () => {
    if (page.document.visibilityState === 'hidden') talk.stop();
  };
  page.addEventListener('blur', stop);
  page.addEventListener('pagehide', stop);
  page.document.addEventListener('visibilitychange', onVisibility);
  return () => {
    page.removeEventListener('blur', stop);
    page.removeEventListener('pagehide', stop);
    page.document.removeEventListener('visibilitychange', onVisibility);
    // Whoever takes the guards away must not leave a talk unguarded [TALK67].
    talk.stop();
  };
};

/** What a screen calls when it opens a dialog over the room [TALK66]. */
export const stopForDialog = (talk: Pick<VoiceRoom, 'stop'>): void => talk.stop();

export interface TalkKeyOptions {
  /** KeyboardEvent.code of the hold-to-talk key; asked at each event, as the user may change it. */
  code(): string;
  /** Whether a key pressed in this place is meant for typing or for another control than the room's. */
  isTyping?: (target: EventTarget | null) => boolean;
}

/**
 * Hold-to-talk by a key. Pressing is refused while typing, in dialogs and menus, with modifiers and on key repeat.
 * Letting go is never refused: whatever has the focus by then, with or without modifiers [TALK63].
 */
export const bindTalkKey = (talk: Talk, options: TalkKeyOptions, page: Window = window): Stop => {
  const isTyping = options.isTyping ?? isTextPlace;
  /** The key that is down and talks. Kept, because the chosen key may change while it is held. */
  let held: string | null = null;

  const letGo = () => {
    if (held === null) return;
    held = null;
    talk.release();
  };
  const forget = () => {
    held = null;
  };
  const onDown = (event: Event) => {
    const { code, repeat, ctrlKey, altKey, metaKey } = event as KeyboardEvent;
    if (held !== null && code === held) {
      // Repeats of the held key neither scroll the page nor click what has the focus.
      event.preventDefault();
      return;
    }
    if (code !== options.code() || event.defaultPrevented) return;
    const isModifier = /^(Control|Alt|Meta)/.test(code);
    if (!isModifier && (ctrlKey || altKey || metaKey)) return;
    if (isTyping(event.target) || isOverlay(event.target)) return;
    // Also for repeats: after a stop the key is still down, and space on a button would click it on the way up.
    event.preventDefault();
    if (repeat) return;
    held = code;
    talk.press();
  };
  const onUp = (event: Event) => {
    const { code } = event as KeyboardEvent;
    if (held === null) return;
    // macOS tells of no key that comes up while Command is down: after it nothing is known of ours any more.
    if (code.startsWith('Meta')) letGo();
    if (code !== held) return;
    // A button that has the focus is clicked by the key-up of space, not by its key-down.
    event.preventDefault();
    letGo();
  };

  // Capture on the window comes before whatever may stop the event further in.
  page.addEventListener('keydown', onDown, { capture: true });
  page.addEventListener('keyup', onUp, { capture: true });
  // The key-up of a window without focus goes elsewhere. What ends the talk then is bindPageGuards.
  page.addEventListener('blur', forget);
  return () => {
    page.removeEventListener('keydown', onDown, { capture: true });
    page.removeEventListener('keyup', onUp, { capture: true });
    page.removeEventListener('blur', forget);
    if (held !== null) talk.stop();
    held = null;
  };
};

/** Hold-to-talk by mouse, touch or pen on an element. Returns the way to undo it, which ends a talk it began. */
export const bindTalkButton = (talk: Talk, element: HTMLElement): Stop => {
  let pointer: number | null = null;

  const onDown = (event: PointerEvent) => {
    if (pointer !== null || event.button !== 0) return;
    pointer = event.pointerId;
    // So that the release comes here wherever the pointer is by then [TALK60].
    try {
      element.setPointerCapture(event.pointerId);
    } catch {
      // The pointer is gone already: its cancel or up follows.
    }
    talk.press();
  };
  const onEnd = (event: PointerEvent) => {
    if (event.pointerId !== pointer) return;
    pointer = null;
    talk.release();
  };
  const onCut = (event: PointerEvent) => {
    if (event.pointerId !== pointer) return;
    pointer = null;
    talk.stop();
  };
  const prevent = (event: Event) => event.preventDefault();
  const onTouch = (event: TouchEvent) => {
    // Keeps iOS from selecting text, calling out and zooming under a held finger.
    if (event.cancelable) event.preventDefault();
  };

  const { style } = element;
  const before = { touchAction: style.touchAction, userSelect: style.userSelect };
  style.touchAction = 'none';
  style.userSelect = 'none';
  style.setProperty('-webkit-user-select', 'none');
  style.setProperty('-webkit-touch-callout', 'none');
  element.addEventListener('pointerdown', onDown);
  element.addEventListener('pointerup', onEnd);
  element.addEventListener('pointercancel', onCut);
  element.addEventListener('lostpointercapture', onCut);
  element.addEventListener('contextmenu', prevent);
  element.addEventListener('dragstart', prevent);
  element.addEventListener('touchstart', onTouch, { passive: false });
  return () => {
    style.touchAction = before.touchAction;
    style.userSelect = before.userSelect;
    style.removeProperty('-webkit-user-select');
    style.removeProperty('-webkit-touch-callout');
    element.removeEventListener('pointerdown', onDown);
    element.removeEventListener('pointerup', onEnd);
    element.removeEventListener('pointercancel', onCut);
    element.removeEventListener('lostpointercapture', onCut);
    element.removeEventListener('contextmenu', prevent);
    element.removeEventListener('dragstart', prevent);
    element.removeEventListener('touchstart', onTouch);
    if (pointer !== null) talk.stop();
    pointer = null;
  };
};

/** Inputs that take no text: the talk key may be pressed on them. */
const TEXTLESS = new Set(['button', 'checkbox', 'color', 'file', 'image', 'radio', 'range', 'reset', 'submit']);

/** True in text fields, editable text and selects: keys pressed there are meant for them. */
export const isTextPlace = (target: EventTarget | null): boolean => {
  if (!(target instanceof Element)) return false;
  const field = target.closest('input, textarea, select, [contenteditable], [role="textbox"], [role="combobox"]');
  if (field === null) return false;
  if (field instanceof HTMLInputElement) return !TEXTLESS.has(field.type);
  return field.getAttribute('contenteditable') !== 'false';
};

/** True inside an open dialog or menu: keys there choose and confirm. */
const isOverlay = (target: EventTarget | null): boolean =>
  target instanceof Element &&
  target.closest('dialog[open], [role="dialog"], [role="alertdialog"], [role="menu"], [role="listbox"]') !== null;
