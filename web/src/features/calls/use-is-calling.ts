import { useSnapshot } from '#src/shared/use-snapshot.ts';
import type { CallDesk } from './call-desk.ts';
import { isFree } from './call-state.ts';

/**
 * Whether a call goes on, so that the user can't start another. Reads only this of the call: its voice state changes
 * many times a second.
 */
export const useIsCalling = (desk: CallDesk): boolean =>
  useSnapshot({
    getSnapshot: () => !isFree(desk.getSnapshot().call),
    subscribe: (listener) => desk.subscribe(listener),
  });
