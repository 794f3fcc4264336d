import { useMediaQuery } from '@mantine/hooks';
import { z } from '@pressel/contract/zod';
import { useState } from 'react';
import { useStorage } from '#src/shared/services.tsx';

/** From this width on the sidebar is always unfolded beside the page (spec §2). */
const WIDE = '(min-width: 1480px)';
/** From here on its icons stand beside the page; on phones, also held sideways, it is a drawer alone. */
const RAIL = '(min-width: 851px) and (min-height: 561px)';
/** From here on a page beside the unfolded sidebar is as wide as one that is no phone's. */
const ROOMY = '(min-width: 1100px) and (min-height: 561px)';
const AT_ONCE = { getInitialValueInEffect: false };

export interface NavigationPlace {
  /** What of the sidebar stands beside the page. */
  beside: 'full' | 'rail' | null;
  /** Whether the rail can be unfolded beside the page. Elsewhere the sidebar opens over it. */
  canUnfold: boolean;
  setUnfolded: (isUnfolded: boolean) => void;
}

/** Where the sidebar stands, by the window's size and by what was chosen in this browser [ROOM27]. */
export function useNavigationPlace(): NavigationPlace {
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
