import { Button } from '@mantine/core';
import { IconCloudOff } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from '#src/shared/i18n/use-translation.tsx';
import { useSession } from '#src/shared/services.tsx';
import { useRetry } from '#src/shared/use-retry.ts';
import { PlainPage } from './plain-page.tsx';

/** There is a session, but the server can't be reached to confirm it. Retries and opens the app by itself. */
export function OfflinePage() {
  const { t } = useTranslation('app');
  const { t: shared } = useTranslation('shared');
  const session = useSession();
  const [isAsking, setAsking] = useState(false);

  useRetry(true, () => void session.check());

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
