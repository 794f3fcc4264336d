import { useMergedRef } from '@mantine/hooks';
import { cloneElement, type PointerEvent, type ReactElement, type Ref, useState } from 'react';
import { part } from '../renewal.ts';

/** Loads ahead what a hint is made of. */
export const loadHint = part(() => import('./hint-bubble.tsx'));

export type HintSide = 'top' | 'right';

export interface HintProps {
  /** Says more than the button's picture. Readers have it by the button's own name. */
  label: string;
  /** A button. What else is given to the hint goes to it: a popover's target may be a hint. */
  children: ReactElement<{
    onPointerEnter?: (event: PointerEvent<HTMLElement>) => void;
    onPointerLeave?: () => void;
    ref?: Ref<HTMLElement>;
  }>;
  isLong?: boolean;
  /** Where it stands, if there is room. */
  side?: HintSide;
  /** What it stands over is open. */
  isOff?: boolean;
  /** Of a popover whose target it is; the button keeps its own beside it. */
  ref?: Ref<HTMLElement>;
}

/** A bubble for who points at a button with a mouse or pen, loaded when somebody first does. */
export function Hint({ label, children, isLong = false, side = 'top', isOff = false, ref, ...passed }: HintProps) {
  const [target, setTarget] = useState<HTMLElement | null>(null);
  const [made, setMade] = useState<Awaited<ReturnType<typeof loadHint>>>();
  const both = useMergedRef(ref, children.props.ref);
  return (
    <>
      {cloneElement(children, {
        ...passed,
        ref: both,
        onPointerEnter({ pointerType, currentTarget }) {
          if (pointerType === 'touch') return;
          setTarget(currentTarget);
          // Without it the button does what it does.
          if (made === undefined) loadHint().then(setMade, () => undefined);
        },
        onPointerLeave: () => setTarget(null),
      })}
      {made !== undefined && target !== null && !isOff && (
        <made.HintBubble target={target} label={label} isLong={isLong} side={side} />
      )}
    </>
  );
}
