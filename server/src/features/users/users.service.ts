import type { ChannelId, UserId } from '@pressel/contract/ids';
import type { getUserIds, UserChange, updateUserData } from '@pressel/contract/users';
import type * as z from 'zod';
import type { Passwords } from '#src/accounts/passwords.ts';
import { mayChangeRights, maySeePositions, mayUseAccount } from '#src/accounts/policies.ts';
import { type AroundUser, displayName } from '#src/accounts/present-user.ts';
import { requireFreshProof, type Session } from '#src/accounts/session.ts';
import type { Sessions } from '#src/accounts/sessions.ts';
import type { Db, Sql } from '#src/db/connect.ts';
import { withKnownTimeZone } from '#src/db/list-sql.ts';
import type { Act, Change, ChangeTx, RecordedAct } from '#src/history/change.ts';
import { listLastPositions } from '#src/history/latest.repository.ts';
import type { MembershipChange } from '#src/processes/facts.ts';
import { AppError } from '#src/shared/app-error.ts';
import { portionsOf } from '#src/shared/in-pieces.ts';
import { listSockets } from '#src/sockets/sockets.repository.ts';
import * as repository from './users.repository.ts';

type Outcome = 'done' | 'not_found' | 'last_admin';

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

type EditMemberships = (
  sql: ChangeTx,
  act: Act,
  userIds: readonly UserId[],
  channelIds: readonly ChannelId[],
) => Promise<MembershipChange[]>;

/** Changes memberships within a transaction of this feature. Unknown channels are refused with `not_found`. */
interface Memberships {
  add: EditMemberships;
  remove: EditMemberships;
  channelsOf(sql: Sql, userIds: readonly UserId[]): Promise<ChannelId[]>;
}

export interface UsersDeps {
  db: Db;
  now: () => Date;
  change: Change;
  sessions: Pick<Sessions, 'endAllOf'>;
  passwords: Pick<Passwords, 'hash'>;
  passwordMinLength: number;
  memberships: Memberships;
  /** Withdraws all guest links that a user made. */
  guestLinks: { withdrawAllOf(tx: ChangeTx, userId: UserId): Promise<void> };
}

/** A user as lists show them, with what is around. */
type ListedAround = AroundUser & { user: repository.ShownUser };

export type UsersService = ReturnType<typeof createUsersService>;

export function createUsersService(deps: UsersDeps) {
  const { db, change, memberships, sessions } = deps;

  const existing = async (sql: Sql, id: string): Promise<repository.UserRow> => {
    const user = await repository.findUser(sql, id);
    if (user === null) throw new AppError('not_found', { what: 'user' });
    return user;
  };

  const requireAccess = (session: Session, userId: UserId): void => {
    if (!mayUseAccount(session, userId)) throw new AppError('forbidden');
  };

  const hashOf = (password: string): Promise<string> => {
    if (password.length < deps.passwordMinLength) {
      throw new AppError('password_too_short', { minLength: deps.passwordMinLength });
    }
    return deps.passwords.hash(password);
  };

  /** Call it after the change, in its transaction. @throws AppError last_admin when no administrator is left */
  const requireAnAdmin = async (sql: Sql): Promise<void> => {
    if ((await repository.countAdmins(sql)) === 0) throw new AppError('last_admin');
  };

  return {
    /** Users with their live sockets; without `limit` also with their channels. */
    async list(input: repository.UsersQuery) {
      const { ids, total } = await withKnownTimeZone(input, (query) => repository.findUserIds(db, query));
      const now = deps.now();
      const found: ListedAround[] = [];
      for (const portion of portionsOf(ids)) {
        const rows = await repository.readUsers(db, portion, input.memberOf);
        const socketsOf = Map.groupBy(await listSockets(db, portion), ({ userId }) => userId);
        const positions = await listLastPositions(db, portion);
        const channelsOf = input.limit === undefined ? await repository.listChannelsByUser(db, portion) : null;
        for (const { user, latest, isMember } of rows) {
          found.push({
            user,
            latest,
            sockets: socketsOf.get(user.id),
            seen: { position: positions.get(user.id), now },
            channels: channelsOf === null ? undefined : (channelsOf.get(user.id) ?? []),
            isMember: input.memberOf === undefined ? undefined : isMember,
          });
        }
      }
      return { users: found, total, connected: await repository.countInRooms(db) };
    },

    ids: (input: z.output<(typeof getUserIds)['body']>) =>
      withKnownTimeZone(input, (query) => repository.listUserIds(db, query)),

    async find(session: Session, userId: UserId) {
      requireAccess(session, userId);
      const [found] = await repository.readUsers(db, [userId]);
      if (found === undefined) throw new AppError('not_found', { what: 'user' });
      return {
        user: found.user,
        latest: found.latest,
        sockets: await listSockets(db, [userId]),
        seen: maySeePositions(session)
          ? { position: (await listLastPositions(db, [userId])).get(userId), now: deps.now() }
          : undefined,
        channels: (await repository.listChannelsByUser(db, [userId])).get(userId) ?? [],
      };
    },

    async update(session: Session, input: z.output<(typeof updateUserData)['body']>): Promise<void> {
      requireAccess(session, input.id);
      const { id, addChannels, removeChannels } = input;
      const isForAdmins = addChannels.length + removeChannels.length > 0;
      if (isForAdmins && !mayChangeRights(session)) throw new AppError('forbidden');
      if (id !== session.userId || input.password !== '') requireFreshProof(session, deps.now());
      const passwordHash = input.password === '' ? null : await hashOf(input.password);
      await change(session, async (tx, act) => {
        const user = await existing(tx, id);
        const { role = user.role, mapRight = user.mapRight } = input;
        const isOfRights = role !== user.role || mapRight !== user.mapRight;
        if (isOfRights && !mayChangeRights(session)) throw new AppError('forbidden');
        if (role !== user.role) requireFreshProof(session, deps.now());
        if (input.version !== undefined && input.version !== user.version) {
          throw new AppError('conflict', { what: 'user' });
        }
        await repository.updateUserRow(tx, id, {
          firstName: input.firstName,
          lastName: input.lastName,
          pseudo: input.pseudo,
          phoneNumber: input.phone_number,
          // An unchanged role is not written anew: it may be one that only a newer version knows.
          ...(role === user.role ? {} : { role }),
          mapRight,
          ...(passwordHash === null ? {} : { passwordHash }),
        });
        await act.record(...editsOf(user, { ...input, role, mapRight }));
        if (passwordHash !== null) {
          await sessions.endAllOf(tx, id, session.id);
          act.after('sessionsEnded', { userId: id, exceptSessionId: session.id });
        }
        if (mapRight !== user.mapRight) act.after('mapRightChanged', { userIds: [id], mapRight });
        if (role !== user.role) {
          await requireAnAdmin(tx);
          await deps.guestLinks.withdrawAllOf(tx, id);
          act.after('roleChanged', { userId: id });
        }
        const leaving = new Set(removeChannels);
        const coming = addChannels.filter((channelId) => !leaving.has(channelId));
        const removed = await memberships.remove(tx, act, [id], removeChannels);
        const changes = [...removed, ...(await memberships.add(tx, act, [id], coming))];
        act.after('membershipsChanged', { changes });
        act.after('usersChanged', { userIds: [id], channelIds: await memberships.channelsOf(tx, [id]) });
      });
    },

    async setPassword(session: Session, userId: UserId, password: string): Promise<void> {
      requireAccess(session, userId);
      requireFreshProof(session, deps.now());
      const passwordHash = await hashOf(password);
      await change(session, async (tx, act) => {
        if (!(await repository.updateUserRow(tx, userId, { passwordHash }))) {
          throw new AppError('not_found', { what: 'user' });
        }
        const target = { id: userId, name: displayName(await existing(tx, userId)) };
        await act.record({ type: 'password_change', target });
        await sessions.endAllOf(tx, userId, session.id);
        act.after('sessionsEnded', { userId, exceptSessionId: session.id });
        // The version of the account was incremented.
        act.after('usersChanged', { userIds: [userId], channelIds: [] });
      });
    },

    remove: (session: Session, userId: UserId): Promise<void> =>
      change(session, async (tx, act) => {
        const channelIds = await memberships.channelsOf(tx, [userId]);
        const deleted = await repository.deleteUserRows(tx, [userId]);
        if (deleted.length === 0) throw new AppError('not_found', { what: 'user' });
        await act.record(...deleted.map(deletionOf));
        await requireAnAdmin(tx);
        act.after('usersDeleted', { userIds: [userId], channelIds });
      }),
  };
}

const deletionOf = ({ channels, identifier: login, role, ...row }: repository.DeletedUser): RecordedAct => ({
  type: 'user_delete',
  target: { id: row.id, name: displayName(row) },
  details: { login, role, channels },
});

/** The log entries of an edit of an account: one for the fields, and one for each right and the password. */
function editsOf(before: repository.UserRow, after: Edit): RecordedAct[] {
  const target = { id: before.id, name: displayName(after) };
  const changes = [
    { field: 'firstName', from: before.firstName, to: after.firstName },
    { field: 'lastName', from: before.lastName, to: after.lastName },
    { field: 'pseudo', from: before.pseudo, to: after.pseudo },
    { field: 'phone_number', from: before.phoneNumber, to: after.phone_number },
  ] as const;
  const changed = changes.filter(({ from, to }) => from !== to);
  const acts: RecordedAct[] = [];
  if (changed.length > 0) acts.push({ type: 'user_update', target, details: { changes: changed } });
  if (after.role !== before.role) {
    acts.push({ type: 'role_change', target, details: { from: before.role, to: after.role } });
  }
  if (after.mapRight !== before.mapRight) {
    acts.push({ type: 'map_right_change', target, details: { from: before.mapRight, to: after.mapRight } });
  }
  if (after.password !== '') acts.push({ type: 'password_change', target });
  return acts;
}

type Edit = Pick<
  z.output<(typeof updateUserData)['body']>,
  'firstName' | 'lastName' | 'pseudo' | 'phone_number' | 'password'
> &
  Pick<repository.UserRow, 'role' | 'mapRight'>;
