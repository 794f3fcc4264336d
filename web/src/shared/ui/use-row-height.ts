import { useMediaQuery } from '@mantine/hooks';

const ROW_PX = 36;
const NARROW_ROW_PX = 48;

/** A row's height as in tokens.css, px, because virtual lists place their rows before rendering them. */
export const useRowHeight = (): number =>
  useMediaQuery('(max-width: 850px), (pointer: coarse)', false, { getInitialValueInEffect: false })
    ? NARROW_ROW_PX
    : ROW_PX;
