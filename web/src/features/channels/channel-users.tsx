import { ActionIcon, UnstyledButton } from '@mantine/core';
import type { ChannelId } from '@pressel/contract/ids';
import { IconChevronRight, IconUsersPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useId, useState } from 'react';
import { useTranslation } from '#src/shared/i18n/use-translation.tsx';
import { ChannelTalk } from '#src/shared/lists/channel-talk.tsx';
import { useApi } from '#src/shared/services.tsx';
import styles from './channel-users.module.css';
import { channelQuery } from './channels.queries.ts';

export interface ChannelUsersProps {
  channelId: ChannelId;
  /** The name shown until the channel is loaded. */
  fallbackName: string;
  /** For administrators: opens the dialog that adds and removes users. */
  onManage: (() => void) | undefined;
  /** The list of members, rendered only while it is unfolded. */
  children: ReactNode;
}

/** 'Users in …' (spec §2, Shell): the frame around the list of the room's channel members. */
export function ChannelUsers({ channelId, fallbackName, onManage, children }: ChannelUsersProps) {
  const { t } = useTranslation('channels');
  const listId = useId();
  const [isOpen, setOpen] = useState(true);
  const channel = useQuery(channelQuery(useApi(), channelId)).data;
  if (channel === null) return null;
  const name = channel?.name ?? fallbackName;
  return (
    <section className={styles.section} aria-label={t('here.title', { name })}>
      <div className={styles.head}>
        <UnstyledButton
          className={styles.expand}
          aria-expanded={isOpen}
          aria-controls={listId}
          title={t('here.title', { name })}
          onClick={() => setOpen((was) => !was)}
        >
          <IconChevronRight className={styles.chevron} size={16} aria-hidden="true" />
          <span className={styles.title}>{t('here.title', { name })}</span>
        </UnstyledButton>
        {onManage && <ManageUsersButton onManage={onManage} />}
      </div>
      {channel && (
        <div className={styles.talk}>
          <ChannelTalk channel={channel} />
        </div>
      )}
      <div id={listId} hidden={!isOpen}>
        {isOpen && children}
      </div>
    </section>
  );
}

/** Opens the dialog that adds and removes users. */
export function ManageUsersButton({ onManage, className }: { onManage: () => void; className?: string | undefined }) {
  const { t } = useTranslation('channels');
  const label = t('here.manage');
  return (
    <ActionIcon variant="subtle" className={className ?? ''} aria-label={label} title={label} onClick={onManage}>
      <IconUsersPlus size={17} aria-hidden="true" />
    </ActionIcon>
  );
}
