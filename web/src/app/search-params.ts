import { FILTER_MAX_LENGTH, PAGE_SIZES } from '@pressel/contract/limits';
import { isStorable } from '@pressel/contract/text';
import { onDemand, z } from '@pressel/contract/zod';

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

/**
 * Checks the search of a route by a schema that is made when the route is first met: the app starts with the routes of
 * all pages, and each page needs one of them.
 */
export function searchBy<Schema extends z.ZodType>(make: () => Schema): Pick<Schema, '~standard'> {
  const schema = onDemand(make);
  return {
    get '~standard'() {
      return schema()['~standard'];
    },
  };
}

export const size = onDemand(() => z.literal([...PAGE_SIZES]));

export const filter = onDemand(() => z.string().max(FILTER_MAX_LENGTH).refine(isStorable).optional().catch(undefined));
export const descending = onDemand(() => z.literal(true).optional().catch(undefined));

/** Search parameters of a list's URL. Defaults are left out. */
export const listSearch = onDemand(() =>
  z.object({
    q: filter(),
    sort: z.string().max(40).optional().catch(undefined),
    desc: descending(),
    page: z.int().min(2).max(1_000_000).optional().catch(undefined),
    size: size().optional().catch(undefined),
    /** The open dialog: 'create', or the id of the edited row. */
    panel: z.string().max(64).optional().catch(undefined),
  }),
);
export type ListSearch = z.infer<ReturnType<typeof listSearch>>;

/** The dashboard has two lists. */
export const dashboardSearch = onDemand(() =>
  z.object({
    users: listSearch().optional().catch(undefined),
    channels: listSearch().optional().catch(undefined),
  }),
);
