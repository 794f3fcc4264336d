import { isValidToken, type SessionUser } from '@pressel/contract/auth';
import type { UserId } from '@pressel/contract/ids';
import type { Api } from './api/api.ts';
import { isUnreachable } from './api/api-error.ts';
import { createListeners } from './listeners.ts';
import type { AppStorage } from './storage.ts';
import type { SnapshotSource } from './use-snapshot.ts';

/**
 * `unreachable`: there is a token, but the server can't be reached to check it. The user stays signed in, and a waiting
 * page is shown.
 */
export type SessionState =
  | { state: 'unknown' }
  | { state: 'signedIn'; user: SessionUser }
  | { state: 'unreachable' }
  | {
      state: 'signedOut';
      reason: 'none' | 'expired' | 'chosen';
      /** The user whose session ended; undefined when there was none, or nobody knows. */
      userId: UserId | undefined;
    };

export interface Session extends SnapshotSource<SessionState> {
  /** Checks the stored token with the server once; later calls return the known state. */
  ready(): Promise<SessionState>;
  /** Checks the token again, after the server was unreachable or refused a socket. */
  check(): Promise<SessionState>;
  open(user: SessionUser, token: string, remember: boolean): void;
  /** Clears the session. `expired`: ended by the server; `chosen`: by the user. */
  end(reason: 'expired' | 'chosen'): void;
}

export interface SessionDeps {
  api: Pick<Api, 'call'>;
  storage: Pick<AppStorage, 'readToken' | 'readUserId' | 'openSession' | 'keepUser' | 'clearSession'>;
}

/** The session's state, in sync with browser storage. */
export function createSession({ api, storage }: SessionDeps): Session {
  const listeners = createListeners();
  let current: SessionState = { state: 'unknown' };
  let checking: Promise<SessionState> | undefined;

  const set = (next: SessionState): SessionState => {
    current = next;
    listeners.notify();
    return next;
  };

  const signOut = (reason: 'none' | 'expired' | 'chosen'): SessionState => {
    const userId = storage.readUserId();
    storage.clearSession();
    return set({ state: 'signedOut', reason, userId });
  };

  const ask = async (): Promise<SessionState> => {
    const token = storage.readToken();
    if (token === undefined) return signOut('none');
    try {
      const reply = await api.call(isValidToken, { token });
      // The token changed while the call was in flight, so the answer is about an old session.
      if (storage.readToken() !== token) return current;
      if (!reply.success) return signOut('expired');
      storage.keepUser(reply.user);
      return set({ state: 'signedIn', user: reply.user });
    } catch (error) {
      // Signed out meanwhile: whether the server can be reached no longer matters.
      if (current.state === 'signedOut') return current;
      if (!isUnreachable(error) && storage.readToken() !== token) return current;
      return current.state === 'signedIn' ? current : set({ state: 'unreachable' });
    }
  };

  const check = (): Promise<SessionState> => {
    checking ??= ask().finally(() => {
      checking = undefined;
    });
    return checking;
  };

  return {
    getSnapshot: () => current,
    subscribe: listeners.add,
    ready: async () => (current.state === 'unknown' ? await check() : current),
    check,
    open(user, token, remember) {
      storage.openSession(user, token, remember);
      set({ state: 'signedIn', user });
    },
    end(reason) {
      if (current.state !== 'signedOut') signOut(reason);
    },
  };
}
