import { type KeyboardEvent, useState } from 'react';
import { isComposing } from '#src/shared/ui/is-composing.ts';
import type { ImportField, JudgedRow } from '../sheet/import-kinds.ts';

/** Arrow keys → [rows down, columns right]. */
const STEPS: ReadonlyMap<string, readonly [number, number]> = new Map([
  ['ArrowUp', [-1, 0]],
  ['ArrowDown', [1, 0]],
  ['ArrowLeft', [0, -1]],
  ['ArrowRight', [0, 1]],
  ['PageUp', [-12, 0]],
  ['PageDown', [12, 0]],
  ['Home', [0, -100]],
  ['End', [0, 100]],
]);

export interface GridCell {
  row: number;
  /** Index of the field; the last index is the button that removes the row. */
  column: number;
}

export interface Grid {
  active: GridCell | undefined;
  /** The text being typed into the active cell; undefined while not editing. */
  draft: string | undefined;
  /** The active cell was changed by the user, so it should get the focus. */
  takesFocus: boolean;
  goTo: (cell: GridCell) => void;
  edit: (cell: GridCell) => void;
  type: (text: string) => void;
  /** Call when the cell lost the focus. */
  leave: (cell: GridCell) => void;
  keyDown: (event: KeyboardEvent) => void;
  forget: () => void;
}

export interface GridDeps {
  rows: readonly JudgedRow[];
  fields: readonly ImportField[];
  /** `before`: the value when editing began. */
  onEdit: (row: number, field: ImportField, text: string, before: string) => void;
}

interface GridState {
  active: GridCell | undefined;
  /** The text being typed, and the previous value. */
  edit: { draft: string; before: string } | undefined;
  takesFocus: boolean;
}

const isSame = (one: GridCell | undefined, other: GridCell): boolean =>
  one?.row === other.row && one.column === other.column;

/** Keyboard handling of an editable table (WAI-ARIA grid): a single Tab stop, arrow keys inside. */
export function useGrid({ rows, fields, onEdit }: GridDeps): Grid {
  const [{ active, edit, takesFocus }, setState] = useState<GridState>({
    active: undefined,
    edit: undefined,
    takesFocus: false,
  });
  const textOf = ({ row, column }: GridCell): string => {
    const field = fields[column];
    return (field && rows.find((one) => one.row === row)?.cells[field]) ?? '';
  };
  const write = ({ row, column }: GridCell, text: string, before: string): void => {
    const field = fields[column];
    if (field !== undefined) onEdit(row, field, text, before);
  };
  const show = (cell: GridCell): void => setState({ active: cell, edit: undefined, takesFocus: true });
  const open = (cell: GridCell, typed?: string): void => {
    const before = textOf(cell);
    setState({ active: cell, edit: { draft: typed ?? before, before }, takesFocus: true });
    if (typed !== undefined) write(cell, typed, before);
  };
  /** The cell at an offset, clamped to the table. */
  const beside = (cell: GridCell, down: number, right: number): GridCell => {
    const index = rows.findIndex(({ row }) => row === cell.row);
    const next = rows[Math.min(rows.length - 1, Math.max(0, index + down))];
    return { row: next?.row ?? cell.row, column: Math.min(fields.length, Math.max(0, cell.column + right)) };
  };
  /** The next editable cell, wrapping to the next row; undefined after the last. */
  const following = (cell: GridCell, step: 1 | -1): GridCell | undefined => {
    const column = cell.column + step;
    if (column >= 0 && column < fields.length) return { row: cell.row, column };
    const next = rows[rows.findIndex(({ row }) => row === cell.row) + step];
    return next && { row: next.row, column: step === 1 ? 0 : fields.length - 1 };
  };

  const keyDownWhileTyping = (event: KeyboardEvent, cell: GridCell, before: string): void => {
    if (isComposing(event)) return;
    if (event.key === 'Enter') show(cell);
    else if (event.key === 'Escape') {
      write(cell, before, before);
      show(cell);
    } else if (event.key === 'Tab') {
      const next = following(cell, event.shiftKey ? -1 : 1);
      if (next === undefined) return;
      open(next);
    } else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const keyDown = (event: KeyboardEvent): void => {
    if (active === undefined) return;
    if (edit !== undefined) {
      keyDownWhileTyping(event, active, edit.before);
      return;
    }
    const step = STEPS.get(event.key);
    const isField = active.column < fields.length;
    const isModified = event.ctrlKey || event.metaKey || event.altKey;
    if (step !== undefined) show(beside(active, ...step));
    else if (isField && (event.key === 'Enter' || event.key === 'F2')) open(active);
    else if (isField && event.key === 'Delete') write(active, '', textOf(active));
    else if (isField && !isModified && event.key.length === 1) open(active, event.key);
    else return;
    event.preventDefault();
  };

  return {
    active,
    draft: edit?.draft,
    takesFocus,
    goTo: show,
    edit: (cell) => open(cell),
    type(text) {
      if (active === undefined || edit === undefined) return;
      setState({ active, edit: { ...edit, draft: text }, takesFocus });
      write(active, text, edit.before);
    },
    leave(cell) {
      setState((known) => (isSame(known.active, cell) ? { ...known, edit: undefined, takesFocus: false } : known));
    },
    keyDown,
    forget: () => setState({ active: undefined, edit: undefined, takesFocus: false }),
  };
}
