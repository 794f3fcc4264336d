import { randomUUID } from 'node:crypto';
import type { createGuestLink, enterAsGuest, GuestLink, GuestLinkState, Invitation } from '@pressel/contract/guests';
import { GUEST_FRAGMENT, type GuestId, type GuestLinkId } from '@pressel/contract/guests';
import type { ChannelId, UserId } from '@pressel/contract/ids';
import { GUEST_AWAY_MS, GUEST_LINKS_MAX, GUESTS_PER_LINK } from '@pressel/contract/limits';
import { roomKey } from '@pressel/contract/text';
import type * as z from 'zod';
import { mayHaveLinks } from '#src/accounts/policies.ts';
import { displayName as nameOf } from '#src/accounts/present-user.ts';
import { guestDisplayName, type Session } from '#src/accounts/session.ts';
import type { ChangeTx } from '#src/history/change.ts';
import type { CallContext } from '#src/http/call-server.ts';
import type { Platform } from '#src/platform/platform.ts';
import { AppError } from '#src/shared/app-error.ts';
import { hashToken, makeToken, uuidV7 } from '#src/shared/ids.ts';
import * as repository from './guests.repository.ts';

type ComesFrom = Pick<CallContext<null>, 'address' | 'loggedAddress'>;

const HOUR_MS = 3_600_000;
/** How long a link that ended is listed, and how long it is kept: people who have it are told what became of it. */
const LISTED_MS = 7 * 24 * HOUR_MS;
const KEPT_MS = 30 * 24 * HOUR_MS;

export type GuestsDeps = Pick<Platform, 'db' | 'change' | 'record' | 'facts' | 'limit' | 'now'>;
export type GuestsService = ReturnType<typeof createGuestsService>;

export function createGuestsService({ db, change, record, facts, limit, now }: GuestsDeps) {
  const limits = {
    address: limit('guests.wrongTokens'),
    link: limit('guests.entries'),
  };

  /** Finds the link of a token, whatever its state. An attempt is counted first, and given back when the token is right. */
  async function linkOf(token: string, address: string) {
    await limits.address.take(address);
    const found = await repository.findLink(db, hashToken(token));
    if (found !== null) await limits.address.giveBack(address);
    return found;
  }

  return {
    /** Makes a link. */
    async create(
      session: Session,
      { channelId, name, hours }: z.output<(typeof createGuestLink)['body']>,
    ): Promise<{ res: GuestLink; path: string }> {
      const token = makeToken();
      const createdAt = now();
      const row = { id: uuidV7(), channelId, name, createdAt, expiresAt: new Date(+createdAt + hours * HOUR_MS) };
      const { rtcSession } = await change(session, async (tx, act) => {
        const channel = await repository.findChannel(tx, channelId);
        if (channel === null) throw new AppError('not_found', { what: 'channel' });
        const open = await repository.countOpenLinks(tx, channelId, createdAt);
        if (open >= GUEST_LINKS_MAX) throw new AppError('guest_links_full');
        await repository.insertLink(tx, { ...row, tokenHash: hashToken(token), createdBy: session.userId });
        const details = { name, expiresAt: row.expiresAt.toISOString() };
        await act.record({ type: 'guest_link_creation', channel, details });
        act.after('guestLinkMade', { channelId });
        return channel;
      });
      const shown = {
        ...row,
        id: row.id as GuestLinkId,
        state: 'open' as const,
        createdAt: createdAt.toISOString(),
        createdBy: session.displayName,
        expiresAt: row.expiresAt.toISOString(),
        lastUsedAt: null,
        guests: [],
      };
      return { res: shown, path: `/join/${encodeURIComponent(rtcSession)}#${GUEST_FRAGMENT}${token}` };
    },

    /** The links of a channel, and the guests who are in by them. */
    async list(channelId: ChannelId): Promise<GuestLink[]> {
      if ((await repository.findChannel(db, channelId)) === null) throw new AppError('not_found', { what: 'channel' });
      const time = now();
      const links = await repository.listLinks(db, channelId, new Date(+time - LISTED_MS), time);
      const guests = await repository.listGuests(
        db,
        links.map(({ id }) => id),
      );
      const byLink = Map.groupBy(guests, ({ linkId }) => linkId);
      return links.map((link) => ({
        id: link.id as GuestLinkId,
        channelId: link.channelId as ChannelId,
        name: link.name,
        state: stateOf(link, time),
        createdAt: link.createdAt.toISOString(),
        createdBy: nameOf(link.maker),
        expiresAt: link.expiresAt.toISOString(),
        lastUsedAt: link.lastUsedAt?.toISOString() ?? null,
        guests: (byLink.get(link.id) ?? []).map(({ id, name, since }) => ({
          id: id as GuestId,
          name,
          since: since.toISOString(),
        })),
      }));
    },

    /** Withdraws a link. A link that is over keeps its state. */
    withdraw: (session: Session, linkId: GuestLinkId): Promise<void> =>
      change(session, async (tx, act) => {
        const isOpen = await repository.lockOpenLink(tx, linkId, now());
        const link = await repository.withdrawLink(tx, linkId, now());
        if (link === null) throw new AppError('not_found', { what: 'guest_link' });
        const channel = await repository.findChannel(tx, link.channelId);
        if (isOpen && channel !== null) {
          await act.record({ type: 'guest_link_withdrawal', channel, details: { name: link.name } });
        }
        await repository.deleteSessionsOfLinks(tx, [linkId]);
        act.after('guestLinkEnded', { linkId, channelId: link.channelId as ChannelId });
      }),

    /**
     * A change of role withdraws the links of the user: tokens that a former administrator knows must not let them in again
     * (GUEST5). A promotion does so too, so that no earlier link opens then.
     */
    withdrawAllOf: (tx: ChangeTx, userId: UserId): Promise<void> => repository.withdrawLinksOf(tx, userId, now()),

    /** The links among these that are open. */
    openAmong: (linkIds: readonly string[]): Promise<string[]> => repository.listOpenLinks(db, linkIds, now()),

    /** The facts that a link's page shows before anybody enters. @throws AppError too_many */
    async invitation(token: string, address: string): Promise<Invitation> {
      const link = await linkOf(token, address);
      if (link === null) return { state: 'unknown' };
      const state = stateOf(link, now());
      if (state !== 'open') return { state };
      const { name, channel, expiresAt } = link;
      return {
        state,
        name,
        channelName: channel.name,
        rtcSession: channel.rtcSession,
        expiresAt: expiresAt.toISOString(),
      };
    },

    /** Opens a guest's session. @throws AppError guest_link_over, guest_link_full, too_many */
    async enter({ token, name }: z.output<(typeof enterAsGuest)['body']>, from: ComesFrom) {
      const link = await linkOf(token, from.address);
      if (link === null) throw new AppError('guest_link_over');
      const time = now();
      if (stateOf(link, time) !== 'open') throw new AppError('guest_link_over');
      await limits.link.take(link.id);
      const guestToken = makeToken();
      // A uuidV7 would tell others when somebody came.
      const id = randomUUID();
      const displayName = guestDisplayName(name, link.name);
      await db.transaction(async (tx) => {
        if (!(await repository.lockOpenLink(tx, link.id, time))) throw new AppError('guest_link_over');
        await repository.deleteAway(tx, new Date(+time - GUEST_AWAY_MS), link.id);
        if ((await repository.countSessions(tx, link.id)) >= GUESTS_PER_LINK) throw new AppError('guest_link_full');
        const session = { id, linkId: link.id, tokenHash: hashToken(guestToken), name, createdAt: time, seenAt: time };
        await repository.insertSession(tx, session);
        const user = { id, firstName: name, displayName, address: from.loggedAddress };
        const channel = { id: link.channelId, name: link.channel.name };
        await record(tx, [{ type: 'guest_join', user, channel, at: time }]);
      });
      return {
        id: id as GuestId,
        displayName,
        guestToken,
        channelId: link.channelId as ChannelId,
        rtcSession: link.channel.rtcSession,
        expiresAt: link.expiresAt.toISOString(),
      };
    },

    async leave({ id: sessionId }: Session): Promise<void> {
      await facts.within(async (tx, after) => {
        after('sessionEnded', { sessionId });
        await repository.deleteSession(tx, sessionId);
      });
    },

    /**
     * The guest's own channel, when it is asked for. Any other is refused alike, whether or not it exists (GUEST6).
     * @throws AppError not_found, not_a_member, unauthenticated, too_many
     */
    async enterable({ guest, expiresAt }: Session, target: { key: string } | { id: ChannelId }) {
      if (guest === undefined || expiresAt <= now()) throw new AppError('unauthenticated');
      const channel = await repository.findChannel(db, guest.channelId);
      if (channel === null) throw new AppError('not_found', { what: 'channel' });
      const isOwn = 'id' in target ? target.id === channel.id : roomKey(target.key) === channel.rtcSession;
      if (!isOwn) throw new AppError('not_a_member');
      return channel;
    },

    /** The guests among these whose link opens this channel's room. */
    entitled: (channelId: ChannelId, ids: readonly UserId[]): Promise<UserId[]> =>
      repository.listByOpenLinks(db, channelId, ids, now()),

    /** Deletes guests who are away, and links that ended long ago. */
    async sweep(): Promise<void> {
      const time = +now();
      await repository.deleteAway(db, new Date(time - GUEST_AWAY_MS));
      await repository.deleteLinksEndedBefore(db, new Date(time - KEPT_MS));
    },
  };
}

/** The state of a link, as `isOpenLink` has it, with the reason if it is not open. */
function stateOf({ withdrawnAt, expiresAt, maker }: repository.LinkRow, now: Date): GuestLinkState {
  if (withdrawnAt !== null || !mayHaveLinks(maker)) return 'withdrawn';
  return expiresAt <= now ? 'expired' : 'open';
}
