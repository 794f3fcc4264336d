import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useRef } from 'react';
import { useTranslation } from '#src/shared/i18n/use-translation.tsx';
import { useRowHeight } from '#src/shared/ui/use-row-height.ts';
import { FIELDS, type ImportField, type ImportKind, type JudgedRow } from '../import-kinds.ts';
import type { ReasonWords } from '../reason-words.ts';
import { ReviewRow } from './review-row.tsx';
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
