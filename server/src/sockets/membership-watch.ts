import type { ChannelId, UserId } from '@pressel/contract/ids';
import type { MembershipChange } from '#src/processes/facts.ts';

/** Knows which channels a user is a member of, and stays up to date while work for them is under way. */
export interface MembershipWatch {
  /** Runs `work`; `channelIds` always returns the current channels. */
  during<T>(userId: UserId, work: (channelIds: () => readonly ChannelId[]) => Promise<T>): Promise<T>;
  changed(changes: readonly MembershipChange[]): void;
}

/** @param catchUp hands over the changes that other processes have committed by now, whose news may still be on their way */
export function createMembershipWatch(
  readChannelIds: (userId: UserId) => Promise<ChannelId[]>,
  catchUp: () => Promise<void>,
): MembershipWatch {
  const watches = new Set<{ userId: UserId; changes: MembershipChange[] }>();
  return {
    async during(userId, work) {
      // Starts before the read: its answer may predate a change that is announced meanwhile.
      const watch = { userId, changes: [] as MembershipChange[] };
      watches.add(watch);
      try {
        const read = await readChannelIds(userId);
        // Without this an older change could come after the work.
        await catchUp();
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
