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

/** A schema, or several, made when they are first asked for. */
export interface OnDemand<Schema> {
  (): Schema;
  /** By this, the API reference finds the schemas among all functions that the contract exports. */
  readonly isOnDemand: true;
}

/**
 * Makes a schema at its first use, and only once. A page meets few of the contract's calls and events, and making a schema takes longer
 * than checking a value by it.
 */
/* @__NO_SIDE_EFFECTS__ */
export function onDemand<Schema>(make: () => Schema): OnDemand<Schema> {
  let made: Schema | undefined;
  const get = (): Schema => {
    made ??= make();
    return made;
  };
  return Object.assign(get, { isOnDemand: true } as const);
}
