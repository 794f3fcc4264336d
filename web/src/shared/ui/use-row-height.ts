import { useMediaQuery } from '@mantine/hooks';

const ROW_PX = 36;
const NARROW_ROW_PX = 48;

/** The height of a row as in tokens.css, px: virtual lists place their rows before these are rendered. */
export const useRowHeight = (): number =>
  useMediaQuery('(max-width: 850px), (pointer: coarse)', false, { getInitialValueInEffect: false })
    ? NARROW_ROW_PX
    : ROW_PX;
