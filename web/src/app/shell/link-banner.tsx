import { Button } from '@mantine/core';
import { IconWifiOff } from '@tabler/icons-react';
import { useTranslation } from '#src/shared/i18n/use-translation.tsx';
import { useLink } from '#src/shared/realtime/use-link.ts';
import { useRealtime } from '#src/shared/services.tsx';
import styles from './link-banner.module.css';

/** Shown while the link to the server is lost: what still works. */
export function LinkBanner() {
  const { t } = useTranslation('app');
  const realtime = useRealtime();
  const isDown = useLink() === 'down';
  return (
    <div role="status" className={styles.region}>
      {isDown && (
        <div className={styles.banner} data-link-lost="">
          <IconWifiOff size={20} aria-hidden="true" />
          <p>
            <strong>{t('link.lost')}</strong> {t('link.lostMore')}
          </p>
          <Button size="xs" variant="default" onClick={realtime.retry}>
            {t('link.retry')}
          </Button>
        </div>
      )}
    </div>
  );
}
