import { IconClipboardList } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { ProfilePage } from '#src/features/users/profile-page.tsx';
import { useUser } from '#src/shared/services.tsx';
import { Notice } from '#src/shared/ui/notice.tsx';
import { Page } from '#src/shared/ui/page.tsx';
import { AdminsOnlyPage } from './pages/admins-only-page.tsx';

/** The own account. */
export function ProfileRoute() {
  return <ProfilePage key={useUser().id} />;
}

/** Activities are logged already; the screen that shows them follows later, and says so. */
export function ActivitiesRoute() {
  const { t } = useTranslation('activities');
  const isAdmin = useUser().role === 'admin';
  if (!isAdmin) return <AdminsOnlyPage />;
  return (
    <Page title={t('title')}>
      <Notice icon={IconClipboardList} title={t('soon')}>
        {t('soonText')}
      </Notice>
    </Page>
  );
}
