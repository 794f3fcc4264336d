import type { User, UserActivity } from '@pressel/contract/users';
import { IconCheck, IconX } from '@tabler/icons-react';
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { activitySentence } from '#src/shared/activity-sentence.ts';
import { formatDateTime, fullName } from '#src/shared/format/format.ts';
import { useLanguage, useTranslation } from '#src/shared/i18n/use-translation.tsx';
import type { Column } from '#src/shared/lists/data-table.tsx';
import { ListTable } from '#src/shared/lists/list-table.tsx';
import type { ListView } from '#src/shared/lists/list-view.ts';
import type { UserColumn, UsersPage } from '#src/shared/lists/lists.queries.ts';
import type { Selection } from '#src/shared/lists/selection.ts';
import { Avatar } from '#src/shared/ui/avatar.tsx';
import { useIsNarrow } from '#src/shared/ui/use-is-narrow.ts';
import { UserActs, type UserActsProps } from '../acts/user-acts.tsx';
import styles from '../users.module.css';

export interface UserTableProps extends Pick<UserActsProps, 'onAsk'> {
  onEdit: UserActsProps['onEdit'];
  /** Opens the sheet of a user. `opener` is null for a click on the row, which never had the focus. */
  onOpen: UserActsProps['onEdit'];
  users: UseQueryResult<UsersPage>;
  view: ListView<UserColumn>;
  onView: (change: Partial<ListView<UserColumn>>, isSilent?: boolean) => void;
  /** Undefined: rows can't be ticked. */
  selection?: Selection;
  /** The dashboard shows only names and login (spec §2). */
  variant?: 'whole' | 'dashboard';
  empty: ReactNode;
}

export function UserTable({ users, view, onView, selection, variant = 'whole', ...props }: UserTableProps) {
  const { t } = useTranslation('users');
  const { onOpen } = props;
  const acts = { onOpen, onEdit: props.onEdit, onAsk: props.onAsk };
  const wide = useUserColumns(acts);
  const narrow = useNarrowColumns(acts, wide);
  const columns = useIsNarrow() ? narrow : wide;
  return (
    <div className={styles.dense}>
      <ListTable
        caption={t('title')}
        columns={variant === 'whole' ? columns : wide.filter(({ id }) => IN_DASHBOARD.has(id)).map(spread)}
        list={users}
        rowKey={(user) => user.id}
        view={view}
        onView={onView}
        onOpen={(user) => onOpen(user, null)}
        ticks={
          selection && {
            isPicked: (user) => selection.keys.has(user.id),
            onPick: (rows, isPicked) =>
              selection.set(
                rows.map(({ id }) => id),
                isPicked,
              ),
            label: (user) => (user === 'all' ? t('select.all') : t('select.one', { name: fullName(user) })),
          }
        }
        empty={props.empty}
      />
    </div>
  );
}

const IN_DASHBOARD: ReadonlySet<string> = new Set(['firstName', 'lastName', 'login', 'pseudo', 'acts']);

/** Shares the width of the missing columns. */
const spread = (column: Column<User>): Column<User> =>
  column.id === 'acts' ? column : { ...column, width: column.id === 'login' ? '34%' : 'auto' };

function useUserColumns({ onOpen, ...acts }: Pick<UserTableProps, 'onEdit' | 'onAsk' | 'onOpen'>): Column<User>[] {
  const { t } = useTranslation('users');
  const { current } = useLanguage();
  const text = (id: 'firstName' | 'lastName' | 'login' | 'pseudo', read: (user: User) => string): Column<User> => ({
    id,
    header: t(`column.${id}`),
    cell: (user) => <bdi title={read(user)}>{read(user)}</bdi>,
    isSortable: true,
  });
  return [
    {
      ...text('firstName', (user) => user.firstName),
      cell: (user) => (
        <button
          type="button"
          className={styles.open}
          aria-label={t('sheet.open', { name: fullName(user) })}
          title={user.firstName}
          onClick={(event) => onOpen(user, event.currentTarget)}
        >
          <Avatar size={22} photo={user.photo_url} name={fullName(user)} />
          <bdi>{user.firstName}</bdi>
        </button>
      ),
      width: '12%',
      narrowWidth: 'auto',
    },
    { ...text('lastName', (user) => user.lastName), width: '10%', narrowWidth: 'auto' },
    { ...text('login', (user) => user.identifier), width: '15%', isWideOnly: true },
    { ...text('pseudo', (user) => user.pseudo), width: '92px', isRoomyOnly: true },
    {
      id: 'mapRight',
      header: t('column.map'),
      cell: (user) => <MapAccess isAllowed={user.mapRight} />,
      isSortable: true,
      width: '68px',
      isWideOnly: true,
    },
    {
      id: 'createdAt',
      header: t('column.createdAt'),
      cell: (user) => (
        <time className={styles.moment} dateTime={user.createdAt}>
          {formatDateTime(user.createdAt, current)}
        </time>
      ),
      isSortable: true,
      width: '150px',
      isRoomyOnly: true,
    },
    {
      id: 'lastActivity',
      header: t('column.lastActivity'),
      cell: (user) => <LastActivity activity={user.userActivities[0]} />,
      isSortable: true,
      isWideOnly: true,
    },
    {
      id: 'state',
      header: t('column.state'),
      cell: (user) => <OnlineState isOnline={user.user_sockets.length > 0} />,
      isSortable: true,
      width: '106px',
    },
    {
      id: 'acts',
      header: t('column.acts'),
      isHeaderQuiet: true,
      cell: (user) => <UserActs user={user} {...acts} />,
      align: 'end',
      width: '116px',
      narrowWidth: '60px',
    },
  ];
}

/** Two lines a row: the user, and the other facts that the list is used for. */
function useNarrowColumns({ onOpen }: Pick<UserTableProps, 'onOpen'>, wide: readonly Column<User>[]): Column<User>[] {
  const { t } = useTranslation('users');
  const name: Column<User> = {
    id: 'lastName',
    header: t('column.lastName'),
    cell: (user) => (
      <span className={styles.two}>
        <span className={styles.line} data-first="">
          <OnlineState isOnline={user.user_sockets.length > 0} />
          <button
            type="button"
            className={styles.open}
            aria-label={t('sheet.open', { name: fullName(user) })}
            onClick={(event) => onOpen(user, event.currentTarget)}
          >
            <bdi title={fullName(user)}>{fullName(user)}</bdi>
          </button>
          <bdi className={styles.login} title={user.identifier}>
            {user.identifier}
          </bdi>
        </span>
        <span className={styles.line} data-second="">
          <MapAccess isAllowed={user.mapRight} isLabelled />
          <LastActivity activity={user.userActivities[0]} />
        </span>
      </span>
    ),
    isSortable: true,
  };
  return [name, ...wide.filter(({ id }) => id === 'acts')];
}

/** `isLabelled`: says its label itself, because there is no header. */
function MapAccess({ isAllowed, isLabelled = false }: { isAllowed: boolean; isLabelled?: boolean }) {
  const { t } = useTranslation('users');
  const Icon = isAllowed ? IconCheck : IconX;
  return (
    <span className={styles.map} data-allowed={isAllowed || undefined} title={t(isAllowed ? 'mapYes' : 'mapNo')}>
      <Icon size={16} aria-hidden="true" />
      {isLabelled ? t(isAllowed ? 'mapShortYes' : 'mapShortNo') : t(isAllowed ? 'yes' : 'no')}
    </span>
  );
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** Words the time since then, such as '7 hours ago', rounded down: 'now' in the first minute. */
export function sessionAge(ms: number, language: string): string {
  const words = new Intl.RelativeTimeFormat(language, { numeric: 'auto' });
  if (ms < MINUTE_MS) return words.format(0, 'second');
  if (ms < HOUR_MS) return words.format(-Math.floor(ms / MINUTE_MS), 'minute');
  return ms < 2 * DAY_MS
    ? words.format(-Math.floor(ms / HOUR_MS), 'hour')
    : words.format(-Math.floor(ms / DAY_MS), 'day');
}

/** Shows what somebody did last, and when. In a narrow column the sentence is cut off; the hint has all of it. */
export function LastActivity({ activity }: { activity: UserActivity | undefined }) {
  const { t } = useTranslation('activities');
  const { t: users } = useTranslation('users');
  const { current } = useLanguage();
  if (activity === undefined)
    return (
      <span className={styles.noActivity} title={t('none')}>
        {t('none')}
      </span>
    );
  const sentence = activitySentence(t, activity);
  const moment = formatDateTime(activity.createdAt, current);
  return (
    <span className={styles.activity} title={users('activityHint', { sentence, moment })}>
      <span className={styles.sentence}>{sentence}</span>
      <span aria-hidden="true">·</span>
      <time className={styles.moment} dateTime={activity.createdAt}>
        {moment}
      </time>
    </span>
  );
}

/** A full dot or a ring, with the word. Without room for it, the word is for screen readers and for fingers that linger. */
export function OnlineState({ isOnline }: { isOnline: boolean }) {
  const { t } = useTranslation('users');
  const word = t(isOnline ? 'online' : 'offline');
  return (
    <span className={styles.state} data-online={isOnline || undefined} title={word}>
      <span className={styles.dot} aria-hidden="true" />
      <span className={styles.stateWord}>{word}</span>
    </span>
  );
}
