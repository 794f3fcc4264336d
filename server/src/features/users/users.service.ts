import type { ChannelId, UserId } from '@pressel/contract/ids';
import type { getUserIds, updateUserData } from '@pressel/contract/users';
import type * as z from 'zod';
import type { Db, Sql } from '#src/db/connect.ts';
import { AppError } from '#src/shared/app-error.ts';
import { inItsTimeZone } from '#src/shared/list-sql.ts';
import type { Passwords } from '#src/shared/passwords.ts';
import type { Session } from '#src/shared/session.ts';
import * as lists from './user-lists.repository.ts';
import * as repository from './users.repository.ts';

export interface MembershipChange {
  userId: UserId;
  channelId: ChannelId;
  isMember: boolean;
}
type EditMemberships = (
  sql: Sql,
  userIds: readonly UserId[],
  channelIds: readonly ChannelId[],
) => Promise<MembershipChange[]>;

export interface UsersDeps {
  db: Db;
  passwords: Passwords;
  passwordMinLength: number;
  /** Both refuse unknown channels with not_found. What they did is told after it is stored. */
  memberships: {
    add: EditMemberships;
    remove: EditMemberships;
    tell(changes: readonly MembershipChange[]): void;
    channelsOf(sql: Sql, userIds: readonly UserId[]): Promise<ChannelId[]>;
  };
  /** Ends the sessions of a user but for one, within the transaction. */
  deleteSessions(sql: Sql, userId: UserId, exceptSessionId: string): Promise<void>;
  /** Closes a user's sockets but for those of one session: their sessions, or what they may do, ended. */
  endSockets(userId: UserId, exceptSessionId: string | null): void;
  /** Accounts changed: administrators, these users and the members of these channels should read them again. */
  announce(userIds: readonly UserId[], channelIds: readonly ChannelId[]): void;
  /** Accounts went, and with them their memberships of these channels. */
  announceDeleted(channelIds: readonly ChannelId[]): void;
}

/**
 * Locks the accounts for a change by this caller. What they may do was looked up before they had to wait for the lock:
 * of two administrators the one who was demoted first must not make themselves one again.
 * @throws AppError unauthenticated, forbidden: the session or the role ended meanwhile
 */
export async function lockAccountsFor(sql: Sql, session: Session): Promise<void> {
  await repository.lockAccounts(sql);
  const role = await repository.roleInSession(sql, session);
  if (role === null) throw new AppError('unauthenticated');
  if (role !== session.role) throw new AppError('forbidden');
}

export type UsersService = ReturnType<typeof createUsersService>;

export function createUsersService(deps: UsersDeps) {
  const { db, memberships } = deps;

  const existing = async (sql: Sql, id: string): Promise<repository.UserRow> => {
    const user = await repository.findUser(sql, id);
    if (user === null) throw new AppError('not_found', { what: 'user' });
    return user;
  };

  /** The one rule of who may read or change an account: its owner, and administrators. */
  const requireAccess = (session: Session, userId: UserId): void => {
    if (session.role !== 'admin' && session.userId !== userId) throw new AppError('forbidden');
  };

  const hashOf = (password: string): Promise<string> => {
    if (password.length < deps.passwordMinLength) {
      throw new AppError('password_too_short', { minLength: deps.passwordMinLength });
    }
    return deps.passwords.hash(password);
  };

  /** After this there is still an administrator. Call it under the lock of the accounts, in the transaction. */
  const requireAnAdmin = async (sql: Sql): Promise<void> => {
    if ((await repository.countAdmins(sql)) === 0) throw new AppError('last_admin');
  };

  return {
    /** Users with what is live about them; with their channels unless a page was asked for. */
    async list(input: lists.UsersQuery) {
      const { rows, total } = await inItsTimeZone(input, (query) => lists.listUsers(db, query));
      const isWhole = input.limit === undefined;
      const sockets = await lists.listSockets(db, isWhole ? undefined : rows.map(({ user }) => user.id));
      const socketsOf = Map.groupBy(sockets, ({ userId }) => userId);
      const channelsOf = isWhole ? await lists.listChannelsByUser(db) : null;
      const users = rows.map(({ user, latest, isMember }) => ({
        user,
        latest,
        sockets: socketsOf.get(user.id),
        channels: channelsOf === null ? undefined : (channelsOf.get(user.id) ?? []),
        isMember: input.memberOf === undefined ? undefined : isMember,
      }));
      return { users, total, connected: await lists.countInRooms(db) };
    },

    ids: (input: z.output<(typeof getUserIds)['body']>) =>
      inItsTimeZone(input, (query) => lists.listUserIds(db, query)),

    async find(session: Session, userId: UserId) {
      requireAccess(session, userId);
      const found = await lists.findListedUser(db, userId);
      if (found === null) throw new AppError('not_found', { what: 'user' });
      return {
        user: found.user,
        latest: found.latest,
        sockets: await lists.listSockets(db, [userId]),
        channels: (await lists.listChannelsByUser(db, [userId])).get(userId) ?? [],
      };
    },

    async update(session: Session, input: z.output<(typeof updateUserData)['body']>): Promise<void> {
      requireAccess(session, input.id);
      const { id, addChannels, removeChannels } = input;
      if (session.role !== 'admin' && addChannels.length + removeChannels.length > 0) throw new AppError('forbidden');
      const passwordHash = input.password === '' ? null : await hashOf(input.password);
      const { before, changes, channelIds } = await db.transaction(async (tx) => {
        await lockAccountsFor(tx, session);
        const user = await existing(tx, id);
        const { role = user.role, mapRight = user.mapRight } = input;
        if (session.role !== 'admin' && (role !== user.role || mapRight !== user.mapRight)) {
          throw new AppError('forbidden');
        }
        if (input.version !== undefined && input.version !== user.version) {
          throw new AppError('conflict', { what: 'user' });
        }
        await repository.updateUserRow(tx, id, {
          firstName: input.firstName,
          lastName: input.lastName,
          pseudo: input.pseudo,
          phoneNumber: input.phone_number,
          role,
          mapRight,
          ...(passwordHash === null ? {} : { passwordHash }),
        });
        if (role !== user.role) await requireAnAdmin(tx);
        if (passwordHash !== null) await deps.deleteSessions(tx, id, session.id);
        const leaving = new Set(removeChannels);
        const coming = addChannels.filter((channelId) => !leaving.has(channelId));
        return {
          before: user,
          changes: [
            ...(await memberships.remove(tx, [id], removeChannels)),
            ...(await memberships.add(tx, [id], coming)),
          ],
          channelIds: await memberships.channelsOf(tx, [id]),
        };
      });
      if (passwordHash !== null) deps.endSockets(id, session.id);
      // Sockets know the role that they came with: they come back with the new one.
      if (input.role !== undefined && input.role !== before.role) deps.endSockets(id, null);
      memberships.tell(changes);
      deps.announce([id], channelIds);
    },

    async setPassword(session: Session, userId: UserId, password: string): Promise<void> {
      requireAccess(session, userId);
      const passwordHash = await hashOf(password);
      await db.transaction(async (tx) => {
        await lockAccountsFor(tx, session);
        if (!(await repository.updateUserRow(tx, userId, { passwordHash }))) {
          throw new AppError('not_found', { what: 'user' });
        }
        await deps.deleteSessions(tx, userId, session.id);
      });
      deps.endSockets(userId, session.id);
      // The version of the account is another one now.
      deps.announce([userId], []);
    },

    async remove(session: Session, userId: UserId): Promise<void> {
      const channelIds = await db.transaction(async (tx) => {
        await lockAccountsFor(tx, session);
        const theirs = await memberships.channelsOf(tx, [userId]);
        const deleted = await repository.deleteUserRows(tx, [userId]);
        if (deleted.length === 0) throw new AppError('not_found', { what: 'user' });
        await requireAnAdmin(tx);
        return theirs;
      });
      deps.endSockets(userId, null);
      deps.announceDeleted(channelIds);
    },
  };
}
