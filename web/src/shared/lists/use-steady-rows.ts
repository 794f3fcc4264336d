import { type FocusEvent, useState } from 'react';
import { type SteadyRows, steadyRows } from './steady-rows.ts';

export interface SteadyList<Row> extends SteadyRows<Row> {
  /** For the element around the rows. */
  hold: {
    onPointerEnter: () => void;
    onPointerLeave: () => void;
    onFocus: () => void;
    onBlur: (event: FocusEvent) => void;
  };
  /** Shows what waits, though somebody is there. */
  onShow: () => void;
}

/** Holds rows in their places while pointer or focus is among them. */
export function useSteadyRows<Row>(newest: readonly Row[], keyOf: (row: Row) => string): SteadyList<Row> {
  const [held, setHeld] = useState<readonly Row[] | null>(null);
  const [isPointed, setPointed] = useState(false);
  const [isFocused, setFocused] = useState(false);
  const take = () => setHeld((rows) => rows ?? newest);
  return {
    ...steadyRows(held, newest, keyOf),
    onShow: () => setHeld(newest),
    hold: {
      onPointerEnter() {
        setPointed(true);
        take();
      },
      onPointerLeave() {
        setPointed(false);
        if (!isFocused) setHeld(null);
      },
      onFocus() {
        setFocused(true);
        take();
      },
      onBlur(event) {
        if (event.currentTarget.contains(event.relatedTarget as Node | null)) return;
        setFocused(false);
        if (!isPointed) setHeld(null);
      },
    },
  };
}
