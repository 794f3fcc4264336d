import styles from './pickers.module.css';
import { PICK_SIZES } from '@pressel/contract/limits';
import type { User } from '@pressel/contract/users';
import { type ReactNode, useState } from 'react';
import { fullName, nameDirection } from '#src/shared/format/format.ts';
import { useTranslation } from '#src/shared/i18n/use-translation.tsx';
import { PickTable } from '#src/shared/ui/pick-table.tsx';
import { changedView, firstView } from './list-view.ts';
import { type MembersOf, type UserColumn, useUsersPage } from './lists.queries.ts';
import { memberName } from '#src/shared/format/member-name.ts';
import type { Column } from '#src/shared/ui/data-table.tsx';
import { useIsNarrow } from '#src/shared/ui/use-is-narrow.ts';

/**
 * The columns that identify users in choices: names, pseudo and login. On phones one column stacks them, because names
 * alone don't tell two people of one name apart.
 * @param loginWidth width of the login's column
 */
export function useUserColumns(loginWidth: string): Column<User>[] {
  const { t } = useTranslation('shared');
  const isNarrow = useIsNarrow();
  const text = (id: UserColumn, header: string, read: (user: User) => string): Column<User> => ({
    id,
    header,
    cell: (user) => <bdi title={read(user)}>{read(user)}</bdi>,
    isSortable: true,
  });
  const lastName = text('lastName', t('picker.lastName'), (user) => user.lastName);
  if (isNarrow) return [{ ...lastName, cell: (user) => <Person user={user} /> }];
  return [
    text('firstName', t('picker.firstName'), (user) => user.firstName),
    lastName,
    { ...text('pseudo', t('picker.pseudo'), (user) => user.pseudo), width: '18%' },
    { ...text('login', t('picker.login'), (user) => user.identifier), width: loginWidth },
  ];
}

function Person({ user }: { user: User }) {
  const name = memberName(user);
  return (
    <span className={styles.person}>
      <bdi title={name} dir={nameDirection(name)}>
        {name}
      </bdi>
      <bdi className={styles.login} title={user.identifier}>
        {user.identifier}
      </bdi>
    </span>
  );
}

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
