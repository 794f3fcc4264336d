import { Button } from '@mantine/core';
import { CHANNEL_COLUMNS } from '@pressel/contract/channels';
import { IconPlus } from '@tabler/icons-react';
import { getRouteApi } from '@tanstack/react-router';
import { TimelineEntry } from '#src/features/activities/timeline-entry.tsx';
import { NoChannels } from '#src/features/channels/channels-page.tsx';
import { DashboardPage } from '#src/features/dashboard/dashboard-page.tsx';
import { useTranslation } from '#src/shared/i18n/use-translation.tsx';
import { lazyComponent } from '#src/shared/lazy-component.ts';
import { useUser } from '#src/shared/services.tsx';
import { LazySection } from '#src/shared/ui/lazy-section.tsx';
import styles from './dashboard-route.module.css';
import type { DashboardTablesProps } from './dashboard-tables.tsx';
import { isStep, type PageView, searchAfter, USER_SORTS, useRememberedSize, viewOf } from './list-address.ts';
import { usePreloadRoom } from './preload-room.ts';

const dashboardRoute = getRouteApi('/console/dashboard');

export function DashboardRoute() {
  usePreloadRoom();
  const search = dashboardRoute.useSearch();
  const navigate = dashboardRoute.useNavigate();
  const sizes = { users: useRememberedSize('dashboardUsers'), channels: useRememberedSize('dashboardChannels') };
  /** Each list has its own part of the address. */
  const changer = (list: 'users' | 'channels') => (change: Partial<PageView<string>>, isSilent?: boolean) => {
    sizes[list].remember(change);
    void navigate({
      search: (known) => ({ ...known, [list]: searchAfter(known[list] ?? {}, change) }),
      replace: isSilent === true || !isStep(change),
    });
  };
  return (
    <DashboardScreen
      users={viewOf(search.users ?? {}, USER_SORTS, sizes.users.size)}
      onUsers={changer('users')}
      channels={viewOf(search.channels ?? {}, CHANNEL_COLUMNS, sizes.channels.size)}
      onChannels={changer('channels')}
    />
  );
}

const DashboardTables = lazyComponent(async () => (await import('./dashboard-tables.tsx')).DashboardTables);

/** The start page. Administrators also get the lists of users and channels, which load after the figures. */
function DashboardScreen(props: DashboardTablesProps) {
  const { t } = useTranslation('dashboard');
  const isAdmin = useUser().role === 'admin';
  const createChannel = () => props.onChannels({ panel: 'create' });
  const addUser = () => props.onUsers({ panel: 'create' });
  return (
    <DashboardPage
      entry={(activity) => <TimelineEntry activity={activity} />}
      noChannels={<NoChannels onCreate={undefined} isPart />}
      onCreateChannel={createChannel}
      onAddUser={addUser}
      onEditUser={(id) => props.onUsers({ panel: id })}
      acts={
        isAdmin && (
          <div className={styles.adds}>
            <Button variant="default" leftSection={<IconPlus size={16} aria-hidden="true" />} onClick={createChannel}>
              {t('addChannel')}
            </Button>
            <Button leftSection={<IconPlus size={16} aria-hidden="true" />} data-shortcut="create" onClick={addUser}>
              {t('addUser')}
            </Button>
          </div>
        )
      }
      tables={
        isAdmin && (
          <LazySection>
            <DashboardTables {...props} />
          </LazySection>
        )
      }
    />
  );
}
