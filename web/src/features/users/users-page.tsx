import { Button } from '@mantine/core';
import type { User } from '@pressel/contract/users';
import { IconCheck, IconFilterOff, IconUsers, IconX } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { formatDateTime } from '#src/shared/format/format.ts';
import { useLanguage } from '#src/shared/i18n/use-language.ts';
import type { ListView } from '#src/shared/lists/list-view.ts';
import { type UserColumn, useUsersPage } from '#src/shared/lists/lists.queries.ts';
import type { Column } from '#src/shared/ui/data-table.tsx';
import { FilterBox } from '#src/shared/ui/filter-box.tsx';
import { ListTable } from '#src/shared/ui/list-table.tsx';
import { Notice } from '#src/shared/ui/notice.tsx';
import { Page } from '#src/shared/ui/page.tsx';
import styles from './users.module.css';

export interface UsersPageProps {
  view: ListView<UserColumn>;
  onView: (change: Partial<ListView<UserColumn>>) => void;
}

/** Everybody with an account. For administrators. */
export function UsersPage({ view, onView }: UsersPageProps) {
  const { t } = useTranslation('users');
  const users = useUsersPage(view);
  const columns = useUserColumns();
  return (
    <Page
      title={t('title')}
      fact={users.data && t('count', { count: users.data.total })}
      acts={<FilterBox value={view.filter} onChange={(filter) => onView({ filter, page: 1 })} label={t('filter')} />}
    >
      <ListTable
        caption={t('title')}
        columns={columns}
        list={users}
        rowKey={(user) => user.id}
        view={view}
        onView={onView}
        empty={
          view.filter.trim() === '' ? (
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
    isSortable: true,
  });
  return [
    text('firstName', (user) => user.firstName),
    text('lastName', (user) => user.lastName),
    { ...text('login', (user) => user.identifier), width: '28%', narrowWidth: '46%' },
    { ...text('pseudo', (user) => user.pseudo), isWideOnly: true },
    {
      id: 'mapRight',
      header: t('column.map'),
      cell: (user) => <MapAccess isAllowed={user.mapRight} />,
      isSortable: true,
      width: '140px',
      isWideOnly: true,
    },
    {
      id: 'createdAt',
      header: t('column.createdAt'),
      cell: (user) => <time dateTime={user.createdAt}>{formatDateTime(user.createdAt, current)}</time>,
      isSortable: true,
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
