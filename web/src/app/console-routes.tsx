import { CHANNEL_COLUMNS } from '@pressel/contract/channels';
import { USER_COLUMNS } from '@pressel/contract/users';
import { IconClipboardList } from '@tabler/icons-react';
import { getRouteApi } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { ChannelsPage } from '#src/features/channels/channels-page.tsx';
import { ChannelTransferButtons, UserTransferButtons } from '#src/features/transfer/transfer-buttons.tsx';
import { ProfilePage } from '#src/features/users/profile-page.tsx';
import { UsersPage } from '#src/features/users/users-page.tsx';
import { useUser } from '#src/shared/services.tsx';
import { Notice } from '#src/shared/ui/notice.tsx';
import { Page } from '#src/shared/ui/page.tsx';
import { opensPanel, searchAfter, useRememberedSize, viewOf } from './list-search.ts';
import { AdminsOnlyPage } from './pages/admins-only-page.tsx';
import { usePreloadRoom } from './preload-room.ts';
import { DashboardScreen } from './screens/dashboard-screen.tsx';

/** The default sort, last name, first. */
const USER_SORTS = ['lastName', ...USER_COLUMNS] as const;

const channelsRoute = getRouteApi('/console/channelsList');
const usersRoute = getRouteApi('/console/usersList');
const dashboardRoute = getRouteApi('/console/dashboard');

export function ChannelsRoute() {
  usePreloadRoom();
  const search = channelsRoute.useSearch();
  const navigate = channelsRoute.useNavigate();
  const { size, remember } = useRememberedSize();
  return (
    <ChannelsPage
      view={viewOf(search, CHANNEL_COLUMNS, size)}
      onView={(change) => {
        remember(change);
        void navigate({ search: (known) => searchAfter(known, change), replace: !opensPanel(change) });
      }}
      transfer={<ChannelTransferButtons />}
    />
  );
}

export function UsersRoute() {
  const isAdmin = useUser().role === 'admin';
  const search = usersRoute.useSearch();
  const navigate = usersRoute.useNavigate();
  const { size, remember } = useRememberedSize();
  if (!isAdmin) return <AdminsOnlyPage />;
  return (
    <UsersPage
      view={viewOf(search, USER_SORTS, size)}
      onView={(change) => {
        remember(change);
        void navigate({ search: (known) => searchAfter(known, change), replace: !opensPanel(change) });
      }}
      transfer={<UserTransferButtons />}
    />
  );
}

export function DashboardRoute() {
  usePreloadRoom();
  const search = dashboardRoute.useSearch();
  const navigate = dashboardRoute.useNavigate();
  const { size, remember } = useRememberedSize();
  return (
    <DashboardScreen
      view={viewOf(search, CHANNEL_COLUMNS, size)}
      onView={(change) => {
        remember(change);
        void navigate({ search: (known) => searchAfter(known, change), replace: true });
      }}
    />
  );
}

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
