import { getServerInfo, logIn } from '@pressel/contract/auth';
import type { CallReply } from '@pressel/contract/call';
import { useEffect, useState } from 'react';
import { isUnreachable } from '#src/shared/api/api-error.ts';
import { useApi, useSession } from '#src/shared/services.tsx';
import { RETRY_MS } from '#src/shared/use-retry.ts';

/** The server's information for users who are not signed in yet. */
export interface ServerState {
  /** Undefined until it answers. */
  info: CallReply<typeof getServerInfo> | undefined;
  /** The server can't be reached. The page says so, and asks again until it answers. */
  isAway: boolean;
}

export function useServerInfo(): ServerState {
  const api = useApi();
  const [state, setState] = useState<ServerState>({ info: undefined, isAway: false });
  useEffect(() => {
    const stop = new AbortController();
    let waiting: ReturnType<typeof setTimeout> | undefined;
    const ask = () => {
      clearTimeout(waiting);
      api.call(getServerInfo, undefined, { signal: stop.signal }).then(
        (info) => {
          window.removeEventListener('online', ask);
          setState({ info, isAway: false });
        },
        (error: unknown) => {
          if (stop.signal.aborted) return;
          setState((known) => ({ ...known, isAway: isUnreachable(error) }));
          waiting = setTimeout(ask, RETRY_MS);
        },
      );
    };
    ask();
    window.addEventListener('online', ask);
    return () => {
      stop.abort();
      clearTimeout(waiting);
      window.removeEventListener('online', ask);
    };
  }, [api]);
  return state;
}

/** Opens a session for a login and password. The returned function throws ApiError when they are refused. */
export function useSignIn(): (login: string, password: string, remember: boolean) => Promise<void> {
  const api = useApi();
  const session = useSession();
  return async (login, password, remember) => {
    const { user: whole } = await api.call(logIn, { user_email: login.trim(), user_password: password, remember });
    const { authToken, ...user } = whole;
    session.open(user, authToken, remember);
  };
}
