import { folded } from '#src/shared/lists/folded.ts';

/** The verb that begins or ends an order to the palette, by the language: "call Lea", "Lea anrufen". */
export type Verb = 'call' | 'enter';

export interface Order {
  /** The verb that was typed; undefined: a name, or a part of one. */
  verb: Verb | undefined;
  /** The text that is left to look for. */
  wanted: string;
}

/** Reads what was typed. A verb counts once a space parts it from what follows, or from what is before it. */
export function readOrder(text: string, verbs: Readonly<Record<Verb, string>>): Order {
  const typed = folded(text.trimStart());
  for (const verb of ['call', 'enter'] as const) {
    const word = folded(verbs[verb]);
    if (typed.startsWith(`${word} `)) return { verb, wanted: text.trimStart().slice(word.length).trim() };
    const end = typed.trimEnd();
    if (end.endsWith(` ${word}`)) return { verb, wanted: text.trim().slice(0, -word.length).trim() };
  }
  return { verb: undefined, wanted: text.trim() };
}

/**
 * Whether a word of a name begins with the typed text. Then the name is meant, rather than a screen that has the
 * letters somewhere.
 */
export function fitsName(name: string, wanted: string): boolean {
  const sought = folded(wanted.trim());
  return (
    sought !== '' && ` ${folded(name).replaceAll(/[-'’]/gu, ' ')}`.includes(` ${sought.replaceAll(/[-'’]/gu, ' ')}`)
  );
}
