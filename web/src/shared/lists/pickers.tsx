import type { Channel } from '@pressel/contract/channels';
import type { ChannelId } from '@pressel/contract/ids';
import { PICK_SIZES } from '@pressel/contract/limits';
import type { User } from '@pressel/contract/users';
import type { UseQueryResult } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { formatNumber, fullName, memberName, nameDirection } from '#src/shared/format/format.ts';
import { useLanguage, useTranslation } from '#src/shared/i18n/use-translation.tsx';
import { FilterBox } from '#src/shared/ui/filter-box.tsx';
import { useIsNarrow } from '#src/shared/ui/use-is-narrow.ts';
import type { Column, Ticks } from './data-table.tsx';
import { ListTable } from './list-table.tsx';
import { type AskedPage, changedView, firstView, type ListView } from './list-view.ts';
import { type ChannelColumn, type MembersOf, type UserColumn, useChannelsPage, useUsersPage } from './lists.queries.ts';
import styles from './pickers.module.css';

interface ChannelPickerProps {
  title: string;
  picked: ReadonlySet<ChannelId>;
  onPick: (ids: readonly ChannelId[], isPicked: boolean) => void;
  /** Page sizes to choose from; the first is the default. */
  sizes: readonly [number, ...number[]];
}

/** All channels with checkboxes: sortable, filterable, paged (spec §2, channel selection table). */
export function ChannelPicker({ title, picked, onPick, sizes }: ChannelPickerProps) {
  const { t } = useTranslation('shared');
  const { current } = useLanguage();
  const [view, setView] = useState(firstView<ChannelColumn>('name', sizes[0]));
  // The channels chosen when it opened, so that a row chosen now stays where it is.
  const [first] = useState(() => [...picked]);
  const columns: Column<Channel>[] = [
    {
      id: 'name',
      header: t('picker.channelName'),
      cell: (channel) => (
        <bdi className={styles.name} title={channel.name}>
          {channel.name}
        </bdi>
      ),
      isSortable: true,
    },
    {
      id: 'users',
      header: t('picker.members'),
      cell: (channel) => formatNumber(channel.userCount, current),
      isSortable: true,
      align: 'end',
      width: '120px',
      narrowWidth: '96px',
    },
  ];
  return (
    <PickTable
      title={title}
      filterLabel={t('picker.filterChannels')}
      picked={picked.size}
      columns={columns}
      rowKey={(channel) => channel.id}
      list={useChannelsPage(view, first)}
      view={view}
      onView={(change) => setView((known) => changedView(known, change))}
      sizes={sizes}
      ticks={{
        isPicked: (channel) => picked.has(channel.id),
        onPick: (channels, isPicked) =>
          onPick(
            channels.map(({ id }) => id),
            isPicked,
          ),
        label: (channel) => (channel === 'all' ? t('picker.all') : t('picker.one', { name: channel.name })),
      }}
      empty={view.filter.trim() === '' ? t('picker.noChannels') : t('picker.noMatch')}
    />
  );
}

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

interface UserPickerProps {
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

interface PickTableProps<Row, Sort extends string> {
  title: string;
  filterLabel: string;
  /** Number of picked rows over all pages; undefined while unknown. */
  picked: number | undefined;
  columns: readonly Column<Row>[];
  rowKey: (row: Row) => string;
  list: UseQueryResult<AskedPage<Row>>;
  view: ListView<Sort>;
  onView: (change: Partial<ListView<Sort>>) => void;
  sizes: readonly number[];
  ticks: Ticks<Row>;
  empty: ReactNode;
  /** Buttons beside the filter. */
  acts?: ReactNode;
}

/** A table for picking rows inside a form. The selection is independent of filter and page. */
function PickTable<Row, Sort extends string>(props: PickTableProps<Row, Sort>) {
  const { t } = useTranslation('shared');
  return (
    <section className={styles.pick} aria-label={props.title}>
      <header className={styles.head}>
        <strong>{props.title}</strong>
        <span className={styles.picked} aria-live="polite">
          {props.picked !== undefined && t('picked', { count: props.picked })}
        </span>
      </header>
      <div className={styles.tools}>
        <FilterBox
          value={props.view.filter}
          onChange={(filter) => props.onView({ filter, page: 1 })}
          label={props.filterLabel}
        />
        {props.acts}
      </div>
      <div className={styles.table}>
        <ListTable
          caption={props.title}
          columns={props.columns}
          rowKey={props.rowKey}
          list={props.list}
          view={props.view}
          onView={props.onView}
          sizes={props.sizes}
          ticks={props.ticks}
          empty={<p className={styles.empty}>{props.empty}</p>}
        />
      </div>
    </section>
  );
}
