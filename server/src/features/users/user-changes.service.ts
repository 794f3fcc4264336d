import type { UserId } from '@pressel/contract/ids';
import type { UserChange } from '@pressel/contract/users';
import { displayName } from '#src/accounts/present-user.ts';
import type { Session } from '#src/accounts/session.ts';
import type { Act, Change, ChangeTx } from '#src/history/change.ts';
import * as repository from './users.repository.ts';
import { deletionOf, type Memberships } from './users.service.ts';

export type Outcome = 'done' | 'not_found' | 'last_admin';

export type UserChangesService = ReturnType<typeof createUserChangesService>;

/** Bulk changes of users. */
export function createUserChangesService({ change, memberships }: { change: Change; memberships: Memberships }) {
  /**
   * Deletes these users. If that would leave no administrator, one is kept: the caller if included, else the last
   * administrator of the list.
   * @returns the administrator who was kept, if any
   */
  async function deleteKeepingAnAdmin(
    tx: ChangeTx,
    act: Act,
    session: Session,
    roles: ReadonlyMap<UserId, 'admin' | 'member'>,
  ): Promise<UserId | undefined> {
    const admins = [...roles].flatMap(([id, role]) => (role === 'admin' ? [id] : []));
    const leavesNone = admins.length > 0 && (await repository.countAdmins(tx)) === admins.length;
    const kept = leavesNone ? (admins.find((id) => id === session.userId) ?? admins.at(-1)) : undefined;
    const userIds = [...roles.keys()].filter((id) => id !== kept);
    const channelIds = await memberships.channelsOf(tx, userIds);
    await act.record(...(await repository.deleteUserRows(tx, userIds)).map(deletionOf));
    if (userIds.length > 0) act.after('usersDeleted', { userIds, channelIds });
    return kept;
  }

  return {
    /** Applies one change to several users, in one transaction. @returns the outcome for each, in their order */
    change: (
      session: Session,
      userIds: readonly UserId[],
      wanted: UserChange,
    ): Promise<{ userId: UserId; outcome: Outcome }[]> =>
      change(session, async (tx, act) => {
        const found = await repository.rolesOf(tx, userIds);
        const roles = new Map(
          userIds.flatMap((id) => (found.has(id) ? [[id, found.get(id) ?? 'member'] as const] : [])),
        );
        const ids = [...roles.keys()];
        let kept: UserId | undefined;
        switch (wanted.type) {
          case 'addToChannels':
            act.after('membershipsChanged', { changes: await memberships.add(tx, act, ids, wanted.channelIds) });
            break;
          case 'removeFromChannels':
            act.after('membershipsChanged', { changes: await memberships.remove(tx, act, ids, wanted.channelIds) });
            break;
          case 'setMapRight':
            await act.record(
              ...(await repository.setMapRights(tx, ids, wanted.mapRight)).map((row) => ({
                type: 'map_right_change' as const,
                target: { id: row.id, name: displayName(row) },
                details: { from: !wanted.mapRight, to: wanted.mapRight },
              })),
            );
            if (ids.length === 0) break;
            act.after('mapRightChanged', { userIds: ids, mapRight: wanted.mapRight });
            act.after('usersChanged', { userIds: ids, channelIds: [] });
            break;
          case 'delete':
            kept = await deleteKeepingAnAdmin(tx, act, session, roles);
            break;
          default:
            wanted satisfies never;
        }
        return userIds.map((userId) => {
          if (!roles.has(userId)) return { userId, outcome: 'not_found' };
          return { userId, outcome: userId === kept ? 'last_admin' : 'done' };
        });
      }),
  };
}
