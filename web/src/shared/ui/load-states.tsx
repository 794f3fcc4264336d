import { Button } from '@mantine/core';
import { IconCloudOff } from '@tabler/icons-react';
import { useErrorWords, useTranslation } from '#src/shared/i18n/use-translation.tsx';
import styles from './load-states.module.css';
import { Notice } from './notice.tsx';

/** Grey bars as placeholders for rows; announced as loading by screen readers. */
export function RowsSkeleton({ rows = 8 }: { rows?: number }) {
  const { t } = useTranslation('shared');
  return (
    <div className={styles.rows} role="status" aria-label={t('loading')} data-placeholder="">
      {Array.from({ length: rows }, (_, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the bars are all the same and never move
        <span className={styles.row} key={index}>
          <span className={styles.bar} style={{ width: `${24 + ((index * 37) % 28)}%` }} />
          <span className={styles.bar} style={{ width: '8%' }} />
          <span className={styles.bar} style={{ width: '14%' }} />
        </span>
      ))}
    </div>
  );
}

/** A failed read: its reason and a retry button. */
export function LoadError({ error, onRetry }: { error: unknown; onRetry: () => void }) {
  const { t } = useTranslation('shared');
  const words = useErrorWords();
  return (
    <div role="alert">
      <Notice
        icon={IconCloudOff}
        title={t('loadFailed')}
        acts={
          <Button variant="default" onClick={onRetry}>
            {t('retry')}
          </Button>
        }
      >
        {words(error)}
      </Notice>
    </div>
  );
}
