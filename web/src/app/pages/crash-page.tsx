import { Button } from '@mantine/core';
import { IconBug, IconCloudOff } from '@tabler/icons-react';
import { useEffect, useState } from 'react';
import { useTranslation } from '#src/shared/i18n/use-translation.tsx';
import { ChunkGoneError } from '#src/shared/renewal.ts';
import { useServices } from '#src/shared/services.tsx';
import { PendingPage, PlainPage } from './plain-page.tsx';

/** Replaces a page that threw. */
export function CrashPage({ error }: { error: unknown }) {
  const { t } = useTranslation('app');
  if (error instanceof ChunkGoneError) return <RenewalPage />;
  return (
    <PlainPage
      icon={IconBug}
      title={t('crash.title')}
      acts={<Button onClick={() => window.location.reload()}>{t('crash.reload')}</Button>}
    >
      {t('crash.text')}
    </PlainPage>
  );
}

/** Replaces a page whose code is no longer on the server: reloads once, then asks. */
function RenewalPage() {
  const { t } = useTranslation('app');
  const { renewal } = useServices();
  const [isAsking, setAsking] = useState(false);
  useEffect(() => {
    let isShown = true;
    void renewal.renew().then((isReloading) => {
      if (isShown && !isReloading) setAsking(true);
    });
    return () => {
      isShown = false;
    };
  }, [renewal]);
  if (!isAsking) return <PendingPage />;
  return (
    <PlainPage
      icon={IconCloudOff}
      title={t('renewal.title')}
      acts={<Button onClick={() => void renewal.reload()}>{t('crash.reload')}</Button>}
    >
      {t('renewal.text')}
    </PlainPage>
  );
}
