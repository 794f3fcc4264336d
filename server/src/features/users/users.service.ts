import type { UserId } from '@pressel/contract/ids';
import type { updateUserData } from '@pressel/contract/users';
import type * as z from 'zod';
import type { Db, Sql } from '#src/db/connect.ts';
import { AppError } from '#src/shared/app-error.ts';
import type { Passwords } from '#src/shared/passwords.ts';
import type { Session } from '#src/shared/session.ts';
import * as repository from './users.repository.ts';

export interface UsersDeps {
  db: Db;
  passwords: Passwords;
  passwordMinLength: number;
  /** Ends the sessions of a user but for one, within the transaction. */
  deleteSessions(sql: Sql, userId: UserId, exceptSessionId: string): Promise<void>;
  /** Closes a user's sockets but for those of one session: their sessions, or what they may do, ended. */
  endSockets(userId: UserId, exceptSessionId: string | null): void;
  /** The accounts in the lists of administrators changed. */
  announce(): void;
}

export type UsersService = ReturnType<typeof createUsersService>;

export function createUsersService(deps: UsersDeps) {
  const { db } = deps;

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
    async find(session: Session, userId: UserId): Promise<repository.UserRow> {
      requireAccess(session, userId);
      return existing(db, userId);
    },

    async update(session: Session, input: z.output<(typeof updateUserData)['body']>): Promise<void> {
      requireAccess(session, input.id);
      const passwordHash = input.password === '' ? null : await hashOf(input.password);
      const before = await db.transaction(async (tx) => {
        await repository.lockAccounts(tx);
        const user = await existing(tx, input.id);
        const { role = user.role, mapRight = user.mapRight } = input;
        if (session.role !== 'admin' && (role !== user.role || mapRight !== user.mapRight)) {
          throw new AppError('forbidden');
        }
        await repository.updateUserRow(tx, user.id, {
          firstName: input.firstName,
          lastName: input.lastName,
          pseudo: input.pseudo,
          phoneNumber: input.phone_number,
          role,
          mapRight,
          ...(passwordHash === null ? {} : { passwordHash }),
        });
        if (role !== user.role) await requireAnAdmin(tx);
        if (passwordHash !== null) await deps.deleteSessions(tx, input.id, session.id);
        return user;
      });
      if (passwordHash !== null) deps.endSockets(input.id, session.id);
      // Sockets know the role that they came with: they come back with the new one.
      if (input.role !== undefined && input.role !== before.role) deps.endSockets(input.id, null);
      deps.announce();
    },

    async setPassword(session: Session, userId: UserId, password: string): Promise<void> {
      requireAccess(session, userId);
      const passwordHash = await hashOf(password);
      await db.transaction(async (tx) => {
        await existing(tx, userId);
        await repository.updateUserRow(tx, userId, { passwordHash });
        await deps.deleteSessions(tx, userId, session.id);
      });
      deps.endSockets(userId, session.id);
    },

    async remove(userId: UserId): Promise<void> {
      await db.transaction(async (tx) => {
        await repository.lockAccounts(tx);
        if (!(await repository.deleteUserRow(tx, userId))) throw new AppError('not_found', { what: 'user' });
        await requireAnAdmin(tx);
      });
      deps.endSockets(userId, null);
      deps.announce();
    },
  };
}
