import { useMediaQuery } from '@mantine/hooks';

/** Phones and small tablets, where lists have two lines a row (spec §9). */
export const useIsNarrow = (): boolean =>
  useMediaQuery('(max-width: 850px)', false, { getInitialValueInEffect: false });

/** Whether the page is used by touch only, so that there is no key to hold (TALK126). */
export const useIsTouch = (): boolean =>
  useMediaQuery('(hover: none) and (pointer: coarse)', false, { getInitialValueInEffect: false });
