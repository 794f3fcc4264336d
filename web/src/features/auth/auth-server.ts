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

type State = { state: 'idle' } | { state: 'running' } | { state: 'failed'; error: unknown };

interface Act<Args extends readonly unknown[]> {
  run: (...args: Args) => void;
  isRunning: boolean;
  /** The error of the last run; undefined while there is none. */
  error: unknown;
  /** Forgets the error. */
  reset: () => void;
}

/** Runs a server action for the user, once at a time. For the sign-in pages, which have no cache of server data. */
export function useAct<Args extends readonly unknown[]>(
  act: (...args: Args) => Promise<void>,
  onError: (error: unknown) => void,
): Act<Args> {
  const [state, setState] = useState<State>({ state: 'idle' });
  return {
    run(...args) {
      if (state.state === 'running') return;
      setState({ state: 'running' });
      act(...args).then(
        () => setState({ state: 'idle' }),
        (error: unknown) => {
          setState({ state: 'failed', error });
          onError(error);
        },
      );
    },
    isRunning: state.state === 'running',
    error: state.state === 'failed' ? state.error : undefined,
    reset: () => setState((known) => (known.state === 'failed' ? { state: 'idle' } : known)),
  };
}
