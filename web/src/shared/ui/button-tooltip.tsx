import { useMergedRef } from '@mantine/hooks';
import { cloneElement, type PointerEvent, type ReactElement, type Ref, useState } from 'react';
import { loadableChunk } from '#src/shared/renewal.ts';
import type { TooltipSide } from './tooltip-bubble.tsx';

/** Loads the hint's code ahead of time. */
export const loadTooltip = loadableChunk(() => import('./tooltip-bubble.tsx'));

export interface ButtonTooltipProps {
  /** Says more than the button's icon. Screen readers get it from the button's own name. */
  label: string;
  /** A button. Other props of the hint are passed to it, because a popover's target may be a hint. */
  children: ReactElement<{
    onPointerEnter?: (event: PointerEvent<HTMLElement>) => void;
    onPointerLeave?: () => void;
    ref?: Ref<HTMLElement>;
  }>;
  isLong?: boolean;
  /** The side of the hint, if there is room. */
  side?: TooltipSide;
  /** Turns the hint off, for example while the button's panel is open. */
  isOff?: boolean;
  /** The ref of a popover whose target it is; the button keeps its own ref beside it. */
  ref?: Ref<HTMLElement>;
}

/** A bubble for users who point at a button with a mouse or pen, loaded on first use. */
export function ButtonTooltip({
  label,
  children,
  isLong = false,
  side = 'top',
  isOff = false,
  ref,
  ...passed
}: ButtonTooltipProps) {
  const [target, setTarget] = useState<HTMLElement | null>(null);
  const [made, setMade] = useState<Awaited<ReturnType<typeof loadTooltip>>>();
  const both = useMergedRef(ref, children.props.ref);
  return (
    <>
      {cloneElement(children, {
        ...passed,
        ref: both,
        onPointerEnter({ pointerType, currentTarget }) {
          if (pointerType === 'touch') return;
          setTarget(currentTarget);
          // If the bubble can't be loaded, the button still works.
          if (made === undefined) loadTooltip().then(setMade, () => undefined);
        },
        onPointerLeave: () => setTarget(null),
      })}
      {made !== undefined && target !== null && !isOff && (
        <made.TooltipBubble target={target} label={label} isLong={isLong} side={side} />
      )}
    </>
  );
}
