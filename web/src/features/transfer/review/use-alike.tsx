import { Button } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useState } from 'react';
import { useTranslation } from '#src/shared/i18n/use-translation.tsx';
import styles from '../transfer.module.css';
import { type Fix, rowsAlike } from './alike.ts';
import type { Review } from './use-review.ts';

export interface Alike {
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
