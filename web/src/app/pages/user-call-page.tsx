import { Button } from '@mantine/core';
import { IconLink } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { PlainPage } from './plain-page.tsx';

/**
 * A call link. Its path carried a token; the address was replaced before anything was drawn (see hide-call-link.ts).
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
