import type { UserId } from '@pressel/contract/ids';
import { createContext, type ReactNode, use } from 'react';

export interface Calling {
  /** Calls one person. */
  readonly start: (person: { readonly id: UserId; readonly name: string }) => void;
  /** The user is in a call already, so that none can be begun. */
  readonly isBusy: boolean;
}

const CallingContext = createContext<Calling | null>(null);

/** Lets screens that show people call them, without knowing how. */
export function CallingProvider({ start, isBusy, children }: Calling & { children: ReactNode }) {
  return <CallingContext value={{ start, isBusy }}>{children}</CallingContext>;
}

/** Null where nobody can be called. */
export const useCalling = (): Calling | null => use(CallingContext);
