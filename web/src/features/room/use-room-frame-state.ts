import { useMediaQuery } from '@mantine/hooks';
import { useState } from 'react';
import type { AppStorage } from '#src/shared/storage.ts';
import {
  DEFAULT_FRAME,
  type FramePreference,
  type FrameWidth,
  framePreference,
  type Pane,
  type SizedPane,
} from './panels.rules.ts';

/** Breakpoints of the spec (§9). A window too low to stack anything is as narrow as a phone. */
const WIDE = '(min-width: 1480px) and (min-height: 561px)';
const NARROW = '(max-width: 850px), (max-height: 560px)';
const AT_ONCE = { getInitialValueInEffect: false };

/** Returns the current width of the frame. */
function useFrameWidth(): FrameWidth {
  const isWide = useMediaQuery(WIDE, undefined, AT_ONCE);
  const isNarrow = useMediaQuery(NARROW, undefined, AT_ONCE);
  if (isNarrow) return 'narrow';
  return isWide ? 'wide' : 'middle';
}

/** Returns the frame's width and the user's arrangement, which this browser keeps. */
export function useRoomFrameState(storage: Pick<AppStorage, 'readPreference' | 'writePreference'>) {
  const width = useFrameWidth();
  const [frame, setFrame] = useState(() => storage.readPreference('roomFrame', framePreference) ?? DEFAULT_FRAME);
  const change = (part: Partial<FramePreference>) => {
    const next = { ...frame, ...part };
    setFrame(next);
    storage.writePreference('roomFrame', next);
  };
  return {
    width,
    frame,
    setWidth: (pane: SizedPane, px: number) => change({ [pane]: px }),
    setFolded: (pane: Pane, isFolded: boolean) => {
      const others = frame.folded.filter((one) => one !== pane);
      change({ folded: isFolded ? [...others, pane] : others });
    },
  };
}
export type RoomFrameState = ReturnType<typeof useRoomFrameState>;
