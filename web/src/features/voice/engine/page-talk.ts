import type { Stop } from './platform.ts';
import { createTalkTargets, isHeld, type LatchedTalk, type TalkHolds, type TargetRoom } from './talk-holds.ts';

/** The talk that a key or a pointer holds. */
export type HeldTalk = Pick<TalkHolds, 'press' | 'release' | 'stop'>;

/** The page's talk key. */
interface KeySetting {
  /** KeyboardEvent.code of the talk key. */
  code: string;
  /** Whether the user is choosing a key: meanwhile no key talks. */
  isChoosing: boolean;
  /** Whether a room's own page is shown. On other pages the talk key leaves buttons and links alone [TALK111]. */
  isOnItsPage: boolean;
}

/**
 * A page's talk key, and the events that end talks on the page: bound once for all rooms, while the page has any
 * [TALK148]. As a talk, it stands for the rooms that the key talks to.
 */
export interface PageTalk extends LatchedTalk {
  /** Call when a room was entered. Returns the function to call when it is left. */
  add(room: TargetRoom): Stop;
  /**
   * Sets the rooms that the key talks to; null for the room that was entered first. A running press stays in its rooms.
   */
  talkTo(rooms: readonly TargetRoom[] | null): void;
  setKey(change: Partial<KeySetting>): void;
  /** The key's code, and whether the key or a button holds a talk. */
  key(): { code: string; isHeld: boolean };
}

export const createPageTalk = (page: Window = window): PageTalk => {
  const rooms = new Set<TargetRoom>();
  const targets = createTalkTargets();
  let chosen: readonly TargetRoom[] | null = null;
  let key: KeySetting = { code: '', isChoosing: false, isOnItsPage: true };
  let unbind: Stop = () => undefined;

  const bind = (): Stop => {
    const stops = [
      bindPageGuards(() => {
        for (const room of rooms) room.stop();
      }, page),
      bindTalkKey(targets, { code: () => (key.isChoosing ? '' : key.code), isOnItsPage: () => key.isOnItsPage }, page),
    ];
    return () => {
      for (const stop of stops) stop();
    };
  };
  const follow = () => targets.setRooms(chosen ?? [...rooms].slice(0, 1));

  return {
    ...targets,
    add(room) {
      if (rooms.size === 0) unbind = bind();
      rooms.add(room);
      follow();
      return () => {
        if (!rooms.delete(room)) return;
        follow();
        if (rooms.size === 0) unbind();
      };
    },
    talkTo(next) {
      chosen = next;
      follow();
    },
    setKey(change) {
      key = { ...key, ...change };
    },
    key: () => ({ code: key.code, isHeld: [...rooms].some((room) => isHeld(room.getSnapshot().talk)) }),
  };
};

/** Ends talks on window blur, hidden tab, page unload and when a dialog opens. Returns the function that unbinds. */
const bindPageGuards = (stop: () => void, page: Window): Stop => {
  const onVisibility = () => {
    if (page.document.visibilityState === 'hidden') stop();
  };
  // A dialog or menu takes the focus when it opens [TALK66].
  const onFocus = (event: Event) => {
    if (isOverlay(event.target)) stop();
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
  };
};

export interface TalkKeyOptions {
  /** KeyboardEvent.code of the talk key; read at each event, because the user may change it. */
  code(): string;
  /** Whether the room's own page is shown. On other pages every control keeps its keys [TALK111]. */
  isOnItsPage?: () => boolean;
}

/**
 * Hold-to-talk by a key. Ignores a press while typing, in dialogs and menus, with modifiers, and on key repeat. Also
 * ignores a key of a control that the user reached by keyboard [KEYS12]. Never ignores a release, whatever has the
 * focus and with or without modifiers [TALK63].
 */
export const bindTalkKey = (talk: HeldTalk, options: TalkKeyOptions, page: Window = window): Stop => {
  const { isOnItsPage = () => true } = options;
  const moves = followMoves(page);
  /** Code of the key that is held and talks. Stored, because the talk key may change meanwhile. */
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
    if (isTextField(target)) return true;
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
  // A window without focus gets no keyup. Then bindPageGuards ends the talk.
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
 * Tells whether the keyboard moved the focus to its element. `:focus-visible` is the browsers' own answer, but Chromium
 * changes it with any key pressed after a click. Then a second Space would press the control where the first one
 * talked. No browser changes it when the user clicks an element that already has the focus.
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
    /** Leaves out the key that is pressed now, because it talks. */
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

/** Input types without text: the talk key works on them. */
const TEXTLESS = new Set(['button', 'checkbox', 'color', 'file', 'image', 'radio', 'range', 'reset', 'submit']);

/**
 * True on every control that keys operate: text fields, buttons, links, checkboxes. The talk button is none of them.
 */
const isControl = (target: EventTarget | null): boolean =>
  isTextField(target) ||
  (target instanceof Element &&
    target.closest('[data-talk-button]') === null &&
    target.closest('button, a[href], input, summary, [role="button"], [role="checkbox"], [role="tab"]') !== null);

/** True in text fields, editable text and selects, where keys have their own meaning. */
export const isTextField = (target: EventTarget | null): boolean => {
  if (!(target instanceof Element)) return false;
  const field = target.closest('input, textarea, select, [contenteditable], [role="textbox"], [role="combobox"]');
  if (field === null) return false;
  if (field instanceof HTMLInputElement) return !TEXTLESS.has(field.type);
  return field.getAttribute('contenteditable') !== 'false';
};

/** A dialog that leaves the page usable beside it, such as that of a one-to-one call (RING14). */
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

/** Whether a key operates the focused control, other than the talk button [KEYS12]. */
const doesSomething = (code: string, target: EventTarget | null): boolean => {
  if (!(target instanceof Element) || target.closest('[data-talk-button]') !== null) return false;
  const controls = code === 'Space' ? PRESSED_BY_SPACE : MOVES.has(code) ? MOVED_BY_KEYS : null;
  return controls !== null && target.closest(controls) !== null;
};
