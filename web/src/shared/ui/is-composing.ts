import type { KeyboardEvent as ReactKeyboardEvent } from 'react';

/** Safari's mark of a key that an input method took, once it has ended the composition. */
const TAKEN_KEY_CODE = 229;

/**
 * Whether a key belongs to a composing input method. Such a key chooses and cancels the method's offers, and does
 * nothing else.
 */
export function isComposing(event: KeyboardEvent | ReactKeyboardEvent): boolean {
  const key = 'nativeEvent' in event ? event.nativeEvent : event;
  return key.isComposing || key.keyCode === TAKEN_KEY_CODE;
}
