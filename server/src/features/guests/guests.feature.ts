import type { Feature, Platform } from '#src/platform/platform.ts';
import { createGuestLinkExpiry } from './guest-link-expiry.ts';
import { guestRoutes } from './guests.routes.ts';
import { createGuestsService, type GuestsService } from './guests.service.ts';

/** How often to check whether links of present guests have expired, ms. */
const EXPIRY_MS = 1_000;
/** How often to delete what ended long ago, ms. */
const SWEEP_MS = 3_600_000;

/** The API for presence, voice and users. */
export type GuestsApi = Pick<GuestsService, 'enterable' | 'entitled' | 'withdrawAllOf'>;

export function guestsFeature(platform: Platform): Feature<GuestsApi> {
  const { serve, sockets, facts, schedule, now } = platform;
  const guests = createGuestsService(platform);
  const live = createGuestLinkExpiry({ sockets, openAmong: guests.openAmong, facts, now });
  guestRoutes(serve, guests);
  // Links end with the role and the account of their maker.
  facts.on('roleChanged', live.endClosed);
  facts.on('usersDeleted', live.endClosed);
  return {
    api: { enterable: guests.enterable, entitled: guests.entitled, withdrawAllOf: guests.withdrawAllOf },
    async start() {
      schedule.every(EXPIRY_MS, 'guest_expiry', live.endExpired, { by: 'each' });
      schedule.every(SWEEP_MS, 'guest_sweep', guests.sweep, { by: 'one' });
    },
  };
}
