import { useInViewport } from '@mantine/hooks';
import { type ReactNode, useRef, useState } from 'react';
import { ChannelTable } from '#src/features/channels/channel-table.tsx';
import { NoChannels } from '#src/features/channels/channels-page.tsx';
import { useChannelListActions } from '#src/features/channels/use-channel-list-actions.tsx';
import { MoreLink } from '#src/features/dashboard/card.tsx';
import { guestLinksOf } from '#src/features/guests/guest-links.tsx';
import { UserTable } from '#src/features/users/list/user-table.tsx';
import { useUserListActions } from '#src/features/users/use-user-list-actions.tsx';
import { useTranslation } from '#src/shared/i18n/use-translation.tsx';
import type { ListView } from '#src/shared/lists/list-view.ts';
import { type ChannelColumn, type UserColumn, useUsersPage } from '#src/shared/lists/lists.queries.ts';
import { FilterBox } from '#src/shared/ui/filter-box.tsx';
import { RowsSkeleton } from '#src/shared/ui/load-states.tsx';
import styles from './dashboard-tables.module.css';

/** A list's part of the address, with the panel that is open over it. */
export type TableView<Column extends string> = ListView<Column> & { panel: string | undefined };
export type OnTableView<Column extends string> = (change: Partial<TableView<Column>>, isSilent?: boolean) => void;

export interface DashboardTablesProps {
  users: TableView<UserColumn>;
  onUsers: OnTableView<UserColumn>;
  channels: TableView<ChannelColumn>;
  onChannels: OnTableView<ChannelColumn>;
}

/** The lists of users and channels as the dashboard has them (spec §2), read when they come into view. */
export function DashboardTables(props: DashboardTablesProps) {
  return (
    <>
      <Users {...props} />
      <Channels {...props} />
    </>
  );
}

function Users({ users: view, onUsers }: DashboardTablesProps) {
  const { t } = useTranslation('users');
  const { t: words } = useTranslation('dashboard');
  const place = useRef<HTMLDivElement>(null);
  const actions = useUserListActions({ panel: view.panel, onPanel: (panel) => onUsers({ panel }), listRef: place });
  return (
    <div ref={place}>
      <Section
        title={t('title')}
        filter={
          <FilterBox value={view.filter} onChange={(filter) => onUsers({ filter, page: 1 })} label={t('filter')} />
        }
        more={<MoreLink to="/usersList">{words('allUsers')}</MoreLink>}
      >
        <UserRows view={view} onUsers={onUsers} actions={actions} />
      </Section>
      {actions.dialogs}
    </div>
  );
}

interface UserRowsProps {
  view: DashboardTablesProps['users'];
  onUsers: DashboardTablesProps['onUsers'];
  actions: ReturnType<typeof useUserListActions>;
}

function UserRows({ view, onUsers, actions }: UserRowsProps) {
  const { t } = useTranslation('users');
  return (
    <UserTable
      variant="dashboard"
      users={useUsersPage(view)}
      view={view}
      onView={onUsers}
      onEdit={actions.onEdit}
      onOpen={actions.onOpen}
      onAsk={actions.onAsk}
      empty={
        <p className={styles.none}>
          {view.filter.trim() === '' ? t('empty') : t('noMatch', { filter: view.filter.trim() })}
        </p>
      }
    />
  );
}

function Channels({ channels: view, onChannels }: DashboardTablesProps) {
  const { t } = useTranslation('channels');
  const { t: words } = useTranslation('dashboard');
  const { acts, onCreate, dialogs } = useChannelListActions(view.panel, (panel) => onChannels({ panel }), guestLinksOf);
  return (
    <>
      <Section
        title={t('title')}
        filter={
          <FilterBox value={view.filter} onChange={(filter) => onChannels({ filter, page: 1 })} label={t('filter')} />
        }
        more={<MoreLink to="/channelsList">{words('allChannels')}</MoreLink>}
      >
        <ChannelTable
          view={view}
          onView={onChannels}
          acts={acts}
          empty={
            view.filter.trim() === '' ? (
              <NoChannels onCreate={onCreate} isPart />
            ) : (
              <p className={styles.none}>{t('empty.filtered', { filter: view.filter.trim() })}</p>
            )
          }
        />
      </Section>
      {dialogs}
    </>
  );
}

interface SectionProps {
  title: string;
  filter: ReactNode;
  more: ReactNode;
  children: ReactNode;
}

/** A list that reads its rows once it comes into view, and keeps them. */
function Section({ title, filter, more, children }: SectionProps) {
  const { ref, inViewport } = useInViewport<HTMLElement>();
  const [isSeen, setSeen] = useState(false);
  if (inViewport && !isSeen) setSeen(true);
  return (
    <section ref={ref} className={styles.section}>
      <header className={styles.head}>
        <h2 className={styles.title}>{title}</h2>
        {more}
        {filter}
      </header>
      {isSeen ? children : <RowsSkeleton rows={6} />}
    </section>
  );
}
