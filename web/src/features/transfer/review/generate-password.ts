/** Letters and digits that nobody takes for others when they are read out or copied by hand: no i, l, o, 0, 1. */
const LETTERS = 'abcdefghjkmnpqrstuvwxyz23456789';
/** Of these, twelve are 59 bits: more than can be guessed, short enough to be typed once. */
const LENGTH = 12;

/** A password that nobody knows, of at least `minLength` characters. */
export function generatePassword(minLength: number): string {
  const wanted = Math.max(LENGTH, minLength);
  let text = '';
  while (text.length < wanted) {
    for (const byte of crypto.getRandomValues(new Uint8Array(wanted))) {
      // 31 letters: of the five bits' 32 values the last is left out, so that all are equally likely.
      const letter = LETTERS[byte % 32];
      if (letter !== undefined && text.length < wanted) text += letter;
    }
  }
  return text;
}
