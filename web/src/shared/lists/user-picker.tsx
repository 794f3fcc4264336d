import { PICK_SIZES } from '@pressel/contract/limits';
import type { User } from '@pressel/contract/users';
import { type ReactNode, useState } from 'react';
import { fullName } from '../format/format.ts';
import { useTranslation } from '../i18n/use-translation.tsx';
import type { Column } from '../ui/data-table.tsx';
import { PickTable } from '../ui/pick-table.tsx';
import { changedView, firstView } from './list-view.ts';
import { type MembersOf, type UserColumn, useUsersPage } from './lists.queries.ts';

export interface UserPickerProps {
  title: string;
  /** Adds `isMember` for this channel to the rows. */
  members?: MembersOf | undefined;
  picked: number | undefined;
  isPicked: (user: User) => boolean;
  onPick: (users: readonly User[], isPicked: boolean) => void;
  /** Buttons beside the filter. */
  acts?: ReactNode;
}

/** All users with checkboxes: sortable, filterable, paged (spec §2, user selection table). */
export function UserPicker({ title, members, picked, isPicked, onPick, acts }: UserPickerProps) {
  const { t } = useTranslation('shared');
  const [view, setView] = useState(firstView<UserColumn>('lastName', PICK_SIZES[0]));
  const text = (id: UserColumn & keyof User, header: string): Column<User> => ({
    id,
    header,
    cell: (user) => <bdi title={String(user[id])}>{String(user[id])}</bdi>,
    isSortable: true,
  });
  const columns: Column<User>[] = [
    text('firstName', t('picker.firstName')),
    text('lastName', t('picker.lastName')),
    {
      id: 'login',
      header: t('picker.login'),
      cell: (user) => <bdi title={user.identifier}>{user.identifier}</bdi>,
      isSortable: true,
      isWideOnly: true,
      width: '40%',
    },
  ];
  return (
    <PickTable
      title={title}
      filterLabel={t('picker.filterUsers')}
      picked={picked}
      columns={columns}
      rowKey={(user) => user.id}
      list={useUsersPage(view, { members })}
      view={view}
      onView={(change) => setView((known) => changedView(known, change))}
      sizes={PICK_SIZES}
      ticks={{
        isPicked,
        onPick,
        label: (user) => (user === 'all' ? t('picker.all') : t('picker.one', { name: fullName(user) })),
      }}
      empty={view.filter.trim() === '' ? t('picker.noUsers') : t('picker.noMatch')}
      acts={acts}
    />
  );
}
