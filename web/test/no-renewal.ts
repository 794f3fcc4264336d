import type { Renewal, RenewalState } from '#src/shared/renewal.ts';

const NOTHING: RenewalState = { isNewer: false, isHeld: false, apart: 'no' };

/** Tests never reload. */
export const NO_RENEWAL: Renewal = {
  getSnapshot: () => NOTHING,
  subscribe: () => () => undefined,
  blockReload: () => () => undefined,
  renew: async () => false,
  reload: async () => undefined,
  attention: () => [],
  isServerThere: async () => true,
  beforeReload: () => () => undefined,
  offer: () => undefined,
  setApart: () => undefined,
  report: () => undefined,
  onReport: () => () => undefined,
  look: () => undefined,
};
