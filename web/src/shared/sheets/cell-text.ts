/** Characters that XML can't contain or the writer would drop, and text that looks like their escape sequence. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: matches control characters on purpose
const NOT_PLAIN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\ufffd]|\p{Noncharacter_Code_Point}|_(?=x[0-9A-Fa-f]{4}_)/gu;

/** Text as workbooks write it (ECMA-376 part 1 §22.9.2.19, ST_Xstring). */
export const cellText = (text: string): string =>
  text.replace(NOT_PLAIN, (found) =>
    Array.from(
      { length: found.length },
      (_, at) => `_x${found.charCodeAt(at).toString(16).toUpperCase().padStart(4, '0')}_`,
    ).join(''),
  );
