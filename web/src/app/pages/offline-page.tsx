import { Button } from '@mantine/core';
import { IconCloudOff } from '@tabler/icons-react';
import { useEffect, useState } from 'react';
import { useTranslation } from '#src/shared/i18n/use-translation.tsx';
import { useSession } from '#src/shared/services.tsx';
import { PlainPage } from './plain-page.tsx';

/** Interval of automatic retries, ms. */
const RETRY_MS = 5_000;

/** There is a session, but the server can't be reached to confirm it. Retries and opens the app by itself. */
export function OfflinePage() {
  const { t } = useTranslation('app');
  const { t: shared } = useTranslation('shared');
  const session = useSession();
  const [isAsking, setAsking] = useState(false);

  useEffect(() => {
    const again = () => void session.check();
    const timer = setInterval(again, RETRY_MS);
    window.addEventListener('online', again);
    return () => {
      clearInterval(timer);
      window.removeEventListener('online', again);
    };
  }, [session]);

  return (
    <PlainPage
      icon={IconCloudOff}
      title={t('offline.title')}
      acts={
        <Button
          loading={isAsking}
          onClick={() => {
            setAsking(true);
            void session.check().finally(() => setAsking(false));
          }}
        >
          {shared('retry')}
        </Button>
      }
    >
      {t('offline.text')}
    </PlainPage>
  );
}
