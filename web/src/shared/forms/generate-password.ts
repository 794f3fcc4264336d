/** No vowels, so that no words arise, and nothing that is easily misread: neither l and 1 nor o and 0. */
const SIGNS = 'bcdfghjkmnpqrstvwxz23456789';
const GROUPS = 4;
const GROUP_LENGTH = 4;
/** Bytes from here on are dropped: they would make some signs more likely than others. */
const FAIR_BYTES = 256 - (256 % SIGNS.length);

/**
 * A new password such as `kmtp-7rxb-92hq-cnwd`: 76 random bits, easy to read out and to type on a phone. `fill` is the
 * browser's source of randomness; tests give another one.
 */
export function generatePassword(
  fill: (bytes: Uint8Array<ArrayBuffer>) => unknown = (bytes) => crypto.getRandomValues(bytes),
): string {
  let signs = '';
  const bytes = new Uint8Array(2 * GROUPS * GROUP_LENGTH);
  while (signs.length < GROUPS * GROUP_LENGTH) {
    fill(bytes);
    for (const byte of bytes) if (byte < FAIR_BYTES) signs += SIGNS.charAt(byte % SIGNS.length);
  }
  return Array.from({ length: GROUPS }, (_, group) =>
    signs.slice(group * GROUP_LENGTH, (group + 1) * GROUP_LENGTH),
  ).join('-');
}
