import { ActionIcon } from '@mantine/core';
import { IconAlertTriangle, IconCheck, IconCopy, IconUserCheck, IconX, type TablerIcon } from '@tabler/icons-react';
import { useEffect, useRef } from 'react';
import { useTranslation } from '#src/shared/i18n/use-translation.tsx';
import { type ImportField, type JudgedRow, rowShown, type VerdictState } from '../import-kinds.ts';
import type { ReasonWords } from '../reason-words.ts';
import { ReviewCell } from './review-cell.tsx';
import styles from './review-table.module.css';
import type { Grid } from './use-grid.ts';

/** Icon of each verdict, so that colour is not the only indicator. */
export const STATE_ICONS: Record<VerdictState, TablerIcon> = {
  rejected: IconAlertTriangle,
  existing: IconUserCheck,
  repeated: IconCopy,
  good: IconCheck,
};

export interface ReviewRowProps {
  fields: readonly ImportField[];
  row: JudgedRow;
  /** Index among the rows shown. */
  index: number;
  /** Offset from the first row, px. */
  top: number;
  grid: Grid;
  isEntry: boolean;
  words: ReasonWords;
  showPasswords: boolean;
  onRemove: (row: number) => void;
}

export function ReviewRow({ fields, row, index, top, grid, isEntry, words, showPasswords, onRemove }: ReviewRowProps) {
  const { t } = useTranslation('transfer');
  const Icon = STATE_ICONS[row.state];
  const isActive = (column: number) =>
    grid.active?.row === row.row ? grid.active.column === column : isEntry && column === 0;
  return (
    <tr
      className={styles.row}
      aria-rowindex={index + 2}
      data-state={row.state}
      style={{ transform: `translateY(${top}px)` }}
    >
      <th scope="row" className={styles.number}>
        {rowShown(row.row)}
      </th>
      <td className={styles.state} title={words.ofRow(row)}>
        <Icon className={styles.icon} size={14} aria-hidden="true" />
        <span className={styles.verdict}>{t(`state.${row.state}`)}</span>
      </td>
      {fields.map((field, column) => {
        const fault = row.faults.find((one) => one.field === field);
        const text = row.cells[field] ?? '';
        const cell = { row: row.row, column };
        const isHere = grid.active?.row === row.row && grid.active.column === column;
        return (
          <ReviewCell
            key={field}
            text={text}
            reason={fault && words.ofFault(fault)}
            note={fault ? undefined : words.ofNote(row, field)}
            isSecret={field === 'password' && !showPasswords}
            label={t('review.cell', { field: t(`field.${field}`), row: String(rowShown(row.row)) })}
            columnIndex={column + 3}
            isActive={isActive(column)}
            takesFocus={isHere && grid.takesFocus}
            draft={isHere ? grid.draft : undefined}
            onOpen={() => grid.edit(cell)}
            onType={grid.type}
            onLeave={() => grid.leave(cell)}
          />
        );
      })}
      <RemoveCell
        row={row.row}
        columnIndex={fields.length + 3}
        isActive={isActive(fields.length)}
        takesFocus={grid.takesFocus && isActive(fields.length)}
        onRemove={onRemove}
      />
    </tr>
  );
}

interface RemoveCellProps {
  row: number;
  columnIndex: number;
  isActive: boolean;
  takesFocus: boolean;
  onRemove: (row: number) => void;
}

function RemoveCell({ row, columnIndex, isActive, takesFocus, onRemove }: RemoveCellProps) {
  const { t } = useTranslation('transfer');
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (takesFocus) button.current?.focus({ preventScroll: true });
  }, [takesFocus]);
  return (
    <td className={styles.remove} aria-colindex={columnIndex}>
      <ActionIcon
        ref={button}
        variant="subtle"
        tabIndex={isActive ? 0 : -1}
        aria-label={t('review.remove', { row: String(rowShown(row)) })}
        onClick={() => onRemove(row)}
      >
        <IconX size={16} aria-hidden="true" />
      </ActionIcon>
    </td>
  );
}
