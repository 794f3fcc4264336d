import { type FocusEvent, useEffect, useState } from 'react';
import { type HeldRows, type SteadyRows, steadyRows } from './steady-rows.ts';

export interface SteadyList<Row> extends SteadyRows<Row> {
  isHeld: boolean;
  /** For the element around the rows. */
  hold: {
    onPointerEnter: () => void;
    onPointerLeave: () => void;
    onFocus: (event: FocusEvent) => void;
    onBlur: (event: FocusEvent) => void;
  };
  /** Shows what waits, though somebody is there. */
  onShow: () => void;
}

/** A page of a longer list. `asked`: see AskedPage; the answer to another question takes the places at once. */
export interface SteadyPage {
  total: number;
  asked: string;
}

/** Holds rows in their places while pointer or focus is among them. */
export function useSteadyRows<Row>(
  rows: readonly Row[],
  keyOf: (row: Row) => string,
  page?: SteadyPage,
): SteadyList<Row> {
  const newest = { rows, total: page?.total ?? rows.length };
  const asked = page?.asked ?? '';
  const [held, setHeld] = useState<(HeldRows<Row> & { asked: string }) | null>(null);
  const [isPointed, setPointed] = useState(false);
  /** The element around the rows, while the focus is in it. */
  const [focused, setFocused] = useState<Element | null>(null);
  const isOther = held !== null && held.asked !== asked;
  if (isOther) setHeld({ ...newest, asked });
  if (held !== null && !isPointed && focused === null) setHeld(null);
  // A row that is gone loses the focus without a word of the browser's: it is inert, or taken out.
  useEffect(() => {
    if (focused === null) return;
    const follow = () => {
      if (!focused.contains(document.activeElement)) setFocused(null);
    };
    for (const event of ['focusin', 'pointermove', 'keydown']) document.addEventListener(event, follow);
    return () => {
      for (const event of ['focusin', 'pointermove', 'keydown']) document.removeEventListener(event, follow);
    };
  }, [focused]);
  const take = () => setHeld((known) => known ?? { ...newest, asked });
  return {
    ...steadyRows(isOther ? newest : held, newest, keyOf),
    isHeld: held !== null,
    onShow: () => setHeld({ ...newest, asked }),
    hold: {
      onPointerEnter() {
        setPointed(true);
        take();
      },
      onPointerLeave: () => setPointed(false),
      onFocus(event) {
        setFocused(event.currentTarget);
        take();
      },
      onBlur(event) {
        if (!event.currentTarget.contains(event.relatedTarget as Node | null)) setFocused(null);
      },
    },
  };
}
