import { Modal } from '@mantine/core';
import type { Channel } from '@pressel/contract/channels';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { usersQuery } from '#src/shared/api/users-query.ts';
import { useApi } from '#src/shared/services.tsx';
import { FilterBox } from '#src/shared/ui/filter-box.tsx';
import { LoadError, RowsSkeleton } from '#src/shared/ui/load-states.tsx';
import styles from './channels.module.css';
import { MemberRow } from './member-row.tsx';
import { matchingUsers } from './user-filter.ts';

export interface MembersDialogProps {
  /** Undefined: closed. */
  channel: Channel | undefined;
  onClose: () => void;
}

/** All users, each with the way into the channel or out of it. */
export function MembersDialog({ channel, onClose }: MembersDialogProps) {
  const { t } = useTranslation('channels');
  const { t: shared } = useTranslation('shared');
  return (
    <Modal
      opened={channel !== undefined}
      onClose={onClose}
      title={channel && t('membersOf', { name: channel.name })}
      size="lg"
      closeButtonProps={{ 'aria-label': shared('close') }}
    >
      {channel && <MemberList key={channel.id} channel={channel} />}
    </Modal>
  );
}

function MemberList({ channel }: { channel: Channel }) {
  const { t } = useTranslation('channels');
  const [filter, setFilter] = useState('');
  const [asking, setAsking] = useState<string>();
  const users = useQuery(usersQuery(useApi()));
  const shown = matchingUsers(users.data ?? [], filter);
  const members = new Set(channel.users?.map((user) => user.id));
  return (
    <>
      <FilterBox value={filter} onChange={setFilter} label={t('picker.filter')} />
      <div className={`${styles.list} ${styles.tall}`}>
        {users.isPending && <RowsSkeleton rows={8} />}
        {users.isError && <LoadError error={users.error} onRetry={() => void users.refetch()} />}
        <ul>
          {shown.map((user) => (
            <MemberRow
              key={user.id}
              user={user}
              channelId={channel.id}
              isMember={members.has(user.id)}
              isAsking={asking === user.id}
              onAsk={(isAsking) => setAsking(isAsking ? user.id : undefined)}
            />
          ))}
        </ul>
        {users.isSuccess && shown.length === 0 && (
          <p className={styles.nobody}>{users.data.length === 0 ? t('picker.none') : t('picker.noMatch')}</p>
        )}
      </div>
    </>
  );
}
