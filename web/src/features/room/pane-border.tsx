import type { KeyboardEvent, PointerEvent } from 'react';
import { BORDER_STEP_PX, PANE_PX, type SizedPane, withinLimits } from './panels.rules.ts';
import styles from './room-frame.module.css';

export interface PaneBorderProps {
  pane: SizedPane;
  label: string;
  /** Width of the pane, px; it is shown narrower where the window has less. */
  value: number;
  onChange: (px: number) => void;
}

/** The border of a pane, which is dragged or moved by arrow keys (WAI-ARIA window splitter). Double click: the first width. */
export function PaneBorder({ pane, label, value, onChange }: PaneBorderProps) {
  // The side pane is at the end of the row: it grows when its border moves to the start.
  const outward = pane === 'people' ? 1 : -1;

  const drag = (event: PointerEvent<HTMLElement>) => {
    if (event.button !== 0) return;
    const border = event.currentTarget;
    const startX = event.clientX;
    const startPx = shownWidth(border, pane, value);
    const isMirrored = getComputedStyle(border).direction === 'rtl';
    border.setPointerCapture(event.pointerId);
    const move = (moved: globalThis.PointerEvent) => {
      const by = (moved.clientX - startX) * outward * (isMirrored ? -1 : 1);
      onChange(withinLimits(pane, startPx + by));
    };
    const end = () => {
      border.removeEventListener('pointermove', move);
      border.removeEventListener('lostpointercapture', end);
    };
    border.addEventListener('pointermove', move);
    border.addEventListener('lostpointercapture', end);
  };

  const step = (event: KeyboardEvent<HTMLElement>) => {
    const { min, max } = PANE_PX[pane];
    const from = shownWidth(event.currentTarget, pane, value);
    const next = {
      ArrowLeft: from - BORDER_STEP_PX * outward,
      ArrowRight: from + BORDER_STEP_PX * outward,
      Home: min,
      End: max,
    }[event.key];
    if (next === undefined) return;
    event.preventDefault();
    onChange(withinLimits(pane, next));
  };

  return (
    <hr
      className={styles.border}
      data-border={pane}
      tabIndex={0}
      aria-orientation="vertical"
      aria-label={label}
      aria-valuenow={value}
      aria-valuemin={PANE_PX[pane].min}
      aria-valuemax={PANE_PX[pane].max}
      onPointerDown={drag}
      onKeyDown={step}
      onDoubleClick={() => onChange(PANE_PX[pane].first)}
    />
  );
}

/** The people pane is narrower than its set width where the map needs the space; its border is then nearer. */
const shownWidth = ({ offsetLeft, offsetWidth }: HTMLElement, pane: SizedPane, value: number): number =>
  pane === 'people' ? Math.min(value, offsetLeft + Math.floor(offsetWidth / 2)) : value;
