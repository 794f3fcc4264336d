/** Turns plain text into French as it is printed: with no-break spaces at signs and units, and the curved apostrophe. */
export const french = (text: string): string =>
  text
    .replaceAll(' :', '\u00a0:')
    .replaceAll('« ', '«\u00a0')
    .replaceAll(' »', '\u00a0»')
    .replace(/ ([?!;])/gu, '\u202f$1')
    .replace(/(\d) (?=(?:m|cm|km|min|h)\b)/gu, '$1\u00a0')
    .replaceAll("'", '’');
