import { useMediaQuery } from '@mantine/hooks';
import { z } from '@pressel/contract/zod';
import { useState } from 'react';
import { useStorage } from '#src/shared/services.tsx';

/** From this width on the sidebar is always unfolded beside the page (spec §2). */
const WIDE = '(min-width: 1480px)';
/** From this width on the icons stand beside the page. On phones, also held sideways, the sidebar is only a drawer. */
const RAIL = '(min-width: 851px) and (min-height: 561px)';
/** From this width on a page beside the unfolded sidebar is wider than a phone's. */
const ROOMY = '(min-width: 1100px) and (min-height: 561px)';
const AT_ONCE = { getInitialValueInEffect: false };

export interface NavigationLayout {
  /** The form of the sidebar beside the page. */
  beside: 'full' | 'rail' | null;
  /** Whether the rail can be unfolded beside the page. Elsewhere the sidebar opens over it. */
  canUnfold: boolean;
  setUnfolded: (isUnfolded: boolean) => void;
}

/** Returns the sidebar's place, by the window's size and the choice in this browser [ROOM27]. */
export function useNavigationLayout(): NavigationLayout {
  const storage = useStorage();
  const isWide = useMediaQuery(WIDE, false, AT_ONCE);
  const hasRail = useMediaQuery(RAIL, false, AT_ONCE);
  const isRoomy = useMediaQuery(ROOMY, false, AT_ONCE);
  const [isUnfolded, setUnfolded] = useState(() => storage.readPreference('isNavUnfolded', z.boolean()) ?? false);
  const canUnfold = isRoomy && !isWide;
  return {
    beside: isWide || (canUnfold && isUnfolded) ? 'full' : hasRail ? 'rail' : null,
    canUnfold,
    setUnfolded(wanted) {
      setUnfolded(wanted);
      storage.writePreference('isNavUnfolded', wanted);
    },
  };
}
