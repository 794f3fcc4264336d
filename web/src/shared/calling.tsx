import type { UserId } from '@pressel/contract/ids';
import { createContext, type ReactNode, use } from 'react';

/** Calls one person. */
export type CallSomebody = (person: { readonly id: UserId; readonly name: string }) => void;

const CallingContext = createContext<CallSomebody | null>(null);

/** Lets screens that show people call them, without knowing how. */
export function CallingProvider({ call, children }: { call: CallSomebody; children: ReactNode }) {
  return <CallingContext value={call}>{children}</CallingContext>;
}

/** Null where nobody can be called. */
export const useCallSomebody = (): CallSomebody | null => use(CallingContext);
