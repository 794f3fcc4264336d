import { Link, useNavigate } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { ChannelTable } from '#src/features/channels/channel-table.tsx';
import { NoChannels } from '#src/features/channels/channels-page.tsx';
import { firstView, type ListView } from '#src/shared/lists/list-view.ts';
import { type ChannelColumn, type UserColumn, useChannelsPage, useUsersPage } from '#src/shared/lists/lists.queries.ts';
import { useUser } from '#src/shared/services.tsx';
import { Page } from '#src/shared/ui/page.tsx';
import styles from './dashboard-screen.module.css';

export interface DashboardScreenProps {
  view: ListView<ChannelColumn>;
  onView: (change: Partial<ListView<ChannelColumn>>) => void;
}

/** The start page: figures of the team for administrators, and the channels for everyone. */
export function DashboardScreen({ view, onView }: DashboardScreenProps) {
  const { t } = useTranslation('dashboard');
  const navigate = useNavigate();
  const user = useUser();
  const isAdmin = user.role === 'admin';
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
        <ChannelTable
          view={view}
          onView={onView}
          empty={
            <NoChannels
              onCreate={isAdmin ? () => void navigate({ to: '/channelsList', search: { panel: 'create' } }) : undefined}
            />
          }
        />
      </section>
    </Page>
  );
}

/** Pages of one row, because only their totals are shown. */
const ONE_USER = firstView<UserColumn>('lastName', 1);
const ONE_CHANNEL = firstView<ChannelColumn>('name', 1);

/** The figures; a dash while one is unknown. */
function Figures() {
  const { t } = useTranslation('dashboard');
  const users = useUsersPage(ONE_USER).data;
  const channels = useChannelsPage(ONE_CHANNEL).data;
  const figures = [
    { label: t('users'), value: users?.total },
    { label: t('channels'), value: channels?.total },
    { label: t('connected'), value: users?.connected },
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
