import { Button } from '@mantine/core';
import { IconBug } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { PlainPage } from './plain-page.tsx';

/** Replaces a page that threw, also when a chunk of an older version is no longer on the server. */
export function CrashPage() {
  const { t } = useTranslation('app');
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
