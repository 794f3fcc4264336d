/** The talk key: `code` is KeyboardEvent.code (the place on the keyboard), `label` what that key prints. */
export interface TalkKey {
  code: string;
  label: string;
}

export const DEFAULT_TALK_KEY: TalkKey = { code: 'Space', label: '' };

/** What speaks against a key. `reserved` can't be chosen; the others can, with a word of warning. */
export type KeyConflict = 'reserved' | 'browser' | 'scroll' | 'typing';

const RESERVED = new Set([
  'Escape',
  'Tab',
  'Enter',
  'NumpadEnter',
  'MetaLeft',
  'MetaRight',
  'ContextMenu',
  'Unidentified',
  '',
]);
const SCROLL = new Set(['ArrowUp', 'ArrowDown', 'ArrowLeft', 'ArrowRight', 'PageUp', 'PageDown', 'Home', 'End']);
const MODIFIER = /^(Shift|Control|Alt)(Left|Right)$/;

/** Whether a key collides with another use of it; undefined when nothing is known against it. */
export function keyConflict(code: string): KeyConflict | undefined {
  if (RESERVED.has(code)) return 'reserved';
  if (/^F\d{1,2}$/.test(code) || MODIFIER.test(code) || code === 'CapsLock') return 'browser';
  if (SCROLL.has(code)) return 'scroll';
  if (/^(Key[A-Z]|Digit\d|Numpad.+)$/.test(code)) return 'typing';
  return undefined;
}

/** The key that an event is about, labelled as the user's own layout prints it. */
export function talkKeyOf(event: Pick<KeyboardEvent, 'code' | 'key'>): TalkKey {
  const isPrintable = event.key.trim() !== '' && [...event.key].length === 1;
  return { code: event.code, label: isPrintable ? event.key.toLocaleUpperCase() : '' };
}

/** Keys that have a word of their own in each language (`key.<code>` of the voice texts). */
const NAMED = [
  'Space',
  'ShiftLeft',
  'ShiftRight',
  'ControlLeft',
  'ControlRight',
  'AltLeft',
  'AltRight',
  'ArrowUp',
  'ArrowDown',
  'ArrowLeft',
  'ArrowRight',
  'PageUp',
  'PageDown',
  'Home',
  'End',
  'Insert',
  'Delete',
  'Backspace',
  'CapsLock',
] as const;
export type NamedKey = (typeof NAMED)[number];

export const isNamedKey = (code: string): code is NamedKey => (NAMED as readonly string[]).includes(code);
