import type { logIn, registration, SessionUser, signUpUser, userSession } from '@pressel/contract/auth';
import { SESSION_BROWSERS, SESSION_SYSTEMS, sessionUser } from '@pressel/contract/auth';
import type { Role } from '@pressel/contract/credentials';
import type { ChannelId, UserId } from '@pressel/contract/ids';
import type * as z from 'zod';
import type { Device } from '#src/accounts/device-of.ts';
import { makesOthersAccounts, mayEndSessionsOf } from '#src/accounts/policies.ts';
import { displayName, presentUser } from '#src/accounts/present-user.ts';
import { hasFreshProof, type Session } from '#src/accounts/session.ts';
import { lockPasswordForShare } from '#src/accounts/users.repository.ts';
import { isSetupCode, type SetupCode } from '#src/config/setup-code.ts';
import { violatedConstraint } from '#src/db/errors.ts';
import type { users } from '#src/db/schema/users.ts';
import { type Act, type Actor, actorOf, type ChangeTx } from '#src/history/change.ts';
import type { RateLimit } from '#src/limits/rate-limit.ts';
import type { Platform } from '#src/platform/platform.ts';
import type { MembershipChange } from '#src/processes/facts.ts';
import { AppError } from '#src/shared/app-error.ts';
import { uuidV7 } from '#src/shared/ids.ts';
import { shareUnderWay } from '#src/shared/keyed-lock.ts';
import type { FailedAttempts } from './failed-attempts.ts';
import type { KnownDevices, Shown } from './known-devices.ts';

type UserRow = typeof users.$inferSelect;

/** Somebody who wants to sign up. `isLocal`: the request came from this machine, not through a proxy. */
export interface Newcomer {
  address: string;
  /** The address as the activity log has it. */
  loggedAddress: string | null;
  isLocal: boolean;
}

/** Somebody who wants to sign in: their address, and what their device's cookie shows. */
export interface Caller {
  address: string;
  /** The address as the activity log has it. */
  loggedAddress: string | null;
  shown: Shown;
  /** The device's description of itself. */
  device: Device;
}

export interface AuthDeps
  extends Pick<
    Platform,
    'db' | 'now' | 'change' | 'facts' | 'record' | 'sessions' | 'passwords' | 'limit' | 'refusals' | 'photoPaths'
  > {
  devices: KnownDevices;
  failures: Pick<FailedAttempts, 'note'>;
  signup: 'member' | 'admin' | 'closed';
  passwordMinLength: number;
  setupCode: SetupCode | null;
  users: {
    hasUsers(sql: Platform['db'] | ChangeTx): Promise<boolean>;
    insertUser(tx: ChangeTx, user: typeof users.$inferInsert): Promise<void>;
    findUserByLogin(sql: Platform['db'], login: string): Promise<UserRow | null>;
    findUser(sql: Platform['db'] | ChangeTx, id: string): Promise<UserRow | null>;
  };
  memberships: {
    add(
      tx: ChangeTx,
      act: Act,
      userIds: readonly UserId[],
      channelIds: readonly ChannelId[],
    ): Promise<MembershipChange[]>;
  };
}

export type AuthService = ReturnType<typeof createAuthService>;

export function createAuthService(deps: AuthDeps) {
  const { db, now, passwords, users, sessions, change } = deps;
  /** Shared by callers without a session, who may be many at once. */
  const hasUsers = shareUnderWay(() => users.hasUsers(db));
  const limits = {
    pair: deps.limit('auth.pair'),
    account: deps.limit('auth.account'),
    address: deps.limit('auth.address'),
    device: deps.limit('auth.device'),
    signUps: deps.limit('auth.signUps'),
    setupCodes: deps.limit('auth.setupCodes'),
    proof: deps.limit('auth.proof'),
  };

  /**
   * Returns the account that login and password open, or null. An attempt is counted before it is checked, so that simultaneous
   * guesses count and a flood costs little; a right one is given back. A device known for the account has attempts of its own,
   * which no stranger can use up (AUTH6).
   */
  async function identify(login: string, password: string, caller: Caller): Promise<UserRow | null> {
    const { address, shown } = caller;
    const failed = (reason: 'password' | 'unknown_login' | 'limited', tried: UserRow | null) =>
      deps.failures.note({
        reason,
        address: caller.loggedAddress,
        target: tried === null ? null : { id: tried.id, name: displayName(tried) },
        user: null,
      });
    const take = async (limit: RateLimit, key: string, tried: UserRow | null): Promise<void> => {
      try {
        await limit.take(key);
      } catch (error) {
        await failed('limited', tried);
        throw error;
      }
    };
    if (shown.length === 0) await take(limits.address, address, null);
    const user = await users.findUserByLogin(db, login);
    const deviceId = user === null ? null : deps.devices.idFor(shown, user);
    const account = user?.id ?? login.toLowerCase();
    const pair = `${account} ${address}`;
    if (deviceId !== null) await take(limits.device, deviceId, user);
    else {
      // The device is known, but for somebody else's account.
      if (shown.length > 0) await take(limits.address, address, user);
      await take(limits.pair, pair, user);
      await take(limits.account, account, user);
    }
    const matches = await passwords.verify(user?.passwordHash ?? null, password);
    if (!matches) {
      deps.refusals.note('sign_in_failed', address, { userId: user?.id ?? null, isKnownDevice: deviceId !== null });
      await failed(user === null ? 'unknown_login' : 'password', user);
      return null;
    }
    if (deviceId !== null) await limits.device.reset(deviceId);
    else {
      await limits.pair.reset(pair);
      await limits.account.giveBack(account);
      await limits.address.giveBack(address);
    }
    return user;
  }

  /** Without a code only local requests may make the first account (AUTH11). */
  const asksSetupCode = (isLocal: boolean): boolean => deps.setupCode !== null || !isLocal;

  /** Returns true when no code is asked for. @throws AppError wrong_setup_code, too_many */
  async function givesSetupCode(given: string, address: string, isLocal: boolean): Promise<boolean> {
    if (!asksSetupCode(isLocal)) return true;
    await limits.setupCodes.take(address);
    if (!isSetupCode(deps.setupCode, given)) throw new AppError('wrong_setup_code');
    await limits.setupCodes.giveBack(address);
    return true;
  }

  const presentSelf = (user: UserRow): SessionUser =>
    sessionUser().parse(presentUser(user, { photoUrl: deps.photoPaths.urlOf(user.photoId) }));

  return {
    async describe(userId: UserId): Promise<SessionUser> {
      const user = await users.findUser(db, userId);
      if (user === null) throw new AppError('unauthenticated');
      return presentSelf(user);
    },

    async logIn(
      input: z.output<(typeof logIn)['body']>,
      caller: Caller,
    ): Promise<{ user: SessionUser; token: string; cookie: string }> {
      const user = await identify(input.user_email.trim(), input.user_password, caller);
      if (user === null) throw new AppError('bad_credentials');
      const token = await db.transaction(async (tx) => {
        // The password may have been changed, or the account deleted, while this one was checked.
        const current = await lockPasswordForShare(tx, user.id);
        if (current !== user.passwordHash) throw new AppError('bad_credentials');
        await deps.record(tx, [{ type: 'login', user: accountAsActor(user, caller.loggedAddress), at: now() }]);
        return sessions.open(tx, user.id as UserId, input.remember, caller.device);
      });
      return { user: presentSelf(user), token, cookie: deps.devices.remember(caller.shown, user) };
    },

    async logOut(session: Session): Promise<void> {
      const { id: sessionId } = session;
      await deps.facts.within(async (tx, after) => {
        after('sessionEnded', { sessionId });
        // Several simultaneous sign-outs end the session only once (LOG2).
        if (!(await sessions.end(tx, sessionId))) return;
        await deps.record(tx, [{ type: 'logout', user: actorOf(session), at: now() }]);
      });
    },

    /** Makes an account. Its creator decides the role: an administrator makes members; a stranger gets what SIGNUP says. */
    async signUp(
      input: z.output<(typeof signUpUser)['body']>,
      creator: Session | null,
      { address, loggedAddress, isLocal }: Newcomer,
    ): Promise<{ id: UserId; role: Role }> {
      const byAdmin = makesOthersAccounts(creator);
      if (!byAdmin) {
        if (deps.signup === 'closed') throw new AppError('signup_closed');
        await limits.signUps.take(address);
      }
      const isNobodyThere = !byAdmin && !(await users.hasUsers(db));
      const mayBeFirst = isNobodyThere && (await givesSetupCode(input.setupCode, address, isLocal));
      if (input.password.length < deps.passwordMinLength) {
        throw new AppError('password_too_short', { minLength: deps.passwordMinLength });
      }
      const account = accountFrom(input, await passwords.hash(input.password));
      const extras = byAdmin ? { pseudo: input.pseudo, mapRight: input.mapRight } : { pseudo: '', mapRight: false };
      const id = account.id as UserId;
      try {
        return await change(byAdmin ? creator : null, async (tx, act) => {
          const isFirst = !(await users.hasUsers(tx));
          if (isFirst && !mayBeFirst) throw new AppError('wrong_setup_code');
          const role: Role = isFirst || (!byAdmin && deps.signup === 'admin') ? 'admin' : 'member';
          await users.insertUser(tx, { ...account, ...extras, role });
          const channelIds = byAdmin ? input.channelList : [];
          const actor =
            creator !== null && byAdmin ? actorOf(creator) : accountAsActor({ ...account, ...extras }, loggedAddress);
          await act.recordOf(actor, {
            type: 'user_creation',
            target: { id, name: displayName({ ...account, ...extras }) },
            details: {
              login: account.identifier,
              role,
              mapRight: extras.mapRight,
              channels: new Set(channelIds).size,
              by: byAdmin ? 'administrator' : 'self',
            },
          });
          await deps.memberships.add(tx, act, [id], channelIds);
          act.after('usersCreated', { userIds: [id], channelIds });
          return { id, role };
        });
      } catch (error) {
        if (violatedConstraint(error) === 'users_login_key')
          throw new AppError('duplicate_login', {}, { cause: error });
        throw error;
      }
    },

    /** Checks the own password. If it is right, the session may for a while do what asks for it (AUTH1). */
    async verifyPassword(session: Session, password: string, isKept: boolean, address: string): Promise<boolean> {
      await limits.proof.take(session.userId);
      const user = await users.findUser(db, session.userId);
      if (user === null) throw new AppError('unauthenticated');
      const matches = await passwords.verify(user.passwordHash, password);
      if (!matches) {
        deps.refusals.note('proof_failed', address, { userId: session.userId });
        const actor = actorOf(session);
        const target = { id: session.userId, name: session.displayName };
        await deps.failures.note({ reason: 'proof', address: session.address, target, user: actor });
        return false;
      }
      await limits.proof.reset(session.userId);
      await sessions.prove(db, session.id, isKept);
      return true;
    },

    /** Whether no screen needs to ask for the own password now (AUTH14). */
    isProofKept: (session: Session): boolean => session.isProofKept === true && hasFreshProof(session, now()),

    async sessionsOf(session: Session, userId: UserId): Promise<z.input<ReturnType<typeof userSession>>[]> {
      if (!mayEndSessionsOf(session, userId)) throw new AppError('forbidden');
      if ((await users.findUser(db, userId)) === null) throw new AppError('not_found', { what: 'user' });
      const rows = await sessions.listOf(db, userId);
      return rows.map((row) => presentSession(row, session, now()));
    },

    /** Ends one session of anybody whom the caller may disconnect. */
    async endSession(session: Session, sessionId: string): Promise<void> {
      await change(session, async (tx, act) => {
        const owner = await sessions.ownerOf(tx, sessionId);
        const user = owner !== null && mayEndSessionsOf(session, owner) ? await users.findUser(tx, owner) : null;
        if (user === null) throw new AppError('not_found', { what: 'session' });
        // A sign-out may have ended it meanwhile: one end is one entry (LOG2).
        if (!(await sessions.end(tx, sessionId))) throw new AppError('not_found', { what: 'session' });
        const target = { id: user.id as UserId, name: displayName(user) };
        await act.record({ type: 'session_end', target, details: { isOne: true } });
        act.after('sessionEnded', { sessionId });
      });
    },

    async endAllSessions(session: Session, userId: UserId): Promise<void> {
      if (!mayEndSessionsOf(session, userId)) throw new AppError('forbidden');
      await change(session, async (tx, act) => {
        const user = await users.findUser(tx, userId);
        if (user === null) throw new AppError('not_found', { what: 'user' });
        const hadAny = await sessions.endAllOf(tx, userId, null);
        if (hadAny) await act.record({ type: 'session_end', target: { id: userId, name: displayName(user) } });
        act.after('sessionsEnded', { userId, exceptSessionId: null });
      });
    },

    /** Whether there is no account yet, and whether the first one must give the code. */
    async firstAccount(isLocal: boolean): Promise<{ isFirstUser: boolean; needsSetupCode: boolean }> {
      const isFirstUser = !(await hasUsers());
      return { isFirstUser, needsSetupCode: isFirstUser && asksSetupCode(isLocal) };
    },
  };
}

/** The actor for somebody who has no session yet. */
const accountAsActor = (
  user: Pick<UserRow, 'id' | 'firstName' | 'lastName' | 'pseudo'>,
  address: string | null,
): Actor => ({ id: user.id, firstName: user.firstName, displayName: displayName(user), address });

const accountFrom = (input: z.output<ReturnType<typeof registration>>, passwordHash: string) => ({
  id: uuidV7(),
  identifier: input.email,
  firstName: input.firstName,
  lastName: input.lastName,
  phoneNumber: input.phone_number,
  passwordHash,
});

/** Lists the fields one by one: the token's hash stays here. */
const presentSession = (
  row: Awaited<ReturnType<Platform['sessions']['listOf']>>[number],
  session: Session,
  now: Date,
): z.input<ReturnType<typeof userSession>> => ({
  id: row.id,
  // Stored as text, so that an older version can read what a newer one stored.
  browser: SESSION_BROWSERS.find((name) => name === row.browser) ?? null,
  system: SESSION_SYSTEMS.find((name) => name === row.system) ?? null,
  remember: row.remember,
  createdAt: row.createdAt.toISOString(),
  ageMs: Math.max(0, now.getTime() - row.createdAt.getTime()),
  isOwn: row.id === session.id,
  isConnected: row.isConnected,
});
