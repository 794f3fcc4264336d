/** Search parameters that are no text: numbers, a mark, lists. JSON in the address, as the router has them otherwise. */
const AS_JSON: ReadonlySet<string> = new Set(['page', 'size', 'desc', 'types', 'users', 'channels']);

/**
 * The search of an address. Every parameter but the few named above is the text that stands there: by the router's own rules
 * `q=123` is a number and `q={}` an object.
 */
export function parseSearch(search: string): Record<string, unknown> {
  const texts = [...new URLSearchParams(search)];
  return Object.fromEntries(texts.map(([name, text]) => [name, AS_JSON.has(name) ? readJson(text) : text]));
}

/** The search of an address, with its question mark; empty without parameters. What is undefined is left out. */
export function stringifySearch(search: Readonly<Record<string, unknown>>): string {
  const texts = Object.entries(search)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)]);
  return texts.length === 0 ? '' : `?${new URLSearchParams(texts)}`;
}

/** As text where it is no JSON: the schema of the page leaves it out. */
function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
