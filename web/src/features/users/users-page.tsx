import { Button } from '@mantine/core';
import type { User } from '@pressel/contract/users';
import { IconCheck, IconFilterOff, IconUsers, IconX } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { usersQuery } from '#src/shared/api/users-query.ts';
import { formatDateTime } from '#src/shared/format/format.ts';
import { useLanguage } from '#src/shared/i18n/use-language.ts';
import { useApi } from '#src/shared/services.tsx';
import { type Column, DataTable, type TableView } from '#src/shared/ui/data-table.tsx';
import { FilterBox } from '#src/shared/ui/filter-box.tsx';
import { LoadError, RowsSkeleton } from '#src/shared/ui/load-states.tsx';
import { Notice } from '#src/shared/ui/notice.tsx';
import { Page } from '#src/shared/ui/page.tsx';
import styles from './users.module.css';

export interface UsersPageProps {
  view: TableView;
  onView: (change: Partial<TableView>) => void;
}

/** Everybody with an account. For administrators. */
export function UsersPage({ view, onView }: UsersPageProps) {
  const { t } = useTranslation('users');
  const users = useQuery(usersQuery(useApi()));
  const columns = useUserColumns();
  return (
    <Page
      title={t('title')}
      fact={users.data && t('count', { count: users.data.length })}
      acts={<FilterBox value={view.filter} onChange={(filter) => onView({ filter, page: 1 })} label={t('filter')} />}
    >
      {users.isPending && <RowsSkeleton />}
      {users.isError && users.data === undefined && (
        <LoadError error={users.error} onRetry={() => void users.refetch()} />
      )}
      {users.data && (
        <DataTable
          caption={t('title')}
          columns={columns}
          rows={users.data}
          rowKey={(user) => user.id}
          view={view}
          onView={onView}
          empty={
            users.data.length === 0 ? (
              <Notice icon={IconUsers} title={t('empty')}>
                {t('emptyText')}
              </Notice>
            ) : (
              <Notice
                icon={IconFilterOff}
                title={t('noMatch', { filter: view.filter.trim() })}
                acts={
                  <Button variant="default" onClick={() => onView({ filter: '', page: 1 })}>
                    {t('clear')}
                  </Button>
                }
              />
            )
          }
        />
      )}
    </Page>
  );
}

function useUserColumns(): Column<User>[] {
  const { t } = useTranslation('users');
  const { current } = useLanguage();
  const text = (id: 'firstName' | 'lastName' | 'login' | 'pseudo', read: (user: User) => string): Column<User> => ({
    id,
    header: t(`column.${id}`),
    cell: (user) => <bdi>{read(user)}</bdi>,
    sortValue: read,
    filterText: read,
  });
  return [
    text('firstName', (user) => user.firstName),
    text('lastName', (user) => user.lastName),
    { ...text('login', (user) => user.identifier), width: '28%', narrowWidth: '46%' },
    { ...text('pseudo', (user) => user.pseudo), isWideOnly: true },
    {
      id: 'map',
      header: t('column.map'),
      cell: (user) => <MapAccess isAllowed={user.mapRight} />,
      sortValue: (user) => (user.mapRight ? 0 : 1),
      filterText: (user) => t(user.mapRight ? 'yes' : 'no'),
      width: '140px',
      isWideOnly: true,
    },
    {
      id: 'createdAt',
      header: t('column.createdAt'),
      cell: (user) => <time dateTime={user.createdAt}>{formatDateTime(user.createdAt, current)}</time>,
      sortValue: (user) => user.createdAt,
      filterText: (user) => formatDateTime(user.createdAt, current),
      width: '180px',
      isWideOnly: true,
    },
  ];
}

function MapAccess({ isAllowed }: { isAllowed: boolean }) {
  const { t } = useTranslation('users');
  const Icon = isAllowed ? IconCheck : IconX;
  return (
    <span className={styles.map} data-allowed={isAllowed || undefined}>
      <Icon size={16} aria-hidden="true" />
      {t(isAllowed ? 'yes' : 'no')}
    </span>
  );
}
