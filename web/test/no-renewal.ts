import type { Renewal } from '#src/shared/renewal.ts';

/** Nothing reloads in tests. */
export const NO_RENEWAL: Renewal = { hold: () => () => undefined, renew: async () => false };
