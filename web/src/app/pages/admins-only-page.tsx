import { Button } from '@mantine/core';
import { IconLock } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { Notice } from '#src/shared/ui/notice.tsx';
import { usePageTitle } from '#src/shared/ui/page-title.ts';

/** Shown to members on pages for administrators. */
export function AdminsOnlyPage() {
  const { t } = useTranslation('app');
  const { t: shared } = useTranslation('shared');
  usePageTitle(t('notYours.title'));
  return (
    <main>
      <Notice
        icon={IconLock}
        title={t('notYours.title')}
        level={1}
        acts={<Button renderRoot={(props) => <Link to="/channelsList" {...props} />}>{shared('back')}</Button>}
      >
        {t('notYours.text')}
      </Notice>
    </main>
  );
}
