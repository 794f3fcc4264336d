import { Button, VisuallyHidden } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useState } from 'react';
import { useTranslation } from '#src/shared/i18n/use-translation.tsx';
import type { ImportField, JudgedRow } from '../sheet/import-kinds.ts';
import styles from '../transfer.module.css';
import type { Review } from './use-review.ts';

interface AlikeOfferProps {
  alike: Alike;
  /** The correction is still being typed. */
  isTyping: boolean;
  /** Called after applying, to move the focus, because the button disappears. */
  onDone: () => void;
}

/** Offers the same correction for similar rows; announced politely by screen readers. */
export function AlikeOffer({ alike, isTyping, onDone }: AlikeOfferProps) {
  const { t } = useTranslation('transfer');
  const { fix, count } = alike;
  return (
    <div role="status">
      {fix !== undefined && count > 0 && !isTyping && (
        <Button
          variant="light"
          size="compact-md"
          onClick={() => {
            alike.apply();
            onDone();
          }}
        >
          <VisuallyHidden>{t('review.alikeField', { field: t(`field.${fix.field}`) })}</VisuallyHidden>{' '}
          {t('review.alike', { count })}
        </Button>
      )}
    </div>
  );
}

interface Alike {
  /** The last correction; undefined before the first one and after it was applied to other rows. */
  fix: Fix | undefined;
  /** Number of other rows that it could be applied to. */
  count: number;
  note: (fix: Fix) => void;
  /** Applies it to all of them. */
  apply: () => void;
}

/** Tracks the last correction and offers to apply it to rows with the same value. */
export function useAlike({ rows, judged, isStale, editAll }: Review): Alike {
  const { t } = useTranslation('transfer');
  const [fix, setFix] = useState<Fix>();
  const alike = fix === undefined || isStale ? [] : rowsAlike(judged, fix);

  const apply = (): void => {
    if (fix === undefined || alike.length === 0) return;
    const { field, after } = fix;
    const chosen = new Set(alike);
    const before = new Map(rows.filter(({ row }) => chosen.has(row)).map((one) => [one.row, one[field]]));
    editAll(field, new Map(alike.map((row) => [row, after])));
    setFix(undefined);
    const id = notifications.show({
      message: (
        <span className={styles.undo}>
          {t('review.alikeDone', { count: alike.length })}
          <Button
            size="compact-sm"
            variant="default"
            onClick={() => {
              editAll(field, before);
              notifications.hide(id);
            }}
          >
            {t('review.alikeUndo')}
          </Button>
        </span>
      ),
    });
  };
  return { fix, count: alike.length, note: setFix, apply };
}

/** A corrected cell. */
interface Fix {
  row: number;
  field: ImportField;
  before: string;
  after: string;
}

/** Fields whose values must be unique, so that a correction never applies to other rows. */
const UNIQUE: ReadonlySet<ImportField> = new Set(['identifier', 'name']);

/**
 * Returns the other rows with the value that the corrected cell had, to offer them the same correction. None while the
 * cell still has a fault. Empty cells match for mapRight only, because other fields need a value of their own.
 */
export function rowsAlike(judged: readonly JudgedRow[], { row, field, before, after }: Fix): number[] {
  if (UNIQUE.has(field) || before === after || (before === '' && field !== 'mapRight')) return [];
  const own = judged.find((one) => one.row === row);
  if (own === undefined || own.faults.some((fault) => fault.field === field)) return [];
  return judged.filter((one) => one.row !== row && one.cells[field] === before).map((one) => one.row);
}
