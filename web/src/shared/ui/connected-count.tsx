import { formatNumber } from '../format/format.ts';
import { useLanguage } from '../i18n/use-language.ts';
import { useTranslation } from '../i18n/use-translation.tsx';
import styles from './connected-count.module.css';

/** How many are in a channel's room, of how many (spec §2): a full dot when somebody is. */
export function ConnectedCount({ connected, userCount }: { connected: number; userCount: number }) {
  const { t } = useTranslation('channels');
  const { current } = useLanguage();
  return (
    <span className={styles.count} title={t('connectedOf', { connected, total: userCount })}>
      <span className={styles.dot} data-on={connected > 0 || undefined} aria-hidden="true" />
      {formatNumber(connected, current)}
      <span className={styles.total}>/{formatNumber(userCount, current)}</span>
    </span>
  );
}
