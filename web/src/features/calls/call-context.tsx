import { createContext, type ReactNode, use } from 'react';
import { useSnapshot } from '#src/shared/use-snapshot.ts';
import type { CallController, CallControllerSnapshot } from './call-controller.ts';

const CallControllerContext = createContext<CallController | null>(null);

/** Provides the one-to-one calls of the signed-in user. */
export function CallControllerProvider({ controller, children }: { controller: CallController; children: ReactNode }) {
  return <CallControllerContext value={controller}>{children}</CallControllerContext>;
}

/** Returns null where nobody can be called: on a guest's page. */
export const useCallController = (): CallController | null => use(CallControllerContext);

export const useCalls = (controller: CallController): CallControllerSnapshot => useSnapshot(controller);
