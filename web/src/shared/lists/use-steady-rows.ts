import { type FocusEvent, useEffect, useState } from 'react';
import { type HeldRows, type SteadyRows, steadyRows } from './steady-rows.ts';

export interface SteadyList<Row> extends SteadyRows<Row> {
  isHeld: boolean;
  /** Handlers for the element around the rows. */
  hold: {
    onPointerEnter: () => void;
    onPointerLeave: () => void;
    onFocus: (event: FocusEvent) => void;
    onBlur: (event: FocusEvent) => void;
  };
  /** Shows the waiting rows, though the user is among them. */
  onShow: () => void;
}

/** A page of a longer list. */
export interface SteadyPage {
  total: number;
  /** See AskedPage. The answer to another query takes the places at once. */
  asked: string;
  /**
   * The rows come from an earlier reading, and the answer to this query is on its way. It then takes the places at once
   * too. Otherwise rows deleted since that reading would come back, struck through.
   */
  isEarlier?: boolean;
}

/** Holds rows in their places while pointer or focus is among them. */
export function useSteadyRows<Row>(
  rows: readonly Row[],
  keyOf: (row: Row) => string,
  page?: SteadyPage,
): SteadyList<Row> {
  const asked = page?.asked ?? '';
  const newest = { rows, total: page?.total ?? rows.length, asked };
  const [held, setHeld] = useState<(HeldRows<Row> & { asked: string }) | null>(null);
  const [known, setKnown] = useState({ asked, isAnswered: false });
  // Later readings of the same page wait.
  const isAnswered = page?.isEarlier !== true || (known.asked === asked && known.isAnswered);
  const isOther = known.asked !== asked || known.isAnswered !== isAnswered;
  if (isOther) setKnown({ asked, isAnswered });
  // Also if the pointer came just before the answer: it then held the rows of the query before.
  if (held !== null && (isOther || held.asked !== asked)) setHeld(newest);
  const [isPointed, setPointed] = useState(false);
  /** The element around the rows, while the focus is in it. */
  const [focused, setFocused] = useState<Element | null>(null);
  if (held !== null && !isPointed && focused === null) setHeld(null);
  const steady = steadyRows(isAnswered && held?.asked === asked ? held : null, newest, keyOf);
  // The table of a page without rows is gone, and would not notice the pointer leave.
  if (page !== undefined && steady.rows.length === 0 && isPointed) setPointed(false);
  // A row that is gone loses the focus without an event, because it is inert or removed.
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
  const take = () => setHeld((rowsHeld) => rowsHeld ?? newest);
  return {
    ...steady,
    isHeld: held !== null,
    onShow: () => setHeld(newest),
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
