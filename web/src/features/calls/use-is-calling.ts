import { useSnapshot } from '#src/shared/use-snapshot.ts';
import type { CallDesk } from './call-desk.ts';
import { isFree } from './call-state.ts';

/** Whether a call goes on, so that none can be begun. Of the call only this: its voices are told of many times a second. */
export const useIsCalling = (desk: CallDesk): boolean =>
  useSnapshot({
    getSnapshot: () => !isFree(desk.getSnapshot().call),
    subscribe: (listener) => desk.subscribe(listener),
  });
