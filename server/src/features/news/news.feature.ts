import type { ChannelId, UserId } from '@pressel/contract/ids';
import type { Feature, Platform } from '#src/platform/platform.ts';
import { audience } from '#src/platform/sockets.ts';
import { unique } from '#src/shared/unique.ts';

type What = 'channels' | 'users' | 'memberships';

/**
 * Tells screens which lists to read again, and only those who may see what changed. It follows the facts after
 * presence: who came to be a member by a change hears of it as one.
 */
export function newsFeature({ facts, sockets, quiet }: Pick<Platform, 'facts' | 'sockets' | 'quiet'>): Feature {
  /** For administrators, members of these channels and these users: one piece, however many of that somebody is. */
  const tell = (
    what: What,
    channelIds: readonly ChannelId[] = [],
    userIds: readonly UserId[] = [],
    more?: { isGone: true },
  ): void => {
    const [channelId, ...others] = channelIds;
    const isOfOne = what !== 'users' && channelId !== undefined && others.length === 0;
    sockets
      .to([audience.admins, ...channelIds.map(audience.membersOf), ...userIds.map(audience.user)])
      .emit('changed', { what, ...(isOfOne ? { channelId } : {}), ...more });
    quiet.told(null);
  };

  facts.on('channelCreated', ({ channel, changes }) => {
    // One piece of news: who is a member now learns of the channel and of being one at once.
    tell('channels', [channel.id], unique(changes.map(({ userId }) => userId)));
  });
  facts.on('channelChanged', ({ channel }) => tell('channels', [channel.id]));
  facts.on('channelDeleted', ({ channelId }) => tell('channels', [channelId], [], { isGone: true }));
  facts.on('channelsImported', () => tell('channels'));
  facts.on('membershipsChanged', ({ changes }) => {
    if (changes.length === 0) return;
    const channelIds = unique(changes.map(({ channelId }) => channelId));
    tell('memberships', channelIds, unique(changes.map(({ userId }) => userId)));
  });
  facts.on('usersChanged', ({ userIds, channelIds }) => tell('users', channelIds, userIds));
  for (const fact of ['usersCreated', 'usersDeleted'] as const) {
    facts.on(fact, ({ channelIds }) => {
      tell('users');
      if (channelIds.length > 0) tell('memberships', channelIds);
    });
  }
  for (const fact of ['guestsMoved', 'guestLinkMade', 'guestLinkEnded'] as const) {
    // For administrators alone.
    facts.on(fact, ({ channelId }) => {
      sockets.to(audience.admins).emit('changed', { what: 'guests', channelId });
      quiet.told(null);
    });
  }
  return { api: undefined };
}
