import { type FocusEvent, useEffect, useState } from 'react';

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

/**
 * Rows that keep their places while the user points at them or is among them by keyboard. So the target of a press
 * doesn't change under the finger. Rows show their newest content; removed ones stay, marked; new ones wait.
 */
interface SteadyRows<Row> {
  rows: readonly SteadyRow<Row>[];
  /** The number of new rows that wait. */
  waiting: number;
  /** Whether other rows would be shown now. */
  isChanged: boolean;
}

export interface SteadyRow<Row> {
  row: Row;
  isGone: boolean;
}

/** The rows as they were when the user came. `total`: the length of the whole list, of which they are a page. */
interface HeldRows<Row> {
  rows: readonly Row[];
  total: number;
}

/**
 * @param held null while nobody is there
 * @param newest the list's present rows; `total` as above
 */
export function steadyRows<Row>(
  held: HeldRows<Row> | null,
  newest: HeldRows<Row>,
  keyOf: (row: Row) => string,
): SteadyRows<Row> {
  if (held === null) {
    return { rows: newest.rows.map((row) => ({ row, isGone: false })), waiting: 0, isChanged: false };
  }
  const byKey = new Map(newest.rows.map((row) => [keyOf(row), row]));
  const known = new Set(held.rows.map(keyOf));
  const missing = held.rows.filter((row) => !byKey.has(keyOf(row))).length;
  const waiting = newest.rows.filter((row) => !known.has(keyOf(row))).length;
  // A row that is missing on one page of several may have moved to another. It is gone only if the list is shorter by
  // as many.
  const areGone = newest.rows.length >= newest.total || held.total - newest.total >= missing;
  return {
    rows: held.rows.map((row) => {
      const now = byKey.get(keyOf(row));
      return { row: now ?? row, isGone: now === undefined && areGone };
    }),
    waiting,
    isChanged: missing + waiting > 0,
  };
}
