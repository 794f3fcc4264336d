/**
 * Rows that keep their places while the user points at them or is among them by keyboard. So the target of a press
 * doesn't change under the finger. Rows show their newest content; removed ones stay, marked; new ones wait.
 */
export interface SteadyRows<Row> {
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
export interface HeldRows<Row> {
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
