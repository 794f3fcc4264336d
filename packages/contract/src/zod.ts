/**
 * The only place that imports Zod for browsers. Zod compiles schemas with `new Function` and tries once whether it may:
 * our content security policy reports that attempt as a violation. Servers compile, which makes checking a long list
 * about three times as fast. Set before any schema is made.
 */
import * as z from 'zod';

/** Windows and workers have it, Node does not. */
const isBrowser = 'location' in globalThis;

z.config({ jitless: isBrowser });

export { z };
