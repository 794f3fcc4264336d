import { ActionIcon } from '@mantine/core';
import type { Channel } from '@pressel/contract/channels';
import { IconUsersPlus } from '@tabler/icons-react';
import { Link, useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { formatDateTime } from '#src/shared/format/format.ts';
import { useLanguage } from '#src/shared/i18n/use-language.ts';
import { type Column, DataTable, type TableView } from '#src/shared/ui/data-table.tsx';
import styles from './channels.module.css';

export interface ChannelTableProps {
  channels: readonly Channel[];
  view: TableView;
  onView: (change: Partial<TableView>) => void;
  /** Administrators: opens the members of a channel. */
  onMembers?: ((channel: Channel) => void) | undefined;
  empty: ReactNode;
}

/** Channels with how many are connected. A row is the way into its room. */
export function ChannelTable({ channels, view, onView, onMembers, empty }: ChannelTableProps) {
  const { t } = useTranslation('channels');
  const { current } = useLanguage();
  const navigate = useNavigate();
  const columns: Column<Channel>[] = [
    {
      id: 'name',
      header: t('column.name'),
      cell: (channel) => <ChannelLink channel={channel} />,
      sortValue: (channel) => channel.name,
      filterText: (channel) => channel.name,
    },
    {
      id: 'connected',
      header: t('column.connected'),
      cell: (channel) => <Connected channel={channel} />,
      sortValue: (channel) => channel.connected,
      filterText: (channel) => `${channel.connected}/${channel.userCount}`,
      align: 'end',
      width: '190px',
      narrowWidth: '116px',
    },
    {
      id: 'createdAt',
      header: t('column.createdAt'),
      cell: (channel) => <time dateTime={channel.createdAt}>{formatDateTime(channel.createdAt, current)}</time>,
      sortValue: (channel) => channel.createdAt,
      filterText: (channel) => formatDateTime(channel.createdAt, current),
      width: '200px',
      isWideOnly: true,
    },
  ];
  if (onMembers !== undefined) {
    columns.push({
      id: 'acts',
      header: t('column.acts'),
      cell: (channel) => (
        <ActionIcon
          variant="subtle"
          aria-label={t('membersOf', { name: channel.name })}
          title={t('membersOf', { name: channel.name })}
          onClick={() => onMembers(channel)}
        >
          <IconUsersPlus size={18} aria-hidden="true" />
        </ActionIcon>
      ),
      align: 'end',
      width: '88px',
      narrowWidth: '64px',
    });
  }
  return (
    <DataTable
      caption={t('title')}
      columns={columns}
      rows={channels}
      rowKey={(channel) => channel.id}
      view={view}
      onView={onView}
      onOpen={(channel) => void navigate({ to: '/groupCallView/$roomId', params: { roomId: channel.rtcSession } })}
      empty={empty}
    />
  );
}

function ChannelLink({ channel }: { channel: Channel }) {
  const { t } = useTranslation('channels');
  return (
    <span className={styles.name}>
      <Link
        className={styles.link}
        to="/groupCallView/$roomId"
        params={{ roomId: channel.rtcSession }}
        aria-label={t('enter', { name: channel.name })}
        preload={false}
        dir="auto"
      >
        {channel.name}
      </Link>
      {channel.talkMode === 'open' && <span className={styles.mode}>{t('open')}</span>}
    </span>
  );
}

function Connected({ channel }: { channel: Channel }) {
  const { t } = useTranslation('channels');
  const { connected, userCount } = channel;
  return (
    <span className={styles.connected} title={t('connectedOf', { connected, total: userCount })}>
      <span className={styles.dot} data-on={connected > 0 || undefined} aria-hidden="true" />
      {connected}
      <span className={styles.total}>/{userCount}</span>
    </span>
  );
}
