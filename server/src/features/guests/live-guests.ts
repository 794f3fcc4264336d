import type { Facts } from '#src/platform/facts.ts';
import type { Sessions } from '#src/platform/sessions.ts';
import type { Sockets } from '#src/platform/sockets.ts';
import type { GuestPass } from '#src/shared/session.ts';

export interface LiveGuestsDeps {
  sockets: Pick<Sockets, 'all'>;
  sessions: Pick<Sessions, 'keepAlive'>;
  facts: Pick<Facts, 'tell'>;
  now: () => Date;
}

/** Guests who are connected to this process, and the end of links that nobody withdrew. */
export function createLiveGuests({ sockets, sessions, facts, now }: LiveGuestsDeps) {
  const here = () =>
    [...sockets.all()].flatMap(({ data: { session } }) =>
      session.guest === undefined ? [] : [{ id: session.id, expiresAt: session.expiresAt, pass: session.guest }],
    );
  const end = (passes: readonly GuestPass[]): void => {
    const links = new Map(passes.map(({ linkId, channelId }) => [linkId, channelId]));
    for (const [linkId, channelId] of links) facts.tell('guestLinkEnded', { linkId, channelId });
  };

  return {
    /** Ends the visits by links that have expired. */
    endExpired(): void {
      const time = now();
      end(here().flatMap(({ expiresAt, pass }) => (expiresAt <= time ? [pass] : [])));
    },

    /** Ends the visits by links that are not open any more, whatever the reason: the database is asked. */
    async endClosed(): Promise<void> {
      const guests = here();
      const open = await sessions.keepAlive(guests.map(({ id }) => id));
      end(guests.flatMap(({ id, pass }) => (open.has(id) ? [] : [pass])));
    },
  };
}
