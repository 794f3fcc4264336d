import {
  createGuestLink,
  enterAsGuest,
  getGuestLinks,
  getInvitation,
  leaveAsGuest,
  withdrawGuestLink,
} from '@pressel/contract/guests';
import type { GuestPass } from '#src/accounts/session.ts';
import type { ServeCall } from '#src/http/call-server.ts';
import type { Feature, Platform } from '#src/platform/platform.ts';
import type { Facts } from '#src/processes/facts.ts';
import type { Sockets } from '#src/sockets/sockets.ts';
import { createGuestsService, type GuestsService } from './guests.service.ts';

function guestRoutes(serve: ServeCall, guests: GuestsService): void {
  serve(createGuestLink, async (body, { session }) => ({
    success: true as const,
    ...(await guests.create(session, body)),
  }));

  serve(getGuestLinks, async ({ channelId }) => ({ success: true as const, res: await guests.list(channelId) }));

  serve(withdrawGuestLink, async ({ linkId }, { session }) => {
    await guests.withdraw(session, linkId);
    return { success: true as const };
  });

  serve(getInvitation, async ({ token }, { address }) => ({
    success: true as const,
    res: await guests.invitation(token, address),
  }));

  serve(enterAsGuest, async (body, from) => ({
    success: true as const,
    res: await guests.enter(body, from),
  }));

  serve(leaveAsGuest, async (_body, { session }) => {
    await guests.leave(session);
    return { success: true as const };
  });
}

interface GuestLinkExpiryDeps {
  sockets: Pick<Sockets, 'participants'>;
  /** The links among these that are open. */
  openAmong(linkIds: readonly string[]): Promise<string[]>;
  facts: Pick<Facts, 'publish'>;
  now: () => Date;
}

/** Guests who are here by this process, also those whose connection is lost, and the end of links that nobody withdrew. */
function createGuestLinkExpiry({ sockets, openAmong, facts, now }: GuestLinkExpiryDeps) {
  const here = () =>
    [...sockets.participants.all()].flatMap(({ session }) =>
      session.guest === undefined ? [] : [{ expiresAt: session.expiresAt, pass: session.guest }],
    );
  const end = (passes: readonly GuestPass[]): void => {
    const links = new Map(passes.map(({ linkId, channelId }) => [linkId, channelId]));
    for (const [linkId, channelId] of links) facts.publish('guestLinkEnded', { linkId, channelId });
  };

  return {
    /** Ends visits by links that have expired. */
    endExpired(): void {
      const time = now();
      end(here().flatMap(({ expiresAt, pass }) => (expiresAt <= time ? [pass] : [])));
    },

    /**
     * Ends visits by links that are not open any more, whatever the reason. It asks for the links, not for the sessions of
     * their guests: one guest who has just left says nothing about the others.
     */
    async endClosed(): Promise<void> {
      const passes = here().map(({ pass }) => pass);
      if (passes.length === 0) return;
      const open = new Set<string>(await openAmong(passes.map(({ linkId }) => linkId)));
      end(passes.filter(({ linkId }) => !open.has(linkId)));
    },
  };
}

/** How often to check whether links of present guests have expired, ms. */
const EXPIRY_MS = 1_000;
/** How often to delete what ended long ago, ms. */
const SWEEP_MS = 3_600_000;

/** The API for presence, voice and users. */
export type GuestsApi = Pick<GuestsService, 'enterable' | 'entitled' | 'withdrawAllOf'>;

export function guestsFeature(platform: Platform): Feature<GuestsApi> {
  const { serve, sockets, facts, schedule, now } = platform;
  const guests = createGuestsService(platform);
  const expiry = createGuestLinkExpiry({ sockets, openAmong: guests.openAmong, facts, now });
  guestRoutes(serve, guests);
  // Links end with the role and the account of their maker.
  facts.on('roleChanged', expiry.endClosed);
  facts.on('usersDeleted', expiry.endClosed);
  return {
    api: { enterable: guests.enterable, entitled: guests.entitled, withdrawAllOf: guests.withdrawAllOf },
    async start() {
      schedule.every(EXPIRY_MS, 'guest_expiry', expiry.endExpired, { by: 'each' });
      schedule.every(SWEEP_MS, 'guest_sweep', guests.sweep, { by: 'one' });
    },
  };
}
