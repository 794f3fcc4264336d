import { Button } from '@mantine/core';
import { IconMapOff } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { Notice } from '#src/shared/ui/notice.tsx';
import { usePageTitle } from '#src/shared/ui/page-title.ts';

/** An address inside the console where nothing is: menu, room and talk button stay. */
export function LostPage() {
  const { t } = useTranslation('app');
  usePageTitle(t('notFound.title'));
  return (
    <main>
      <Notice
        icon={IconMapOff}
        title={t('notFound.title')}
        level={1}
        acts={<Button renderRoot={(props) => <Link to="/dashboard" {...props} />}>{t('notFound.home')}</Button>}
      >
        {t('notFound.text')}
      </Notice>
    </main>
  );
}
