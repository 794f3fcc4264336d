import { PICK_SIZES } from '@pressel/contract/limits';
import type { User } from '@pressel/contract/users';
import { type ReactNode, useState } from 'react';
import { fullName } from '../format/format.ts';
import { useTranslation } from '../i18n/use-translation.tsx';
import { PickTable } from '../ui/pick-table.tsx';
import { changedView, firstView } from './list-view.ts';
import { type MembersOf, type UserColumn, useUsersPage } from './lists.queries.ts';
import { useUserColumns } from './user-columns.tsx';

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
  return (
    <PickTable
      title={title}
      filterLabel={t('picker.filterUsers')}
      picked={picked}
      columns={useUserColumns('34%')}
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
