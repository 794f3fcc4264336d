import { Button } from '@mantine/core';
import { IconLock } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { useTranslation } from '#src/shared/i18n/use-translation.tsx';
import { InsidePage } from './inside-page.tsx';

/** Shown to members on pages for administrators. */
export function AdminsOnlyPage() {
  const { t } = useTranslation('app');
  const { t: shared } = useTranslation('shared');
  return (
    <InsidePage
      icon={IconLock}
      title={t('notYours.title')}
      acts={<Button renderRoot={(props) => <Link to="/channelsList" {...props} />}>{shared('back')}</Button>}
    >
      {t('notYours.text')}
    </InsidePage>
  );
}
