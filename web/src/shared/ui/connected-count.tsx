import { useLanguage, useTranslation } from '#src/shared/i18n/use-translation.tsx';
import { formatNumber } from '../format/format.ts';
import styles from './connected-count.module.css';

/**
 * Shows how many people are in a channel's room, of how many members (spec §2), with a full dot if anybody is.
 * Administrators who are not members may be there too, so the number can exceed the members. Then no fraction is shown
 * [DASH15].
 */
export function ConnectedCount({ connected, userCount }: { connected: number; userCount: number }) {
  const { t } = useTranslation('channels');
  const { current } = useLanguage();
  const isPart = connected <= userCount;
  return (
    <span
      className={styles.count}
      title={t(isPart ? 'connectedOf' : 'connectedBeside', { connected, total: userCount })}
    >
      <span className={styles.dot} data-on={connected > 0 || undefined} aria-hidden="true" />
      {formatNumber(connected, current)}
      {isPart && <span className={styles.total}>/{formatNumber(userCount, current)}</span>}
    </span>
  );
}
