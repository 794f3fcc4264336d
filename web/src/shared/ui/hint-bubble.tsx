import { Tooltip } from '@mantine/core';
import { useEffect, useState } from 'react';

export type HintSide = 'top' | 'right';

export interface HintBubbleProps {
  target: HTMLElement;
  label: string;
  isLong: boolean;
  side: HintSide;
}

/** A pointer that only passes by opens no hint, ms. */
const OPEN_AFTER_MS = 400;

export function HintBubble({ target, label, isLong, side }: HintBubbleProps) {
  const [isDue, setDue] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setDue(true), OPEN_AFTER_MS);
    return () => clearTimeout(timer);
  }, []);
  return (
    <Tooltip
      target={target}
      label={label}
      opened={isDue}
      position={side}
      {...(isLong && { multiline: true, maw: 'min(320px, 90vw)' })}
    />
  );
}
