import { Button } from '@mantine/core';
import { IconCloudOff } from '@tabler/icons-react';
import { useTranslation } from '../i18n/use-translation.tsx';
import { useAnnouncement } from './announcer.tsx';
import styles from './data-table.module.css';

export interface ListOldProps {
  /** The newest query failed, so the rows are those of before. */
  isUnread: boolean;
  isLinkLost: boolean;
  onRetry: () => void;
}

/** Says that the rows shown may be old. */
export function ListOld({ isUnread, isLinkLost, onRetry }: ListOldProps) {
  const { t } = useTranslation('shared');
  // The banner says that the link is lost.
  useAnnouncement(isUnread ? t('list.unread') : undefined);
  if (!isUnread && !isLinkLost) return null;
  return (
    <div className={styles.old}>
      <IconCloudOff size={16} aria-hidden="true" />
      <span>{t(isUnread ? 'list.unread' : 'list.old')}</span>
      {isUnread && (
        <Button size="compact-xs" variant="default" onClick={onRetry}>
          {t('retry')}
        </Button>
      )}
    </div>
  );
}
