/** A name in a module, or a key within what it stands for, and the doc comment before it. */
export interface Documented {
  /** The constant at the top of the module, then the keys that lead to it: `['logIn', 'body', 'remember']`. */
  path: readonly string[];
  /** The comment as one text: its lines joined, links and markup as they are. Null without a comment. */
  text: string | null;
  /** A key that stands for the constant of its name: `{ seq }`. */
  isShorthand: boolean;
}

/** The alternatives, in the order of trying. Text in strings, comments and regular expressions is no code. */
const TOKEN = new RegExp(
  [
    String.raw`(?<doc>/\*\*(?!/)[\s\S]*?\*/)`,
    String.raw`(?<skip>/\*[\s\S]*?\*/|//[^\n]*|\s+)`,
    String.raw`(?<string>'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*")`,
    String.raw`(?<other>\x60(?:\\.|[^\x60\\])*\x60|(?<=[(=,:?]\s*)/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+/[a-z]*)`,
    String.raw`(?<word>[\w$]+)`,
    String.raw`(?<sign>[\s\S])`,
  ].join('|'),
  'gu',
);

/** A position inside an object literal: the key whose value comes, and whether another key may begin. */
interface Frame {
  isObject: boolean;
  prefix: readonly string[];
  key: string | null;
  begins: boolean;
}

const DECLARES = ['const', 'function', 'interface', 'type', 'class'];

/**
 * Reads the constants of a TypeScript module and the keys of their object literals, in their order, each with its doc comment.
 * It reads no more of the language than that. The contract's comments are the one place where its fields are explained, and
 * types have no trace at run time.
 */
export function readDocComments(source: string): Documented[] {
  const found: Documented[] = [];
  const frames: Frame[] = [];
  let top: string | null = null;
  let declares: string | null = null;
  let comment: string | null = null;
  /** A key of which it isn't known yet whether a value follows. */
  let open: Documented | null = null;

  const note = (path: readonly string[]) => {
    open = { path, text: comment, isShorthand: false };
    if (top !== null) found.push(open);
    comment = null;
  };
  const placeInside = (): readonly string[] => {
    const frame = frames.at(-1);
    if (frame === undefined) return top === null ? [] : [top];
    return frame.isObject && frame.key !== null ? [...frame.prefix, frame.key] : frame.prefix;
  };
  const takeKey = (key: string) => {
    open = null;
    const frame = frames.at(-1);
    if (frame === undefined) {
      if (declares !== null) {
        top = declares === 'const' ? key : null;
        note([key]);
      } else if (key !== 'export' && !DECLARES.includes(key)) comment = null;
      declares = declares === null && DECLARES.includes(key) ? key : null;
    } else if (frame.isObject && frame.begins) {
      frame.key = key;
      frame.begins = false;
      note([...frame.prefix, key]);
    }
  };
  const takeSign = (sign: string) => {
    if (open !== null) open.isShorthand = sign === ',' || sign === '}';
    open = null;
    if ('{[('.includes(sign)) frames.push({ isObject: sign === '{', prefix: placeInside(), key: null, begins: true });
    else if ('}])'.includes(sign)) frames.pop();
    else {
      const frame = frames.at(-1);
      if (frame?.isObject) frame.begins = sign === ',' || sign === ';';
    }
    comment = null;
  };

  for (const { groups = {} } of source.matchAll(TOKEN)) {
    if (groups.doc !== undefined) comment = plain(groups.doc);
    else if (groups.word !== undefined) takeKey(groups.word);
    else if (groups.string !== undefined) takeKey(groups.string.slice(1, -1));
    else if (groups.sign !== undefined) takeSign(groups.sign);
  }
  return found;
}

/** Removes the numbers of rules and sections, which mean nothing outside of the repository. */
const plain = (comment: string): string =>
  comment
    .slice(3, -2)
    .replace(/\n\s*\*/gu, '\n')
    .replace(/\s*\((?:spec §[^)]*|[A-Z]+\d+)\)/gu, '')
    .replace(/\s+/gu, ' ')
    .trim();
