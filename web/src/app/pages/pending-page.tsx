import { Loader } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import styles from './plain-page.module.css';

/** While a page's code or the session's check is on its way, and takes longer than a blink. */
export function PendingPage() {
  const { t } = useTranslation('shared');
  return (
    <div className={styles.pending} role="status" aria-label={t('loading')}>
      <Loader color="var(--text-dim)" size="sm" />
    </div>
  );
}
