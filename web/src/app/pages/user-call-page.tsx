import { Button } from '@mantine/core';
import { IconLink } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { PlainPage } from './plain-page.tsx';

/**
 * A call link. Its path contained a token, which was removed from the URL before rendering (see hide-call-link.ts).
 */
export function UserCallPage() {
  const { t } = useTranslation('app');
  return (
    <PlainPage
      icon={IconLink}
      title={t('callLink.title')}
      acts={<Button renderRoot={(props) => <Link to="/" {...props} />}>{t('notFound.home')}</Button>}
    >
      {t('callLink.text')}
    </PlainPage>
  );
}
