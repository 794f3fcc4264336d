import { Button, Modal, Popover, Switch } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { addUserToChannel, type Channel, deleteUserFromChannel } from '@pressel/contract/channels';
import type { ChannelId, UserId } from '@pressel/contract/ids';
import type { User } from '@pressel/contract/users';
import { IconBroadcastOff, IconCheck, IconMinus, IconPlus } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useId, useRef, useState } from 'react';
import { fullName } from '#src/shared/format/format.ts';
import { useErrorWords, useTranslation } from '#src/shared/i18n/use-translation.tsx';
import type { Column } from '#src/shared/lists/data-table.tsx';
import { ListTable } from '#src/shared/lists/list-table.tsx';
import { changedView, firstView } from '#src/shared/lists/list-view.ts';
import {
  CHANNELS_KEY,
  isMembersPage,
  USERS_KEY,
  type UserColumn,
  useUsersPage,
} from '#src/shared/lists/lists.queries.ts';
import { useUserColumns } from '#src/shared/lists/pickers.tsx';
import { useApi } from '#src/shared/services.tsx';
import { FilterBox } from '#src/shared/ui/filter-box.tsx';
import { LoadError, RowsSkeleton } from '#src/shared/ui/load-states.tsx';
import { InlineError, Notice } from '#src/shared/ui/notice.tsx';
import { useAfterMount } from '#src/shared/ui/use-made-menu.ts';
import styles from './channels.module.css';
import { channelQuery } from './channels.queries.ts';

export interface MembersDialogProps {
  /** Undefined while closed. */
  channelId: ChannelId | undefined;
  onClose: () => void;
}

/** 'Search User' (spec §2): all users, each with a button that adds or removes them. Administrators only. */
export function MembersDialog({ channelId, onClose }: MembersDialogProps) {
  const { t: shared } = useTranslation('shared');
  /** The user whose confirmation is open. */
  const [asking, setAsking] = useState<UserId>();
  return (
    <Modal
      opened={useAfterMount(channelId !== undefined)}
      onClose={onClose}
      title={channelId && <Title channelId={channelId} />}
      size="xl"
      closeOnEscape={asking === undefined}
      closeButtonProps={{ 'aria-label': shared('close') }}
    >
      {channelId && <Members key={channelId} channelId={channelId} asking={asking} onAsk={setAsking} />}
    </Modal>
  );
}

function Title({ channelId }: { channelId: ChannelId }) {
  const { t } = useTranslation('channels');
  const { data } = useQuery(channelQuery(useApi(), channelId));
  return data ? t('membersOf', { name: data.name }) : t('members');
}

interface MembersProps {
  channelId: ChannelId;
  asking: UserId | undefined;
  onAsk: (userId: UserId | undefined) => void;
}

function Members({ channelId, ...props }: MembersProps) {
  const { t } = useTranslation('channels');
  const channel = useQuery(channelQuery(useApi(), channelId));
  if (channel.data === null) return <Notice icon={IconBroadcastOff} title={t('gone')} />;
  if (channel.data === undefined) {
    if (channel.isError) return <LoadError error={channel.error} onRetry={() => void channel.refetch()} />;
    return <RowsSkeleton rows={7} />;
  }
  return <MemberTable channel={channel.data} {...props} />;
}

function MemberTable({ channel, asking, onAsk }: Omit<MembersProps, 'channelId'> & { channel: Channel }) {
  const { t } = useTranslation('channels');
  const { t: shared } = useTranslation('shared');
  const [view, setView] = useState(firstView<UserColumn>('lastName'));
  const [onlyMembers, setOnlyMembers] = useState(false);
  const columns: Column<User>[] = [
    ...useUserColumns('28%'),
    {
      id: 'toggle',
      header: t('column.membership'),
      isHeaderQuiet: true,
      cell: (user) => (
        <MemberToggle
          userId={user.id}
          name={fullName(user)}
          channelId={channel.id}
          isMember={user.isMember ?? false}
          isAsking={asking === user.id}
          onAsk={(isAsking) => onAsk(isAsking ? user.id : undefined)}
        />
      ),
      align: 'end',
      width: '190px',
      narrowWidth: '88px',
    },
  ];
  return (
    <div className={styles.form}>
      <div className={styles.tools}>
        <FilterBox
          value={view.filter}
          onChange={(filter) => setView((known) => changedView(known, { filter }))}
          label={shared('picker.filterUsers')}
        />
        <Switch
          label={t('form.onlyMembers')}
          checked={onlyMembers}
          onChange={(event) => {
            setOnlyMembers(event.currentTarget.checked);
            setView((known) => changedView(known, {}));
          }}
        />
        <span className={styles.memberCount} aria-live="polite">
          {t('memberCount', { count: channel.userCount })}
        </span>
      </div>
      <div className={styles.table}>
        <ListTable
          caption={t('members')}
          columns={columns}
          list={useUsersPage(view, { members: { channelId: channel.id, only: onlyMembers } })}
          rowKey={(user) => user.id}
          view={view}
          onView={(change) => setView((known) => changedView(known, change))}
          empty={
            <p className={styles.nobody}>
              {view.filter.trim() !== ''
                ? shared('picker.noMatch')
                : onlyMembers
                  ? t('noMembers')
                  : shared('picker.noUsers')}
            </p>
          }
        />
      </div>
    </div>
  );
}

interface MemberToggleProps {
  userId: UserId;
  name: string;
  channelId: ChannelId;
  isMember: boolean;
  /** Whether the confirmation is open. */
  isAsking: boolean;
  onAsk: (isAsking: boolean) => void;
}

/** Adds a user to a channel or removes them. The confirmation is a popover, so that the rows don't move. */
function MemberToggle({ userId, name, channelId, isMember, isAsking, onAsk }: MemberToggleProps) {
  const { t } = useTranslation('channels');
  const { t: shared } = useTranslation('shared');
  const api = useApi();
  const queries = useQueryClient();
  const words = useErrorWords();
  const sureId = useId();
  const toggleRef = useRef<HTMLButtonElement>(null);
  const change = useMutation({
    mutationFn: (shouldAdd: boolean) =>
      api.call(shouldAdd ? addUserToChannel : deleteUserFromChannel, { userId, channelId }),
    onSuccess: async (_, wasAdded) => {
      await Promise.all([
        queries.invalidateQueries({ queryKey: CHANNELS_KEY }),
        queries.invalidateQueries({ queryKey: USERS_KEY, predicate: ({ queryKey }) => isMembersPage(queryKey) }),
      ]);
      notifications.show({ title: t(wasAdded ? 'member.added' : 'member.removed'), message: name });
      close();
    },
  });
  const close = () => {
    onAsk(false);
    toggleRef.current?.focus();
  };
  // Keeps the requested action while the row is updated.
  const shouldAdd = change.variables ?? !isMember;
  const Icon = isMember ? IconMinus : IconPlus;

  return (
    <span className={styles.membership}>
      {isMember && (
        <span className={styles.in}>
          <IconCheck size={16} aria-hidden="true" />
          <span>{t('member.in')}</span>
        </span>
      )}
      <Popover
        opened={isAsking}
        onChange={(isOpen) => !isOpen && close()}
        position="bottom-end"
        width={300}
        trapFocus
        withArrow
        closeOnClickOutside={!change.isPending}
      >
        <Popover.Target>
          <Button
            ref={toggleRef}
            size="compact-sm"
            variant="default"
            className={styles.toggle}
            leftSection={<Icon size={14} aria-hidden="true" />}
            aria-label={t(isMember ? 'member.removeName' : 'member.addName', { name })}
            onClick={() => {
              change.reset();
              onAsk(!isAsking);
            }}
          >
            <span className={styles.toggleWord}>{t(isMember ? 'member.remove' : 'member.add')}</span>
          </Button>
        </Popover.Target>
        <Popover.Dropdown aria-labelledby={sureId}>
          <div className={styles.sure}>
            <p>
              <strong id={sureId}>{t('member.sure')}</strong>
              {t(shouldAdd ? 'member.sureAdd' : 'member.sureRemove', { name })}
            </p>
            {change.isError && (
              <InlineError>
                {t(shouldAdd ? 'member.addFailed' : 'member.removeFailed')}. {words(change.error)}
              </InlineError>
            )}
            <div className={styles.sureActs}>
              <Button size="xs" variant="default" onClick={close}>
                {shared('cancel')}
              </Button>
              <Button size="xs" loading={change.isPending} onClick={() => change.mutate(shouldAdd)} data-autofocus>
                {t(shouldAdd ? 'member.yesAdd' : 'member.yesRemove')}
              </Button>
            </div>
          </div>
        </Popover.Dropdown>
      </Popover>
    </span>
  );
}
