import { loadMissedCalls } from '#src/features/calls/missed-calls.tsx';
import { loadableChunk } from '#src/shared/renewal.ts';
import { loadRowMenu } from '#src/shared/ui/row-menu.tsx';
import { loadAccountMenu } from './account-menu.tsx';

/** Parts that open over every page of the console. They are loaded separately, so no page waits for them. */
export const loadDrawer = loadableChunk(() => import('./side-drawer.tsx'));
export const loadMembers = loadableChunk(() => import('#src/features/channels/members-dialog.tsx'));

/** Loads ahead what a button of the frame or of a row may open, so that its first use doesn't wait either. */
export function foreseeOpening(): void {
  for (const load of [loadDrawer, loadAccountMenu, loadMissedCalls, loadRowMenu]) load().catch(() => undefined);
}
