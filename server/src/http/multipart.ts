/** A form's file, with the name that its sender gave it. */
export interface UploadedFile {
  name: string;
  bytes: Buffer;
}

export interface Form {
  fields: Readonly<Record<string, string>>;
  /** Files by the name of their field. */
  files: ReadonlyMap<string, UploadedFile>;
}

/** Reading stops there: our forms have far fewer parts. */
const PARTS_MAX = 16;
/** Maximum size of one part's headers. */
const HEADERS_MAX_BYTES = 2_048;
const BOUNDARY = /^multipart\/form-data\s*;(?:.*;)?\s*boundary=(?:"([^"]{1,70})"|([^\s;"]{1,70})(?:[\s;]|$))/iu;
const LINE_END = '\r\n';

/** The boundary of a form's content type; null when it is another type, or has none. */
export const boundaryOf = (contentType: string | undefined): string | null => {
  const match = BOUNDARY.exec(contentType ?? '');
  return match?.[1] ?? match?.[2] ?? null;
};

/**
 * Reads a whole form (multipart/form-data, RFC 7578). It takes time in proportion to the number of bytes, whatever they
 * are: Node's parser takes a tenth of a second for a hostile body of a mebibyte.
 * @returns null when it is malformed: cut short, a field twice, too many parts, texts that are not UTF-8
 */
export function readForm(body: Buffer, boundary: string): Form | null {
  const fields: Record<string, string> = {};
  const files = new Map<string, UploadedFile>();
  const delimiter = Buffer.from(`${LINE_END}--${boundary}`);
  // The first delimiter has no line end before it.
  if (!body.subarray(0, delimiter.length - LINE_END.length).equals(delimiter.subarray(LINE_END.length))) return null;
  let at = delimiter.length - LINE_END.length;
  for (let parts = 0; ; parts += 1) {
    const mark = body.toString('latin1', at, at + 2);
    if (mark === '--') return { fields, files };
    if (mark !== LINE_END || parts === PARTS_MAX) return null;
    const head = readHead(body, at);
    const end = head === null ? -1 : body.indexOf(delimiter, head.contentAt - LINE_END.length);
    if (head === null || end === -1 || Object.hasOwn(fields, head.name) || files.has(head.name)) return null;
    const content = body.subarray(head.contentAt, Math.max(end, head.contentAt));
    if (head.fileName !== null) {
      files.set(head.name, { name: head.fileName, bytes: content });
    } else {
      const text = decoded(content);
      if (text === null) return null;
      // Defined, not assigned: a field may be called `__proto__`.
      Object.defineProperty(fields, head.name, { value: text, enumerable: true });
    }
    at = end + delimiter.length;
  }
}

interface Head {
  name: string;
  /** The file's name; null: a field, not a file. */
  fileName: string | null;
  contentAt: number;
}

/** Reads the headers of a part. `at`: position of the line end behind its delimiter. */
function readHead(body: Buffer, at: number): Head | null {
  const end = body.subarray(0, at + HEADERS_MAX_BYTES).indexOf(`${LINE_END}${LINE_END}`, at);
  if (end === -1) return null;
  const head = decoded(body.subarray(at + LINE_END.length, Math.max(end, at + LINE_END.length)));
  const lines = head?.split(LINE_END) ?? [];
  const [disposition] = lines.filter((line) => /^content-disposition\s*:/iu.test(line));
  const parameters = disposition === undefined ? null : parametersOf(disposition);
  const name = parameters?.get('name');
  if (parameters === null || name === undefined) return null;
  return { name, fileName: parameters.get('filename') ?? null, contentAt: end + 2 * LINE_END.length };
}

/** Parameters of a `Content-Disposition: form-data` header; null for any other header. */
function parametersOf(header: string): Map<string, string> | null {
  const kind = /^content-disposition\s*:\s*form-data/iu.exec(header);
  if (kind === null) return null;
  const parameters = new Map<string, string>();
  const parameter = /\s*;\s*([\w*-]+)=(?:"((?:\\"|[^"])*)"|([^\s;"]*))/uy;
  parameter.lastIndex = kind[0].length;
  for (let match = parameter.exec(header); match !== null; match = parameter.exec(header)) {
    const [, key = '', quoted, bare = ''] = match;
    parameters.set(key.toLowerCase(), quoted === undefined ? bare : unescaped(quoted));
  }
  return parameters;
}

/** Browsers write a quotation mark as %22 and line ends as %0D%0A (HTML standard), others the mark as \". */
const unescaped = (text: string): string =>
  text
    .replace(/\\"|%22/gu, '"')
    .replace(/%0D/giu, '\r')
    .replace(/%0A/giu, '\n');

function decoded(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}
