import type { Facts } from '#src/processes/facts.ts';
import type { Sockets } from '#src/sockets/sockets.ts';
import type { GuestPass } from '#src/accounts/session.ts';

export interface GuestLinkExpiryDeps {
  sockets: Pick<Sockets, 'participants'>;
  /** The links among these that are open. */
  openAmong(linkIds: readonly string[]): Promise<string[]>;
  facts: Pick<Facts, 'publish'>;
  now: () => Date;
}

/** Guests who are here by this process, also those whose connection is lost, and the end of links that nobody withdrew. */
export function createGuestLinkExpiry({ sockets, openAmong, facts, now }: GuestLinkExpiryDeps) {
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
