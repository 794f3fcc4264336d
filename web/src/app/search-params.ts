/** Search parameters that aren't text: numbers, a flag, lists. They are JSON in the address, as by the router's default. */
const AS_JSON: ReadonlySet<string> = new Set(['page', 'size', 'desc', 'types', 'users', 'channels']);

/**
 * Parses the search of an address. All parameters except the few above stay text: by the router's own rules `q=123` is
 * a number and `q={}` an object.
 */
export function parseSearch(search: string): Record<string, unknown> {
  const texts = [...new URLSearchParams(search)];
  return Object.fromEntries(texts.map(([name, text]) => [name, AS_JSON.has(name) ? readJson(text) : text]));
}

/** Writes the search of an address, with its question mark; empty without parameters. Undefined values are left out. */
export function stringifySearch(search: Readonly<Record<string, unknown>>): string {
  const texts = Object.entries(search)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)]);
  return texts.length === 0 ? '' : `?${new URLSearchParams(texts)}`;
}

/** Text that isn't JSON stays text, and the page's schema drops it. */
function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
