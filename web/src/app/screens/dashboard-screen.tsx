import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { ChannelTable } from '#src/features/channels/channel-table.tsx';
import { channelsQuery } from '#src/features/channels/channels.queries.ts';
import { NoChannels } from '#src/features/channels/channels-page.tsx';
import { usersQuery } from '#src/shared/api/users-query.ts';
import { useApi, useUser } from '#src/shared/services.tsx';
import type { TableView } from '#src/shared/ui/data-table.tsx';
import { LoadError, RowsSkeleton } from '#src/shared/ui/load-states.tsx';
import { Page } from '#src/shared/ui/page.tsx';
import styles from './dashboard-screen.module.css';

export interface DashboardScreenProps {
  view: TableView;
  onView: (change: Partial<TableView>) => void;
}

/** Where one lands: the figures of the team for administrators, and for everyone the way into their channels. */
export function DashboardScreen({ view, onView }: DashboardScreenProps) {
  const { t } = useTranslation('dashboard');
  const navigate = useNavigate();
  const user = useUser();
  const isAdmin = user.role === 'admin';
  const channels = useQuery(channelsQuery(useApi()));
  return (
    <Page title={t('greeting', { name: user.firstName })}>
      {isAdmin && <Figures />}
      <section className={styles.section}>
        <header className={styles.head}>
          <h2 className={styles.title}>{t('myChannels')}</h2>
          <Link to="/channelsList" className={styles.more}>
            {t('allChannels')}
          </Link>
        </header>
        {channels.isPending && <RowsSkeleton rows={5} />}
        {channels.isError && channels.data === undefined && (
          <LoadError error={channels.error} onRetry={() => void channels.refetch()} />
        )}
        {channels.data && (
          <ChannelTable
            channels={channels.data}
            view={view}
            onView={onView}
            empty={
              <NoChannels
                onCreate={
                  isAdmin ? () => void navigate({ to: '/channelsList', search: { panel: 'create' } }) : undefined
                }
              />
            }
          />
        )}
      </section>
    </Page>
  );
}

/** Real figures only: a dash while they are not known. */
function Figures() {
  const { t } = useTranslation('dashboard');
  const api = useApi();
  const users = useQuery(usersQuery(api)).data;
  const channels = useQuery(channelsQuery(api)).data;
  const connected = users?.filter((user) => user.user_sockets.some((socket) => socket.channelId !== null)).length;
  const figures = [
    { label: t('users'), value: users?.length },
    { label: t('channels'), value: channels?.length },
    { label: t('connected'), value: connected },
  ];
  return (
    <dl className={styles.figures}>
      {figures.map((figure) => (
        <div key={figure.label}>
          <dt>{figure.label}</dt>
          <dd>{figure.value ?? '–'}</dd>
        </div>
      ))}
    </dl>
  );
}
