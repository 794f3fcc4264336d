import type { GuestLinkId } from '@pressel/contract/guests';
import type { ChannelId, UserId } from '@pressel/contract/ids';
import { GUEST_AWAY_MS, REMEMBERED_SESSION_MAX_MS, REMEMBERED_SESSION_MS, SESSION_MS } from '@pressel/contract/limits';
import { loggedAddress } from '#src/addresses/client-address.ts';
import type { Db, Sql } from '#src/db/connect.ts';
import { inRounds } from '#src/db/rounds.ts';
import { hashToken, makeToken, uuidV7 } from '#src/shared/ids.ts';
import type { Device } from './device-of.ts';
import { displayName, fullName } from './present-user.ts';
import { type Authenticate, guestDisplayName, type Session } from './session.ts';
import * as repository from './sessions.repository.ts';

/** Sessions of guests. They open a socket and the call by which a guest leaves, and nothing else. */
interface GuestSessions {
  authenticate: Authenticate;
  /** @returns those of these sessions that are valid. Their guests have sockets, so they are here. */
  keepAlive(ids: readonly string[]): Promise<string[]>;
}

function createGuestSessions(db: Db, now: () => Date): GuestSessions {
  return {
    async authenticate(token, address) {
      const seenAfter = new Date(now().getTime() - GUEST_AWAY_MS);
      const row = await repository.findGuestSession(db, hashToken(token), seenAfter, now());
      if (row === null) return null;
      const { id, name, linkId, linkName, channelId, expiresAt } = row;
      return {
        id,
        userId: id as UserId,
        role: 'guest',
        guest: { linkId: linkId as GuestLinkId, channelId: channelId as ChannelId, name, linkName },
        firstName: name,
        displayName: guestDisplayName(name, linkName),
        mapRight: false,
        expiresAt,
        verifiedAt: null,
        address: loggedAddress(address),
      };
    },

    keepAlive: async (ids) => (ids.length === 0 ? [] : repository.touchGuestSessions(db, ids, now())),
  };
}

/** Minimum interval between extensions of a remembered session, so that not every call costs a write. */
const SLIDE_STEP_MS = 3_600_000;
/** Expired sessions are deleted only after this long, so that a clock that jumps ahead and back doesn't delete all. */
const ENDED_SESSION_KEPT_MS = 7 * 86_400_000;

/** The sessions. Call functions that take `sql` in the transaction of the change. */
export interface Sessions {
  /** Finds a token's session, and extends it if it is a remembered one. */
  authenticate: Authenticate;
  /** The same for a guest's token, which `authenticate` doesn't accept (GUEST6). */
  authenticateGuest: Authenticate;
  /** Whether a session is still unchanged: for work that goes on after its call was admitted. */
  isStill(session: Pick<Session, 'id' | 'userId' | 'role'>): Promise<boolean>;
  /** @returns the token; only its hash is stored */
  open(sql: Sql, userId: UserId, remember: boolean, device: Device): Promise<string>;
  /** Stores that the session's user proved their password now (AUTH1), and whether to keep the proof (AUTH14). */
  prove(sql: Sql, sessionId: string, isKept: boolean): Promise<void>;
  /** A user's valid sessions, the newest first. */
  listOf(sql: Sql, userId: UserId): ReturnType<typeof repository.listSessionsOf>;
  /** The user of a valid session; null when there is none. */
  ownerOf(sql: Sql, sessionId: string): Promise<UserId | null>;
  /** @returns false when it had already ended */
  end(sql: Sql, sessionId: string): Promise<boolean>;
  /** Ends all sessions of a user except the given one. @returns false when there were none */
  endAllOf(sql: Sql, userId: UserId, exceptSessionId: string | null): Promise<boolean>;
  /**
   * @returns those of these sessions that are valid, including guests' ones. Extends the remembered ones: an open socket
   * counts as use.
   */
  keepAlive(ids: readonly string[]): Promise<ReadonlySet<string>>;
}

export function createSessions(db: Db, now: () => Date): Sessions {
  const slideTo = () => new Date(now().getTime() + REMEMBERED_SESSION_MS);
  const slide = (ids: readonly string[]) => repository.setSessionExpiry(db, ids, slideTo(), REMEMBERED_SESSION_MAX_MS);
  const findSessions = repository.prepareFindSessions(db);
  const findSession = inRounds(async (tokenHashes: readonly string[]) => {
    const found = new Map((await findSessions(tokenHashes, now())).map((one) => [one.tokenHash, one]));
    return tokenHashes.map((hash) => found.get(hash) ?? null);
  });
  const guests = createGuestSessions(db, now);
  return {
    authenticateGuest: guests.authenticate,

    async authenticate(token, address) {
      const found = await findSession(hashToken(token));
      if (found === null) return null;
      if (isSlideDue(found, slideTo())) await slide([found.id]);
      return {
        id: found.id,
        userId: found.userId as UserId,
        role: found.role,
        firstName: found.firstName,
        displayName: displayName(found),
        fullName: fullName(found),
        photoId: found.photoId,
        mapRight: found.mapRight,
        address: loggedAddress(address),
        expiresAt: found.expiresAt,
        verifiedAt: found.verifiedAt,
        isProofKept: found.isProofKept,
      };
    },

    async isStill(session) {
      const [valid] = await repository.findValidSessions(db, [session.id], now());
      return valid !== undefined && (await repository.roleInSession(db, session)) === session.role;
    },

    async open(sql, userId, remember, device) {
      const token = makeToken();
      await repository.deleteEndedSessions(sql, new Date(now().getTime() - ENDED_SESSION_KEPT_MS));
      await repository.insertSession(sql, {
        id: uuidV7(),
        tokenHash: hashToken(token),
        userId,
        remember,
        ...device,
        createdAt: now(),
        expiresAt: remember ? slideTo() : new Date(now().getTime() + SESSION_MS),
      });
      return token;
    },

    prove: (sql, sessionId, isKept) => repository.setVerified(sql, sessionId, now(), isKept),
    listOf: (sql, userId) => repository.listSessionsOf(sql, userId, now()),
    ownerOf: async (sql, sessionId) => (await repository.findSessionOwner(sql, sessionId, now())) as UserId | null,
    end: repository.deleteSession,
    endAllOf: repository.deleteSessionsOf,

    async keepAlive(ids) {
      if (ids.length === 0) return new Set();
      const valid = await repository.findValidSessions(db, ids, now());
      const due = valid.filter((session) => isSlideDue(session, slideTo()));
      await slide(due.map(({ id }) => id));
      const found = new Set(valid.map(({ id }) => id));
      for (const id of await guests.keepAlive(ids.filter((one) => !found.has(one)))) found.add(id);
      return found;
    },
  };
}

type Lasting = Pick<repository.SessionRow, 'remember' | 'createdAt' | 'expiresAt'>;
const isSlideDue = ({ remember, createdAt, expiresAt }: Lasting, slideTo: Date): boolean => {
  const end = Math.min(slideTo.getTime(), createdAt.getTime() + REMEMBERED_SESSION_MAX_MS);
  return remember && end - expiresAt.getTime() > SLIDE_STEP_MS;
};
