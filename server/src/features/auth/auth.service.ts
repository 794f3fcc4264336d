import { createHash, randomBytes } from 'node:crypto';
import type { logIn, registration, SessionUser, signUpUser } from '@pressel/contract/auth';
import { sessionUser } from '@pressel/contract/auth';
import type { ChannelId, UserId } from '@pressel/contract/ids';
import { REMEMBERED_SESSION_MS, SESSION_MS } from '@pressel/contract/limits';
import type { Role } from '@pressel/contract/users';
import type * as z from 'zod';
import type { Db, Sql } from '#src/db/connect.ts';
import { violatedConstraint } from '#src/db/errors.ts';
import { AppError } from '#src/shared/app-error.ts';
import { uuidV7 } from '#src/shared/ids.ts';
import type { Passwords } from '#src/shared/passwords.ts';
import { displayName, presentUser } from '#src/shared/present-user.ts';
import type { RateLimit } from '#src/shared/rate-limit.ts';
import type { Session } from '#src/shared/session.ts';
import * as repository from './auth.repository.ts';

/** A remembered session's end is moved at most this often: sliding must not cost a write per call. */
const SLIDE_STEP_MS = 3_600_000;
/** Ended sessions are kept a while: a clock that jumps ahead and back must not end everybody's for good. */
const ENDED_SESSION_KEPT_MS = 7 * 86_400_000;

type MembershipChange = { userId: UserId; channelId: ChannelId; isMember: boolean };

export interface AuthDeps {
  db: Db;
  now: () => Date;
  signup: 'member' | 'admin' | 'closed';
  passwordMinLength: number;
  passwords: Passwords;
  limits: {
    account: RateLimit;
    accountFromAddress: RateLimit;
    address: RateLimit;
    signUps: RateLimit;
    /** For checks of the own password inside a session: a stranger's guesses must not get in their way. */
    own: RateLimit;
  };
  users: {
    count(sql: Sql): Promise<number>;
    insert(sql: Sql, user: repository.NewAccount): Promise<void>;
    findByLogin(sql: Sql, login: string): Promise<repository.UserRow | null>;
    find(sql: Sql, id: string): Promise<repository.UserRow | null>;
    lockAccounts(sql: Sql): Promise<void>;
  };
  memberships: {
    add(sql: Sql, userIds: readonly UserId[], channelIds: readonly ChannelId[]): Promise<MembershipChange[]>;
    /** After they are stored. */
    tell(changes: readonly MembershipChange[]): void;
  };
  record(
    sql: Sql,
    activity: { type: 'login' | 'logout'; user: { id: string; firstName: string; displayName: string } },
  ): Promise<void>;
  /** The accounts in the lists of administrators changed. */
  announceUsers(): void;
  endSessionSockets(sessionId: string): void;
  endUserSockets(userId: UserId): void;
}

export type AuthService = ReturnType<typeof createAuthService>;

export function createAuthService(deps: AuthDeps) {
  const { db, now, passwords, limits, users } = deps;

  /**
   * The account that login and password open, or null. An attempt is counted before anything is looked up or checked,
   * so that simultaneous guesses count and a flood costs little; a right one is given back.
   */
  async function identify(login: string, password: string, address: string): Promise<repository.UserRow | null> {
    await limits.address.take(address);
    const user = await users.findByLogin(db, login);
    const account = user?.id ?? login.toLowerCase();
    const pair = `${account} ${address}`;
    await limits.accountFromAddress.take(pair);
    await limits.account.take(account);
    const matches = await passwords.verify(user?.passwordHash ?? null, password);
    if (!matches) return null;
    await limits.accountFromAddress.reset(pair);
    await limits.account.giveBack(account);
    await limits.address.giveBack(address);
    return user;
  }

  return {
    /** The session that a token opens, its end moved on when it is a remembered one. */
    async authenticate(token: string): Promise<Session | null> {
      const found = await repository.findSession(db, hashToken(token), now());
      if (found === null) return null;
      const { session, user } = found;
      const slideTo = new Date(now().getTime() + REMEMBERED_SESSION_MS);
      if (session.remember && isSlideDue(session.expiresAt, slideTo)) {
        await repository.setSessionExpiry(db, [session.id], slideTo);
      }
      return {
        id: session.id,
        userId: user.id as UserId,
        role: user.role,
        firstName: user.firstName,
        displayName: displayName(user),
        expiresAt: session.expiresAt,
      };
    },

    async describe(userId: UserId): Promise<SessionUser> {
      const user = await users.find(db, userId);
      if (user === null) throw new AppError('unauthenticated');
      return presentSelf(user);
    },

    async logIn(
      input: z.output<(typeof logIn)['body']>,
      address: string,
    ): Promise<{ user: SessionUser; token: string }> {
      const user = await identify(input.user_email.trim(), input.user_password, address);
      if (user === null) throw new AppError('bad_credentials');
      const token = randomBytes(32).toString('base64url');
      await db.transaction(async (tx) => {
        // The password may have been changed, or the account deleted, while this one was checked.
        if ((await repository.holdPassword(tx, user.id)) !== user.passwordHash) throw new AppError('bad_credentials');
        await repository.deleteEndedSessions(tx, new Date(now().getTime() - ENDED_SESSION_KEPT_MS));
        await repository.insertSession(tx, {
          id: uuidV7(),
          tokenHash: hashToken(token),
          userId: user.id,
          remember: input.remember,
          expiresAt: new Date(now().getTime() + (input.remember ? REMEMBERED_SESSION_MS : SESSION_MS)),
        });
        await deps.record(tx, { type: 'login', user: { ...user, displayName: displayName(user) } });
      });
      return { user: presentSelf(user), token };
    },

    async logOut(session: Session): Promise<void> {
      await db.transaction(async (tx) => {
        await repository.deleteSession(tx, session.id);
        await deps.record(tx, {
          type: 'logout',
          user: { id: session.userId, firstName: session.firstName, displayName: session.displayName },
        });
      });
      deps.endSessionSockets(session.id);
    },

    /** Registers. Who creates decides the role: an administrator makes members; a stranger gets what SIGNUP says. */
    async signUp(
      input: z.output<(typeof signUpUser)['body']>,
      creator: Session | null,
      address: string,
    ): Promise<{ id: UserId; role: Role }> {
      const byAdmin = creator?.role === 'admin';
      if (!byAdmin) {
        if (deps.signup === 'closed') throw new AppError('signup_closed');
        await limits.signUps.take(address);
      }
      if (input.password.length < deps.passwordMinLength) {
        throw new AppError('password_too_short', { minLength: deps.passwordMinLength });
      }
      const account = accountFrom(input, await passwords.hash(input.password));
      const extras = byAdmin ? { pseudo: input.pseudo, mapRight: input.mapRight } : { pseudo: '', mapRight: false };
      const id = account.id as UserId;
      try {
        const { role, changes } = await db.transaction(async (tx) => {
          await users.lockAccounts(tx);
          const isFirst = (await users.count(tx)) === 0;
          const given: Role = isFirst || (!byAdmin && deps.signup === 'admin') ? 'admin' : 'member';
          await users.insert(tx, { ...account, ...extras, role: given });
          return { role: given, changes: byAdmin ? await deps.memberships.add(tx, [id], input.channelList) : [] };
        });
        deps.announceUsers();
        deps.memberships.tell(changes);
        return { id, role };
      } catch (error) {
        if (violatedConstraint(error) === 'users_login_key')
          throw new AppError('duplicate_login', {}, { cause: error });
        throw error;
      }
    },

    async verifyPassword(session: Session, password: string): Promise<boolean> {
      await limits.own.take(session.userId);
      const user = await users.find(db, session.userId);
      if (user === null) throw new AppError('unauthenticated');
      const matches = await passwords.verify(user.passwordHash, password);
      if (matches) await limits.own.reset(session.userId);
      return matches;
    },

    async endAllSessions(session: Session, userId: UserId): Promise<void> {
      if (session.role !== 'admin' && session.userId !== userId) throw new AppError('forbidden');
      if ((await users.find(db, userId)) === null) throw new AppError('not_found', { what: 'user' });
      await repository.deleteSessionsOf(db, userId);
      deps.endUserSockets(userId);
    },

    /** Which of these sessions still hold; the remembered ones among them are moved on, for a socket is use too. */
    async keepAlive(sessionIds: readonly string[]): Promise<ReadonlySet<string>> {
      if (sessionIds.length === 0) return new Set();
      const live = await repository.findLiveSessions(db, sessionIds, now());
      const slideTo = new Date(now().getTime() + REMEMBERED_SESSION_MS);
      const due = live.filter((session) => session.remember && isSlideDue(session.expiresAt, slideTo));
      await repository.setSessionExpiry(
        db,
        due.map((session) => session.id),
        slideTo,
      );
      return new Set(live.map((session) => session.id));
    },

    countUsers: () => users.count(db),
  };
}

const isSlideDue = (expiresAt: Date, slideTo: Date) => slideTo.getTime() - expiresAt.getTime() > SLIDE_STEP_MS;

const hashToken = (token: string) => createHash('sha256').update(token).digest('hex');

const accountFrom = (input: z.output<typeof registration>, passwordHash: string) => ({
  id: uuidV7(),
  identifier: input.email,
  firstName: input.firstName,
  lastName: input.lastName,
  phoneNumber: input.phone_number,
  passwordHash,
});

const presentSelf = (user: repository.UserRow): SessionUser => sessionUser.parse(presentUser(user));
