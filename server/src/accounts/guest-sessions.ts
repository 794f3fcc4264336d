import type { GuestLinkId } from '@pressel/contract/guests';
import type { ChannelId, UserId } from '@pressel/contract/ids';
import { GUEST_AWAY_MS } from '@pressel/contract/limits';
import { loggedAddress } from '#src/addresses/client-address.ts';
import type { Db } from '#src/db/connect.ts';
import { hashToken } from '#src/shared/ids.ts';
import * as repository from './guest-sessions.repository.ts';
import { type Authenticate, guestDisplayName } from './session.ts';

/** Sessions of guests. They open a socket and the call by which a guest leaves, and nothing else. */
export interface GuestSessions {
  authenticate: Authenticate;
  /** @returns those of these sessions that are valid. Their guests have sockets, so they are here. */
  keepAlive(ids: readonly string[]): Promise<string[]>;
}

export function createGuestSessions(db: Db, now: () => Date): GuestSessions {
  return {
    async authenticate(token, address) {
      const seenAfter = new Date(now().getTime() - GUEST_AWAY_MS);
      const row = await repository.findGuestSession(db, hashToken(token), seenAfter, now());
      if (row === null) return null;
      const { id, name, linkId, linkName, channelId, expiresAt } = row;
      return {
        id,
        userId: id as UserId,
        role: 'guest',
        guest: { linkId: linkId as GuestLinkId, channelId: channelId as ChannelId, name, linkName },
        firstName: name,
        displayName: guestDisplayName(name, linkName),
        mapRight: false,
        expiresAt,
        verifiedAt: null,
        address: loggedAddress(address),
      };
    },

    keepAlive: async (ids) => (ids.length === 0 ? [] : repository.touchGuestSessions(db, ids, now())),
  };
}
