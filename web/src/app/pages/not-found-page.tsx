import { Button } from '@mantine/core';
import { IconMapOff } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { useTranslation } from '#src/shared/i18n/use-translation.tsx';
import { PlainPage } from './plain-page.tsx';

export function NotFoundPage() {
  const { t } = useTranslation('app');
  return (
    <PlainPage
      icon={IconMapOff}
      title={t('notFound.title')}
      acts={<Button renderRoot={(props) => <Link to="/" {...props} />}>{t('notFound.home')}</Button>}
    >
      {t('notFound.text')}
    </PlainPage>
  );
}
