import { useMediaQuery } from '@mantine/hooks';

/** Phones and small tablets, where lists have two lines a row (spec §9). */
export const useIsNarrow = (): boolean =>
  useMediaQuery('(max-width: 850px)', false, { getInitialValueInEffect: false });
