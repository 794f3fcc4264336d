import {
  createGuestLink,
  enterAsGuest,
  getGuestLinks,
  getInvitation,
  leaveAsGuest,
  withdrawGuestLink,
} from '@pressel/contract/guests';
import type { ServeCall } from '#src/http/call-server.ts';
import type { GuestsService } from './guests.service.ts';

export function guestRoutes(serve: ServeCall, guests: GuestsService): void {
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
