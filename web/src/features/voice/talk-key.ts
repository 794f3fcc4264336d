/** The talk key: `code` is KeyboardEvent.code (the physical key), `label` what the key prints. */
export interface TalkKey {
  code: string;
  label: string;
}

export const DEFAULT_TALK_KEY: TalkKey = { code: 'Space', label: '' };

/** Conflicts of a key with another use. `reserved` is refused; the others are accepted with a warning. */
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

/** Returns the conflict of a key; undefined if none is known. */
export function keyConflict(code: string): KeyConflict | undefined {
  if (RESERVED.has(code)) return 'reserved';
  if (/^F\d{1,2}$/.test(code) || MODIFIER.test(code) || code === 'CapsLock') return 'browser';
  if (SCROLL.has(code)) return 'scroll';
  if (/^(Key[A-Z]|Digit\d|Numpad.+)$/.test(code)) return 'typing';
  return undefined;
}

/** Returns the key of an event, labelled by the user's keyboard layout. */
export function talkKeyOf(event: Pick<KeyboardEvent, 'code' | 'key'>): TalkKey {
  const isPrintable = event.key.trim() !== '' && [...event.key].length === 1;
  return { code: event.code, label: isPrintable ? event.key.toLocaleUpperCase() : '' };
}

/** Keys with a translated name (`key.<code>` of the voice texts). */
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
