import { Tooltip } from '@mantine/core';
import { useEffect, useState } from 'react';

export type TooltipSide = 'top' | 'right';

export interface TooltipBubbleProps {
  target: HTMLElement;
  label: string;
  isLong: boolean;
  side: TooltipSide;
}

/** A pointer that only passes by opens no hint, ms. */
const OPEN_AFTER_MS = 400;

export function TooltipBubble({ target, label, isLong, side }: TooltipBubbleProps) {
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
