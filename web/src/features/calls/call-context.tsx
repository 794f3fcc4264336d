import { createContext, type ReactNode, use } from 'react';
import { useSnapshot } from '#src/shared/use-snapshot.ts';
import type { CallDesk, CallDeskSnapshot } from './call-desk.ts';

const CallDeskContext = createContext<CallDesk | null>(null);

/** Provides the one-to-one calls of the signed-in user. */
export function CallDeskProvider({ desk, children }: { desk: CallDesk; children: ReactNode }) {
  return <CallDeskContext value={desk}>{children}</CallDeskContext>;
}

/** Returns null where nobody can be called: on a guest's page. */
export const useCallDesk = (): CallDesk | null => use(CallDeskContext);

export const useCalls = (desk: CallDesk): CallDeskSnapshot => useSnapshot(desk);
