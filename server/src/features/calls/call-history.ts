import type { CallId, Rejection, WriteIn } from '@pressel/contract/calls';
import type { UserId } from '@pressel/contract/ids';
import type { Platform } from '#src/platform/platform.ts';
import type { GoesOn } from '#src/processes/schedule.ts';
import type { Addressees } from '#src/sockets/sockets.ts';
import type { ActiveCall } from './active-calls.ts';
import * as repository from './calls.repository.ts';

export interface CallHistoryDeps extends Pick<Platform, 'db' | 'now'> {
  devicesOf(userId: UserId): Addressees;
}

/** Calls that are over: which ones a user missed, and with whom they were in touch. */
export function createCallHistory({ db, now, devicesOf }: CallHistoryDeps) {
  async function tellMissed(userId: UserId): Promise<void> {
    devicesOf(userId).emit('missed_calls', { count: await repository.countMissed(db, userId) });
  }

  /** After "write to me" the caller learns where. If that can't be found out, the rejection is told all the same. */
  async function channelToWriteIn(
    { caller, callee }: ActiveCall,
    rejection: Rejection | null,
  ): Promise<{ writeIn?: WriteIn }> {
    if (rejection !== 'write_me') return {};
    const found = await repository.findSharedChannel(db, caller.id, callee.id).catch(() => null);
    return found === null ? {} : { writeIn: found };
  }

  return {
    tellMissed,
    placeToWrite: channelToWriteIn,

    missed: (userId: UserId) => Promise.all([repository.countMissed(db, userId), repository.listMissed(db, userId)]),

    list: (userId: UserId, before: CallId | undefined) => repository.listCalls(db, userId, before),

    async see(userId: UserId, upTo: CallId | undefined): Promise<void> {
      await repository.markSeen(db, userId, now(), upTo);
      await tellMissed(userId);
    },

    /** Removes deleted users from everybody's contacts. @returns false when it was told to stop */
    async erase(userIds: readonly string[], goesOn: GoesOn): Promise<boolean> {
      for (const userId of userIds) {
        if (!(await goesOn())) return false;
        await repository.deleteContactsOf(db, userId);
      }
      return true;
    },
  };
}
