import { useRealtime } from '../services.tsx';
import { useSnapshot } from '../use-snapshot.ts';
import type { LinkState } from './realtime.ts';

/** The state of the link to the server. */
export const useLink = (): LinkState => useSnapshot(useRealtime());
