import { IconClipboardList } from '@tabler/icons-react';
import { getRouteApi } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { ChannelsPage } from '#src/features/channels/channels-page.tsx';
import { UsersPage } from '#src/features/users/users-page.tsx';
import { useUser } from '#src/shared/services.tsx';
import { Notice } from '#src/shared/ui/notice.tsx';
import { Page } from '#src/shared/ui/page.tsx';
import { searchAfter, viewOf } from './list-search.ts';
import { NotYours } from './pages/not-yours.tsx';
import { DashboardScreen } from './screens/dashboard-screen.tsx';

const channelsRoute = getRouteApi('/console/channelsList');
const usersRoute = getRouteApi('/console/usersList');
const dashboardRoute = getRouteApi('/console/dashboard');

export function ChannelsRoute() {
  const search = channelsRoute.useSearch();
  const navigate = channelsRoute.useNavigate();
  return (
    <ChannelsPage
      view={{ ...viewOf(search, 'name'), panel: search.panel }}
      onView={(change) =>
        void navigate({
          search: (known) => {
            const next = searchAfter(known, change);
            return 'panel' in change ? { ...next, panel: change.panel } : next;
          },
          // A panel is a place to come back from; a filter being typed is not.
          replace: !('panel' in change && change.panel !== undefined),
        })
      }
    />
  );
}

export function UsersRoute() {
  const isAdmin = useUser().role === 'admin';
  const search = usersRoute.useSearch();
  const navigate = usersRoute.useNavigate();
  if (!isAdmin) return <NotYours />;
  return (
    <UsersPage
      view={viewOf(search, 'lastName')}
      onView={(change) => void navigate({ search: (known) => searchAfter(known, change), replace: true })}
    />
  );
}

export function DashboardRoute() {
  const search = dashboardRoute.useSearch();
  const navigate = dashboardRoute.useNavigate();
  return (
    <DashboardScreen
      view={viewOf(search, 'name')}
      onView={(change) => void navigate({ search: (known) => searchAfter(known, change), replace: true })}
    />
  );
}

/** The log is kept from the first day; the screen to read it comes later, and says so. */
export function ActivitiesRoute() {
  const { t } = useTranslation('activities');
  const isAdmin = useUser().role === 'admin';
  if (!isAdmin) return <NotYours />;
  return (
    <Page title={t('title')}>
      <Notice icon={IconClipboardList} title={t('soon')}>
        {t('soonText')}
      </Notice>
    </Page>
  );
}
