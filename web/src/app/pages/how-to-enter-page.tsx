import { Button } from '@mantine/core';
import { IconDoorEnter } from '@tabler/icons-react';
import { Link, useLocation } from '@tanstack/react-router';
import { useTranslation } from '#src/shared/i18n/use-translation.tsx';
import { PlainPage } from './plain-page.tsx';

/** A room's URL opened without a session: explains how to sign in. Nothing is joined. */
export function HowToEnterPage() {
  const { t } = useTranslation('app');
  const href = useLocation({ select: (location) => location.href });
  return (
    <PlainPage
      icon={IconDoorEnter}
      title={t('enter.title')}
      acts={
        <Button renderRoot={(props) => <Link to="/signin" search={{ next: href }} {...props} />}>
          {t('enter.signIn')}
        </Button>
      }
    >
      {t('enter.text')}
    </PlainPage>
  );
}
