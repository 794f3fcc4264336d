/** Letters and digits that nobody confuses when reading them out or copying them by hand: no i, l, o, 0, 1. */
const LETTERS = 'abcdefghjkmnpqrstuvwxyz23456789';
/** Twelve of these are 59 bits: more than can be guessed, short enough to be typed once. */
const LENGTH = 12;

/** A password that nobody knows, of at least `minLength` characters. */
export function generatePassword(minLength: number): string {
  const wanted = Math.max(LENGTH, minLength);
  let text = '';
  while (text.length < wanted) {
    for (const byte of crypto.getRandomValues(new Uint8Array(wanted))) {
      // There are 31 letters, so the last of the 32 values of five bits is skipped. All are then equally likely.
      const letter = LETTERS[byte % 32];
      if (letter !== undefined && text.length < wanted) text += letter;
    }
  }
  return text;
}
