import type { ChannelId, UserId } from '@pressel/contract/ids';
import type { MembershipChange } from './facts.ts';

/** What channels somebody is a member of, kept up to date while something of theirs is under way. */
export interface MembershipWatch {
  /** `channelIds` gives, at any moment of the work, the channels of that moment. */
  during<T>(userId: UserId, work: (channelIds: () => readonly ChannelId[]) => Promise<T>): Promise<T>;
  changed(changes: readonly MembershipChange[]): void;
}

export function createMembershipWatch(readChannelIds: (userId: UserId) => Promise<ChannelId[]>): MembershipWatch {
  const watches = new Set<{ userId: UserId; changes: MembershipChange[] }>();
  return {
    async during(userId, work) {
      // From before the read: it may have been answered before a change that is told while it comes.
      const watch = { userId, changes: [] as MembershipChange[] };
      watches.add(watch);
      try {
        const read = await readChannelIds(userId);
        return await work(() => {
          const channelIds = new Set(read);
          for (const { channelId, isMember } of watch.changes) {
            if (isMember) channelIds.add(channelId);
            else channelIds.delete(channelId);
          }
          return [...channelIds];
        });
      } finally {
        watches.delete(watch);
      }
    },
    changed(changes) {
      for (const { userId, changes: seen } of watches) seen.push(...changes.filter((one) => one.userId === userId));
    },
  };
}
