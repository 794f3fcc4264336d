import type { TalkState } from './types.ts';

/** Whether the button is held down: from the press until the release, whatever its outcome. */
export const isHeld = ({ state }: TalkState): boolean => state !== 'idle' && state !== 'ending' && state !== 'unheard';
