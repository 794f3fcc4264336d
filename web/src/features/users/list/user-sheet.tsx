import { ActionIcon, Button, Drawer } from '@mantine/core';
import { userId } from '@pressel/contract/ids';
import { roomKey } from '@pressel/contract/text';
import type { User } from '@pressel/contract/users';
import {
  IconClipboardList,
  IconPencil,
  IconPhone,
  IconPlugConnectedX,
  IconTrash,
  IconUserOff,
} from '@tabler/icons-react';
import { skipToken, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { errorCodeOf } from '#src/shared/api/api-error.ts';
import { useCalling } from '#src/shared/calling.tsx';
import { formatDateTime, fullName } from '#src/shared/format/format.ts';
import { useLanguage, useTranslation } from '#src/shared/i18n/use-translation.tsx';
import { useApi, useLink, useUser } from '#src/shared/services.tsx';
import { Avatar } from '#src/shared/ui/avatar.tsx';
import { LoadError, RowsSkeleton } from '#src/shared/ui/load-states.tsx';
import { Notice } from '#src/shared/ui/notice.tsx';
import type { UserActsProps } from '../acts/user-acts.tsx';
import { userQuery } from '../form/user-form.queries.ts';
import { UserSessions } from './user-sessions.tsx';
import styles from './user-sheet.module.css';
import { LastActivity, OnlineState } from './user-table.tsx';

export interface UserSheetProps extends Pick<UserActsProps, 'onEdit' | 'onAsk'> {
  /** The id of the user, from the address. Undefined: closed. */
  id: string | undefined;
  /** A question is open above it, which then handles Escape. */
  isCovered: boolean;
  onClose: () => void;
  /** Called when it is gone from the screen, to give the focus back. */
  onClosed: () => void;
}

/** Shows everything about a user, with the acts on them. For administrators. */
export function UserSheet({ id, isCovered, onClose, onClosed, ...acts }: UserSheetProps) {
  const { t } = useTranslation('users');
  const { t: shared } = useTranslation('shared');
  return (
    <Drawer
      opened={id !== undefined}
      onClose={onClose}
      onExitTransitionEnd={onClosed}
      returnFocus={false}
      position="right"
      size={440}
      title={t('sheet.title')}
      closeOnEscape={!isCovered}
      closeButtonProps={{ 'aria-label': shared('close') }}
      classNames={{ content: styles.content, body: styles.body }}
    >
      <Sheet key={id} id={id} {...acts} />
    </Drawer>
  );
}

function Sheet({ id, ...acts }: Pick<UserSheetProps, 'id' | 'onEdit' | 'onAsk'>) {
  const { t } = useTranslation('userForm');
  const api = useApi();
  const known = userId.safeParse(id).data;
  const found = useQuery(
    known === undefined ? { queryKey: ['users', 'one', 'nobody'], queryFn: skipToken } : userQuery(api, known),
  );
  if (errorCodeOf(found.error) === 'not_found') return <Notice icon={IconUserOff} title={t('edit.gone')} />;
  if (found.data !== undefined) return <Facts user={found.data} {...acts} />;
  if (found.isError) return <LoadError error={found.error} onRetry={() => void found.refetch()} />;
  return <RowsSkeleton rows={9} />;
}

function Facts({ user, onEdit, onAsk }: { user: User } & Pick<UserSheetProps, 'onEdit' | 'onAsk'>) {
  const { t } = useTranslation('users');
  const { t: form } = useTranslation('userForm');
  const { current } = useLanguage();
  const name = fullName(user);
  return (
    <>
      {/* No <header>: it would be a second banner of the page. */}
      <div className={styles.head}>
        <Avatar size={72} photo={user.photo_url} name={name} />
        <div className={styles.names}>
          <strong className={styles.name}>
            <bdi>{name}</bdi>
          </strong>
          {user.pseudo.trim() !== '' && <bdi className={styles.pseudo}>{user.pseudo}</bdi>}
          <OnlineState isOnline={user.user_sockets.length > 0} />
        </div>
      </div>
      <div className={styles.acts}>
        <Button
          leftSection={<IconPencil size={16} aria-hidden="true" />}
          onClick={(event) => onEdit(user, event.currentTarget)}
          data-autofocus
        >
          {t('act.edit')}
        </Button>
        <CallButton user={user} />
        <ActionIcon
          renderRoot={(props) => <Link {...props} to="/activities" search={{ by: user.id, scope: 'all' }} />}
          variant="default"
          size="var(--control)"
          aria-label={t('act.logOf', { name })}
          title={t('act.log')}
        >
          <IconClipboardList size={18} aria-hidden="true" />
        </ActionIcon>
        <ActionIcon
          variant="default"
          size="var(--control)"
          aria-label={t('act.disconnectShort')}
          title={t('act.disconnect')}
          onClick={(event) => onAsk('disconnect', user, event.currentTarget)}
        >
          <IconPlugConnectedX size={18} aria-hidden="true" />
        </ActionIcon>
        {/* Separated from the others. */}
        <ActionIcon
          className={styles.delete}
          variant="subtle"
          size="var(--control)"
          color="fault"
          aria-label={t('act.delete')}
          title={t('act.delete')}
          onClick={(event) => onAsk('delete', user, event.currentTarget)}
        >
          <IconTrash size={18} aria-hidden="true" />
        </ActionIcon>
      </div>
      <dl className={styles.facts}>
        <Fact name={t('column.login')}>
          <bdi>{user.identifier}</bdi>
        </Fact>
        <Fact name={t('sheet.phone')}>
          {user.phone_number === '' ? (
            <span className={styles.none}>{t('sheet.noPhone')}</span>
          ) : (
            <a href={`tel:${user.phone_number.replace(/[^\d+*#]/gu, '')}`}>
              <bdi>{user.phone_number}</bdi>
            </a>
          )}
        </Fact>
        <Fact name={form('field.role')}>{form(`role.${user.role}`)}</Fact>
        <Fact name={t('sheet.map')}>{t(user.mapRight ? 'yes' : 'no')}</Fact>
        <Fact name={t('column.lastActivity')}>
          <LastActivity activity={user.userActivities[0]} />
        </Fact>
        <Fact name={t('column.createdAt')}>
          <time dateTime={user.createdAt}>{formatDateTime(user.createdAt, current)}</time>
        </Fact>
      </dl>
      <Channels channels={user.channels ?? []} />
      <UserSessions userId={user.id} />
    </>
  );
}

/**
 * By the rule of the members' rows in a room (RING17): no button for oneself, for users who are offline, and while the
 * link is lost.
 */
function CallButton({ user }: { user: User }) {
  const { t } = useTranslation('users');
  const { t: shared } = useTranslation('shared');
  const calling = useCalling();
  const self = useUser();
  const isLive = useLink() === 'up';
  if (calling === null || !isLive || user.user_sockets.length === 0 || user.id === self.id) return null;
  const { isBusy, start } = calling;
  return (
    <ActionIcon
      variant="default"
      size="var(--control)"
      aria-label={t('act.call')}
      // Not `disabled`, so that it keeps the focus that started the call, and says why it does nothing.
      aria-disabled={isBusy}
      {...(isBusy
        ? { 'data-disabled': true, title: shared('errors.in_a_call') }
        : { title: t('act.call'), onClick: () => start({ id: user.id, name: user.display_name }) })}
    >
      <IconPhone size={18} aria-hidden="true" />
    </ActionIcon>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className={styles.fact}>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function Channels({ channels }: { channels: NonNullable<User['channels']> }) {
  const { t } = useTranslation('users');
  return (
    <section className={styles.part}>
      <h3>{t('sheet.channels', { count: channels.length })}</h3>
      {channels.length === 0 ? (
        <p className={styles.none}>{t('sheet.noChannels')}</p>
      ) : (
        <ul className={styles.channels}>
          {channels.map((channel) => (
            <li key={channel.id}>
              <Link
                to="/groupCallView/$roomId"
                params={{ roomId: roomKey(channel.name) }}
                className={styles.channel}
                title={channel.name}
                dir="auto"
              >
                {channel.name}
              </Link>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
