import { Button } from '@mantine/core';
import { IconRefreshAlert, IconWifiOff } from '@tabler/icons-react';
import { useTranslation } from '#src/shared/i18n/use-translation.tsx';
import { useLink, useRealtime, useServices } from '#src/shared/services.tsx';
import { useSnapshot } from '#src/shared/use-snapshot.ts';
import styles from './banners.module.css';

/** The banners over every page of the console: a lost link, and a page of another version than the server. */
export function Banners() {
  return (
    <div>
      <LinkBanner />
      <ApartBanner />
    </div>
  );
}

/** Says what still works while the link to the server is lost. */
export function LinkBanner() {
  const { t } = useTranslation('app');
  const realtime = useRealtime();
  const isDown = useLink() === 'down';
  return (
    <div role="status">
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

/**
 * Says that page and server no longer speak the same contract [APP14]. It stays until the page has reloaded, by itself
 * if it can: see shared/apart.ts.
 */
function ApartBanner() {
  const { t } = useTranslation('shared');
  const { renewal } = useServices();
  const { apart } = useSnapshot(renewal);
  if (apart === 'no') return null;
  return (
    <div role="alert" className={styles.banner} data-apart={apart}>
      <IconRefreshAlert size={20} aria-hidden="true" />
      <p>
        <strong>{t('apart.title')}</strong> {t(`apart.${apart}`)}
      </p>
      {apart !== 'link' && (
        <Button size="xs" variant="default" onClick={() => void renewal.reload()}>
          {t('apart.reload')}
        </Button>
      )}
    </div>
  );
}
