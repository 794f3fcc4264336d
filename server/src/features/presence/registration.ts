import { needsMembership } from '#src/accounts/policies.ts';
import type { GuestPass } from '#src/accounts/session.ts';
import { inRounds } from '#src/db/rounds.ts';
import type { MembershipWatch } from '#src/sockets/membership-watch.ts';
import type { NewsClock } from '#src/sockets/news-clock.ts';
import { audience, type Socket } from '#src/sockets/sockets.ts';
import type { Arrivals } from './arrivals.ts';
import type { PresenceStore } from './presence.store.ts';

export interface RegistrationDeps {
  store: Pick<PresenceStore, 'put'>;
  arrivals: Pick<Arrivals, 'expect' | 'came'>;
  newsClock: Pick<NewsClock, 'quietMs'>;
  liveSessions(ids: readonly string[]): Promise<ReadonlySet<string>>;
}

/** Takes in new sockets: each is stored and hears what its session may hear, unless it or its session ended meanwhile. */
export function createRegistration(
  deps: RegistrationDeps,
  memberships: MembershipWatch,
): (socket: Socket) => Promise<void> {
  const isLive = inRounds(async (ids: readonly string[]) => {
    const live = await deps.liveSessions(ids);
    return ids.map((id) => live.has(id));
  });

  async function register(socket: Socket): Promise<void> {
    const { session } = socket.data;
    if (session.guest !== undefined) return registerGuest(socket, session.guest);
    const { participant } = socket.data;
    deps.arrivals.expect(participant);
    const isFirst = await deps.store.put(participant);
    if (socket.disconnected) return;
    await socket.join([
      audience.user(session.userId),
      audience.session(session.id),
      ...(needsMembership(session) ? [] : [audience.admins]),
    ]);
    // From here on, a logout finds this socket; an earlier one, since the handshake, did not.
    if (!(await isLive(session.id))) {
      socket.disconnect(true);
      return;
    }
    await memberships.during(session.userId, async (channelIds) => {
      if (!socket.disconnected) await socket.join(channelIds().map(audience.membersOf));
    });
    if (socket.disconnected) return;
    participant.isTakenIn = true;
    socket.emit('ready', { quietMs: deps.newsClock.quietMs(session.userId) });
    deps.arrivals.came(participant, isFirst);
  }

  /** A guest's socket hears its room, once it is in it, and nothing before (GUEST7). */
  async function registerGuest(socket: Socket, { linkId, channelId }: GuestPass): Promise<void> {
    const { session, participant } = socket.data;
    await deps.store.put(participant);
    if (socket.disconnected) return;
    await socket.join([audience.session(session.id), audience.guestLink(linkId), audience.guestsOf(channelId)]);
    // From here on the end of the link finds this socket, as above.
    if (!(await isLive(session.id))) socket.disconnect(true);
    else participant.isTakenIn = true;
  }

  return register;
}
