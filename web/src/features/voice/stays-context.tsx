import { createContext, type ReactNode, use } from 'react';
import type { Stays } from './stays.ts';

const StaysContext = createContext<Stays | null>(null);

/** Provides the rooms that the signed-in user is in. */
export function StaysProvider({ stays, children }: { stays: Stays; children: ReactNode }) {
  return <StaysContext value={stays}>{children}</StaysContext>;
}

export function useStays(): Stays {
  const stays = use(StaysContext);
  if (stays === null) throw new Error('No StaysProvider above.');
  return stays;
}
