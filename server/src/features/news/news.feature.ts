import type { ChannelId, UserId } from '@pressel/contract/ids';
import { MEMBERS_NAMED_MAX } from '@pressel/contract/limits';
import type { ServerPayload } from '@pressel/contract/realtime';
import type { Feature, Platform } from '#src/platform/platform.ts';
import type { MembershipChange } from '#src/processes/facts.ts';
import { unique } from '#src/shared/ids.ts';
import { audience } from '#src/sockets/sockets.ts';

type News = ServerPayload<'changed'>;
type NewsOfUsers = Pick<News, 'channelId'> & { what: 'users' | 'memberships' };

/**
 * Tells screens which lists to read again, but only those that may see what changed. It follows the facts after presence, so
 * that a new member hears of a change as a member.
 */
export function newsFeature({ facts, sockets, newsClock }: Pick<Platform, 'facts' | 'sockets' | 'newsClock'>): Feature {
  const tell = (audiences: readonly string[], news: News, except: readonly string[] = []): void => {
    // An event to no audience would go to everybody.
    if (audiences.length === 0) return;
    sockets.local.to(audiences).except(except).emit('changed', news);
    newsClock.noteNews(null);
  };
  const tellAdmins = (news: News) => tell([audience.admins], news);
  const tellOthers = (audiences: readonly string[], news: News, except: readonly string[] = []) =>
    tell(audiences, news, [audience.admins, ...except]);
  /** Tells of one user. Everybody who was a member with them, or is one now, may know who it is. */
  const tellOfOne = (news: NewsOfUsers, userId: UserId, channelIds: readonly ChannelId[]) =>
    tell([audience.admins, ...channelIds.map(audience.membersOf), audience.user(userId)], {
      ...news,
      userIds: [userId],
    });

  /** Tells of several members of one channel. Newcomers need not know who left; those who left need to know of nobody. */
  const tellOfChannel = (channelId: ChannelId, changes: readonly MembershipChange[]) => {
    const news = { what: 'memberships', channelId } as const;
    const come = changes.filter(({ isMember }) => isMember).map(({ userId }) => userId);
    const gone = changes.filter(({ isMember }) => !isMember).map(({ userId }) => userId);
    tellAdmins({ ...news, ...named([...come, ...gone]) });
    const newcomers = gone.length > 0 ? come.map(audience.user) : [];
    tellOthers([audience.membersOf(channelId)], { ...news, ...named([...come, ...gone]) }, newcomers);
    tellOthers(newcomers, { ...news, ...named(come) });
    tellOthers(gone.map(audience.user), news);
  };

  const tellOfMemberships = (changes: readonly MembershipChange[]): void => {
    const userIds = unique(changes.map(({ userId }) => userId));
    const channelIds = unique(changes.map(({ channelId }) => channelId));
    const [[userId, ...otherUsers], [channelId, ...otherChannels]] = [userIds, channelIds];
    if (userId === undefined || channelId === undefined) return;
    const what = 'memberships';
    if (otherUsers.length === 0) {
      tellOfOne({ what, ...(otherChannels.length === 0 && { channelId }) }, userId, channelIds);
    } else if (otherChannels.length === 0) {
      tellOfChannel(channelId, changes);
    } else {
      tellAdmins({ what, ...named(userIds) });
      tellOthers([...channelIds.map(audience.membersOf), ...userIds.map(audience.user)], { what });
    }
  };

  /** Tells of accounts that were made or deleted, with their memberships. */
  const tellOfAccounts = (userIds: readonly UserId[], channelIds: readonly ChannelId[]): void => {
    tellAdmins({ what: 'users', ...named(userIds) });
    const [channelId, ...others] = channelIds;
    if (channelId === undefined) return;
    const news = { what: 'memberships', ...(others.length === 0 && { channelId }) } as const;
    tellAdmins({ ...news, ...named(userIds) });
    // Several users may each be of another channel.
    tellOthers(channelIds.map(audience.membersOf), { ...news, ...(userIds.length === 1 && named(userIds)) });
  };

  facts.on('channelCreated', ({ channel, changes }) => {
    // This is one piece of news: a new member learns of the channel and of the membership at once.
    const users = unique(changes.map(({ userId }) => userId));
    tell([audience.admins, audience.membersOf(channel.id), ...users.map(audience.user)], {
      ...{ what: 'channels', channelId: channel.id },
    });
  });
  facts.on('channelChanged', ({ channel }) => {
    tell([audience.admins, audience.membersOf(channel.id)], { what: 'channels', channelId: channel.id });
  });
  facts.on('channelDeleted', ({ channelId }) => {
    tell([audience.admins, audience.membersOf(channelId)], { what: 'channels', channelId, isGone: true });
  });
  facts.on('channelsImported', () => tellAdmins({ what: 'channels' }));
  facts.on('membershipsChanged', ({ changes }) => tellOfMemberships(changes));
  facts.on('usersChanged', ({ userIds, channelIds }) => {
    const [userId, ...others] = userIds;
    if (userId !== undefined && others.length === 0) return tellOfOne({ what: 'users' }, userId, channelIds);
    tellAdmins({ what: 'users', ...named(userIds) });
    tellOthers(channelIds.map(audience.membersOf), { what: 'users' });
    for (const id of userIds) tellOthers([audience.user(id)], { what: 'users', userIds: [id] });
  });
  for (const fact of ['usersCreated', 'usersDeleted'] as const) {
    facts.on(fact, ({ userIds, channelIds }) => tellOfAccounts(userIds, channelIds));
  }
  for (const fact of ['guestLinkMade', 'guestLinkEnded'] as const) {
    // Only administrators hear of these.
    facts.on(fact, ({ channelId }) => tellAdmins({ what: 'guests', channelId }));
  }
  return { api: undefined };
}

/** Names users up to a bound. Beyond it nobody is named: what they are in is read again. */
const named = (userIds: readonly UserId[]): Pick<News, 'userIds'> =>
  userIds.length > MEMBERS_NAMED_MAX ? {} : { userIds: [...userIds] };
