/** French as it is printed: no-break spaces before what stands off, and the curved apostrophe. Written with plain ones. */
export const french = (text: string): string =>
  text
    .replaceAll(' :', '\u00a0:')
    .replaceAll('« ', '«\u00a0')
    .replaceAll(' »', '\u00a0»')
    .replace(/ ([?!;])/gu, '\u202f$1')
    .replace(/(\d) (?=(?:m|cm|km|min|h)\b)/gu, '$1\u00a0')
    .replaceAll("'", '’');
