import { useState } from 'react';

type State = { state: 'idle' } | { state: 'running' } | { state: 'failed'; error: unknown };

export interface Act<Args extends readonly unknown[]> {
  run: (...args: Args) => void;
  isRunning: boolean;
  /** Of the last run; undefined while there is none. */
  error: unknown;
  /** Forgets the error. */
  reset: () => void;
}

/** Something that the server does for somebody, once at a time. For the doors, which have no cache of server data. */
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
