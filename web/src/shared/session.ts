import { isValidToken, type SessionUser } from '@pressel/contract/auth';
import type { Api } from './api/api.ts';
import { isUnreachable } from './api/api-error.ts';
import { createListeners } from './listeners.ts';
import type { AppStorage } from './storage.ts';
import type { SnapshotSource } from './use-snapshot.ts';

/**
 * Who is signed in. `unreachable`: there is a token, but the server could not be asked about it, so nobody is signed
 * out and nothing is shown yet.
 */
export type SessionState =
  | { state: 'unknown' }
  | { state: 'signedIn'; user: SessionUser }
  | { state: 'unreachable' }
  | { state: 'signedOut'; reason: 'none' | 'expired' | 'chosen' };

export interface Session extends SnapshotSource<SessionState> {
  /** Asks the server about the kept token, once; later calls give what is known. */
  ready(): Promise<SessionState>;
  /** Asks again: after the server could not be reached, or when a socket was refused. */
  check(): Promise<SessionState>;
  open(user: SessionUser, token: string, remember: boolean): void;
  /** Forgets the session. `expired`: the server ended it; `chosen`: the user did. */
  end(reason: 'expired' | 'chosen'): void;
}

export interface SessionDeps {
  api: Pick<Api, 'call'>;
  storage: Pick<AppStorage, 'readToken' | 'openSession' | 'keepUser' | 'clearSession'>;
}

/** The session's state, kept in step with browser storage. */
export function createSession({ api, storage }: SessionDeps): Session {
  const listeners = createListeners();
  let current: SessionState = { state: 'unknown' };
  let checking: Promise<SessionState> | undefined;

  const set = (next: SessionState): SessionState => {
    current = next;
    listeners.tell();
    return next;
  };

  const signOut = (reason: 'none' | 'expired' | 'chosen'): SessionState => {
    storage.clearSession();
    return set({ state: 'signedOut', reason });
  };

  const ask = async (): Promise<SessionState> => {
    const token = storage.readToken();
    if (token === undefined) return signOut('none');
    try {
      const reply = await api.call(isValidToken, { token });
      // Somebody signed in or out while the answer travelled: it is about a session that is gone.
      if (storage.readToken() !== token) return current;
      if (!reply.success) return signOut('expired');
      storage.keepUser(reply.user);
      return set({ state: 'signedIn', user: reply.user });
    } catch (error) {
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
