import type { ChannelId, UserId } from '@pressel/contract/ids';
import type { UserChange } from '@pressel/contract/users';
import type { Sql } from '#src/db/connect.ts';
import type { Session } from '#src/shared/session.ts';
import * as repository from './users.repository.ts';
import { lockAccountsFor, type MembershipChange, type UsersDeps } from './users.service.ts';

export type Outcome = 'done' | 'not_found' | 'last_admin';

export type UserChangesService = ReturnType<typeof createUserChangesService>;

/** Changes of many users at once. */
export function createUserChangesService(
  deps: Pick<UsersDeps, 'db' | 'memberships' | 'endSockets' | 'announce' | 'announceDeleted'>,
) {
  const { db, memberships } = deps;

  /** Deletes them all, but that an administrator stays: the caller, should they be among them, else the last named. */
  async function deleteBut(sql: Sql, session: Session, roles: ReadonlyMap<UserId, 'admin' | 'member'>) {
    const admins = [...roles].flatMap(([id, role]) => (role === 'admin' ? [id] : []));
    const leavesNone = admins.length > 0 && (await repository.countAdmins(sql)) === admins.length;
    const kept = leavesNone ? (admins.find((id) => id === session.userId) ?? admins.at(-1)) : undefined;
    const leaving = [...roles.keys()].filter((id) => id !== kept);
    const channelIds = await memberships.channelsOf(sql, leaving);
    await repository.deleteUserRows(sql, leaving);
    return { kept, leaving, channelIds };
  }

  return {
    /** Makes one change to several users, in one transaction. @returns what became of each, in their order */
    async change(
      session: Session,
      userIds: readonly UserId[],
      change: UserChange,
    ): Promise<{ userId: UserId; outcome: Outcome }[]> {
      let changes: MembershipChange[] = [];
      let deleted: UserId[] = [];
      let deletedFrom: ChannelId[] = [];
      let kept: UserId | undefined;
      const known = await db.transaction(async (tx) => {
        await lockAccountsFor(tx, session);
        const found = await repository.rolesOf(tx, userIds);
        const roles = new Map(
          userIds.flatMap((id) => (found.has(id) ? [[id, found.get(id) ?? 'member'] as const] : [])),
        );
        const ids = [...roles.keys()];
        switch (change.type) {
          case 'addToChannels':
            changes = await memberships.add(tx, ids, change.channelIds);
            break;
          case 'removeFromChannels':
            changes = await memberships.remove(tx, ids, change.channelIds);
            break;
          case 'setMapRight':
            await repository.setMapRights(tx, ids, change.mapRight);
            break;
          case 'delete':
            ({ kept, leaving: deleted, channelIds: deletedFrom } = await deleteBut(tx, session, roles));
            break;
          default:
            change satisfies never;
        }
        return roles;
      });
      for (const id of deleted) deps.endSockets(id, null);
      if (deleted.length > 0) deps.announceDeleted(deletedFrom);
      memberships.tell(changes);
      if (change.type === 'setMapRight' && known.size > 0) deps.announce([...known.keys()], []);
      return userIds.map((userId) => {
        if (!known.has(userId)) return { userId, outcome: 'not_found' };
        return { userId, outcome: userId === kept ? 'last_admin' : 'done' };
      });
    },
  };
}
