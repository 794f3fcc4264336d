import { createContext, type ReactNode, use } from 'react';
import { useSnapshot } from '#src/shared/use-snapshot.ts';
import type { CallController, CallControllerSnapshot } from './call-controller.ts';
import { isFree } from './call-state.ts';

/**
 * Whether a call goes on, so that the user can't start another. Reads only this of the call: its voice state changes
 * many times a second.
 */
export const useIsCalling = (controller: CallController): boolean =>
  useSnapshot({
    getSnapshot: () => !isFree(controller.getSnapshot().call),
    subscribe: (listener) => controller.subscribe(listener),
  });

const CallControllerContext = createContext<CallController | null>(null);

/** Provides the one-to-one calls of the signed-in user. */
export function CallControllerProvider({ controller, children }: { controller: CallController; children: ReactNode }) {
  return <CallControllerContext value={controller}>{children}</CallControllerContext>;
}

/** Returns null where nobody can be called: on a guest's page. */
export const useCallController = (): CallController | null => use(CallControllerContext);

export const useCalls = (controller: CallController): CallControllerSnapshot => useSnapshot(controller);
