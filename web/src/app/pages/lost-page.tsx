import { Button } from '@mantine/core';
import { IconMapOff } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { useTranslation } from '#src/shared/i18n/use-translation.tsx';
import { InsidePage } from './inside-page.tsx';

/** The page for an unknown address inside the console. */
export function LostPage() {
  const { t } = useTranslation('app');
  return (
    <InsidePage
      icon={IconMapOff}
      title={t('notFound.title')}
      acts={<Button renderRoot={(props) => <Link to="/dashboard" {...props} />}>{t('notFound.home')}</Button>}
    >
      {t('notFound.text')}
    </InsidePage>
  );
}
