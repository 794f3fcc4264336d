import { Button } from '@mantine/core';
import { IconRefresh } from '@tabler/icons-react';
import { useTranslation } from '../i18n/use-translation.tsx';
import { useServices } from '../services.tsx';
import { useSnapshot } from '../use-snapshot.ts';
import styles from './new-version.module.css';

/**
 * Says that a newer version is ready, and reloads on request [APP7]. Users in a room or a call are told only
 * afterwards, because a reload would put them out of it.
 */
export function NewVersion() {
  const { t } = useTranslation('shared');
  const { renewal } = useServices();
  const { isNewer, isHeld, apart } = useSnapshot(renewal);
  return (
    <div role="status" className={styles.region}>
      {isNewer && !isHeld && apart === 'no' && (
        <>
          <span className={styles.text}>{t('newVersion.ready')}</span>
          <Button
            size="xs"
            variant="default"
            data-new-version=""
            leftSection={<IconRefresh size={16} aria-hidden="true" />}
            classNames={{ root: styles.button, section: styles.icon, label: styles.label }}
            onClick={() => void renewal.reload()}
          >
            {t('newVersion.update')}
          </Button>
        </>
      )}
    </div>
  );
}
