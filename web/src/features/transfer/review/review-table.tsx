import { ActionIcon, VisuallyHidden } from '@mantine/core';
import {
  IconAlertTriangle,
  IconCheck,
  IconCopy,
  IconInfoCircle,
  IconUserCheck,
  IconX,
  type TablerIcon,
} from '@tabler/icons-react';
import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useRef } from 'react';
import { useTranslation } from '#src/shared/i18n/use-translation.tsx';
import { useRowHeight } from '#src/shared/ui/use-is-narrow.ts';
import type { ReasonWords } from '../import/reason-words.ts';
import {
  FIELDS,
  type ImportField,
  type ImportKind,
  type JudgedRow,
  rowShown,
  type VerdictState,
} from '../sheet/import-kinds.ts';
import styles from './review-table.module.css';
import type { Grid } from './use-grid.ts';

export interface ReviewTableProps {
  kind: ImportKind;
  /** The columns, in their order. */
  fields: readonly ImportField[];
  rows: readonly JudgedRow[];
  grid: Grid;
  words: ReasonWords;
  showPasswords: boolean;
  onRemove: (row: number) => void;
}

/** The rows as a virtual list: only visible ones are rendered. */
export function ReviewTable({ kind, fields, rows, grid, words, showPasswords, onRemove }: ReviewTableProps) {
  const { t } = useTranslation('transfer');
  const scroller = useRef<HTMLDivElement>(null);
  const rowHeight = useRowHeight();
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    getItemKey: (index) => rows[index]?.row ?? index,
    overscan: 8,
    scrollPaddingStart: rowHeight,
  });
  useEffect(() => {
    if (rowHeight > 0) virtual.measure();
  }, [virtual, rowHeight]);

  const { active, takesFocus } = grid;
  const activeIndex = rows.findIndex(({ row }) => row === active?.row);
  useEffect(() => {
    if (takesFocus && activeIndex !== -1) virtual.scrollToIndex(activeIndex, { align: 'auto' });
  }, [virtual, takesFocus, activeIndex]);

  const first = virtual.range?.startIndex ?? 0;
  return (
    <div ref={scroller} className={styles.scroller}>
      <table
        className={styles.table}
        data-kind={kind}
        data-wide={fields.length > FIELDS[kind].length || undefined}
        // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: its cells are editable
        role="grid"
        aria-label={t('review.table')}
        aria-rowcount={rows.length + 1}
        aria-colcount={fields.length + 3}
        onKeyDown={grid.keyDown}
      >
        <thead className={styles.head}>
          <tr className={styles.headRow} aria-rowindex={1}>
            <Heading text={t('review.row')} className={styles.number} />
            <Heading text={t('review.state')} />
            {fields.map((field) => (
              <Heading key={field} text={t(`field.${field}`)} />
            ))}
            <Heading text={t('review.acts')} />
          </tr>
        </thead>
        <tbody className={styles.body} style={{ height: virtual.getTotalSize() }}>
          {virtual.getVirtualItems().map((item) => {
            const row = rows[item.index];
            if (row === undefined) return null;
            return (
              <ReviewRow
                key={item.key}
                fields={fields}
                row={row}
                index={item.index}
                top={item.start}
                grid={grid}
                // Without an active cell, Tab enters at the first visible row.
                isEntry={activeIndex === -1 && item.index === first}
                words={words}
                showPasswords={showPasswords}
                onRemove={onRemove}
              />
            );
          })}
        </tbody>
      </table>
    </div>
  );
}

function Heading({ text, className }: { text: string; className?: string | undefined }) {
  return (
    <th scope="col" className={className} title={text}>
      {text}
    </th>
  );
}

/** Icon of each verdict, so that colour is not the only indicator. */
export const STATE_ICONS: Record<VerdictState, TablerIcon> = {
  rejected: IconAlertTriangle,
  existing: IconUserCheck,
  repeated: IconCopy,
  good: IconCheck,
};

interface ReviewRowProps {
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

function ReviewRow({ fields, row, index, top, grid, isEntry, words, showPasswords, onRemove }: ReviewRowProps) {
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

interface ReviewCellProps {
  text: string;
  /** The reason of its fault; undefined without one. */
  reason: string | undefined;
  /** The note on how the cell was read, when that isn't obvious. */
  note: string | undefined;
  /** Whether the text is shown as dots, also while typing. */
  isSecret: boolean;
  label: string;
  columnIndex: number;
  /** The grid's active cell, which has tabindex 0. */
  isActive: boolean;
  /** Move the focus to this cell. */
  takesFocus: boolean;
  /** The text being typed; undefined while not editing. */
  draft: string | undefined;
  onOpen: () => void;
  onType: (text: string) => void;
  onLeave: () => void;
}

/** A cell of the file, which can be edited in place. */
function ReviewCell(props: ReviewCellProps) {
  const { reason, note, draft, takesFocus } = props;
  const cell = useRef<HTMLTableCellElement>(null);
  const input = useRef<HTMLInputElement>(null);
  const isEdited = draft !== undefined;
  // Whether the cell says nothing else about its text.
  const isPlain = reason === undefined && note === undefined && !props.isSecret;
  useEffect(() => {
    if (!takesFocus) return;
    if (isEdited) {
      input.current?.focus({ preventScroll: true });
      input.current?.select();
    } else cell.current?.focus({ preventScroll: true });
  }, [takesFocus, isEdited]);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the grid handles the keys of all its cells
    <td
      ref={cell}
      className={styles.cell}
      aria-colindex={props.columnIndex}
      aria-invalid={reason !== undefined || undefined}
      data-fault={reason !== undefined || undefined}
      data-edited={isEdited || undefined}
      tabIndex={props.isActive && !isEdited ? 0 : -1}
      title={reason ?? note}
      onClick={isEdited ? undefined : props.onOpen}
    >
      {isEdited ? (
        <input
          ref={input}
          type={props.isSecret ? 'password' : 'text'}
          className={styles.input}
          value={draft}
          aria-label={props.label}
          aria-invalid={reason !== undefined}
          autoComplete="off"
          spellCheck={false}
          dir="auto"
          onChange={(event) => props.onType(event.currentTarget.value)}
          onBlur={props.onLeave}
        />
      ) : (
        <>
          {reason !== undefined && <IconAlertTriangle className={styles.icon} size={14} aria-hidden="true" />}
          {note !== undefined && <IconInfoCircle className={styles.note} size={14} aria-hidden="true" />}
          <bdi className={styles.text} title={isPlain ? props.text : undefined}>
            {props.isSecret && props.text !== '' ? '••••••' : props.text}
          </bdi>
          {(reason ?? note) !== undefined && <VisuallyHidden>{reason ?? note}</VisuallyHidden>}
        </>
      )}
    </td>
  );
}
