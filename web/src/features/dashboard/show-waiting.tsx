import { Button } from '@mantine/core';
import { IconArrowUp } from '@tabler/icons-react';
import { useTranslation } from '#src/shared/i18n/use-translation.tsx';
import styles from './dashboard.module.css';

/** Says that new rows wait until the user has finished reading, and shows them on request. */
export function ShowWaiting({ count, onShow }: { count: number; onShow: () => void }) {
  const { t } = useTranslation('shared');
  return (
    <div role="status" className={styles.waiting}>
      {count > 0 && (
        <Button size="xs" variant="default" leftSection={<IconArrowUp size={14} aria-hidden="true" />} onClick={onShow}>
          {t('list.waiting', { count })}
        </Button>
      )}
    </div>
  );
}
