/**
 * Rows that keep their places while somebody points at them or is among them by keyboard: what would be pressed must not
 * become something else under the finger. Rows show their newest content; what is gone stays, marked; what is new waits.
 */
export interface SteadyRows<Row> {
  rows: readonly SteadyRow<Row>[];
  /** How many new rows wait. */
  waiting: number;
}

export interface SteadyRow<Row> {
  row: Row;
  isGone: boolean;
}

/** `held`: the rows as they stood when somebody came; null while nobody is there. */
export function steadyRows<Row>(
  held: readonly Row[] | null,
  newest: readonly Row[],
  keyOf: (row: Row) => string,
): SteadyRows<Row> {
  if (held === null) return { rows: newest.map((row) => ({ row, isGone: false })), waiting: 0 };
  const byKey = new Map(newest.map((row) => [keyOf(row), row]));
  const rows = held.map((row) => {
    const now = byKey.get(keyOf(row));
    return { row: now ?? row, isGone: now === undefined };
  });
  const known = new Set(held.map(keyOf));
  return { rows, waiting: newest.filter((row) => !known.has(keyOf(row))).length };
}
