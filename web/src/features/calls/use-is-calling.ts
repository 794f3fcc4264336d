import { useSnapshot } from '#src/shared/use-snapshot.ts';
import type { CallController } from './call-controller.ts';
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
