import { Loader } from '@mantine/core';
import { useTranslation } from '#src/shared/i18n/use-translation.tsx';
import styles from './plain-page.module.css';

/** Shown when loading a page's code or checking the session takes noticeably long. */
export function PendingPage() {
  const { t } = useTranslation('shared');
  return (
    <div className={styles.pending} role="status" aria-label={t('loading')}>
      <Loader color="var(--text-dim)" size="sm" />
    </div>
  );
}
