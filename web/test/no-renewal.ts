import type { Renewal, RenewalState } from '#src/shared/renewal.ts';

const NOTHING: RenewalState = { isNewer: false, isHeld: false };

/** Nothing reloads in tests. */
export const NO_RENEWAL: Renewal = {
  getSnapshot: () => NOTHING,
  subscribe: () => () => undefined,
  hold: () => () => undefined,
  renew: async () => false,
  reload: async () => undefined,
  offer: () => undefined,
  look: () => undefined,
};
