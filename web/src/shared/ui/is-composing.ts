import type { KeyboardEvent as ReactKeyboardEvent } from 'react';

/** How Safari marks a key that an input method took, once it has ended the composition. */
const TAKEN_KEY_CODE = 229;

/** Whether a key belongs to an input method that composes: it chooses and cancels what that offers, and does nothing else. */
export function isComposing(event: KeyboardEvent | ReactKeyboardEvent): boolean {
  const key = 'nativeEvent' in event ? event.nativeEvent : event;
  return key.isComposing || key.keyCode === TAKEN_KEY_CODE;
}
