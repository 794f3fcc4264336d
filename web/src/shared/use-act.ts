import { useState } from 'react';

type State = { state: 'idle' } | { state: 'running' } | { state: 'failed'; error: unknown };

export interface Act<Args extends readonly unknown[]> {
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
