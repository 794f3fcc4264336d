import { ActionIcon } from '@mantine/core';
import type { Channel } from '@pressel/contract/channels';
import type { ChannelId } from '@pressel/contract/ids';
import { IconLink, IconPencil, IconTrash, IconUsersPlus, type TablerIcon } from '@tabler/icons-react';
import { Link, useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { formatDateTime, inSentence } from '#src/shared/format/format.ts';
import { useLanguage } from '#src/shared/i18n/use-language.ts';
import type { ListView } from '#src/shared/lists/list-view.ts';
import { type ChannelColumn, useChannelsPage } from '#src/shared/lists/lists.queries.ts';
import { ConnectedCount } from '#src/shared/ui/connected-count.tsx';
import type { Column } from '#src/shared/ui/data-table.tsx';
import { ListTable } from '#src/shared/ui/list-table.tsx';
import styles from './channels.module.css';

export interface ChannelActs {
  onMembers: (channel: Channel) => void;
  onEdit: (channel: Channel) => void;
  onDelete: (channel: Channel) => void;
  onGuests: (channel: Channel) => void;
}

export interface ChannelTableProps {
  view: ListView<ChannelColumn>;
  onView: (change: Partial<ListView<ChannelColumn>>) => void;
  /** Actions for administrators. */
  acts?: ChannelActs | undefined;
  /** What stands behind a channel's name, and changes by itself. */
  mark?: ((channelId: ChannelId) => ReactNode) | undefined;
  empty: ReactNode;
}

/** The channels with their number of connected users. Clicking a row enters its room. */
export function ChannelTable({ view, onView, acts, mark, empty }: ChannelTableProps) {
  const { t } = useTranslation('channels');
  const { current } = useLanguage();
  const navigate = useNavigate();
  const columns: Column<Channel>[] = [
    {
      id: 'name',
      header: t('column.name'),
      cell: (channel) => <ChannelLink channel={channel} mark={mark?.(channel.id)} />,
      isSortable: true,
    },
    {
      id: 'users',
      header: t('column.connected'),
      cell: ({ connected, userCount }) => <ConnectedCount connected={connected} userCount={userCount} />,
      isSortable: true,
      align: 'end',
      width: '190px',
      narrowWidth: '96px',
    },
    {
      id: 'createdAt',
      header: t('column.createdAt'),
      cell: (channel) => <time dateTime={channel.createdAt}>{formatDateTime(channel.createdAt, current)}</time>,
      isSortable: true,
      width: '200px',
      isWideOnly: true,
    },
  ];
  if (acts !== undefined) {
    columns.push({
      id: 'acts',
      header: t('column.acts'),
      cell: (channel) => <RowActs channel={channel} acts={acts} />,
      align: 'end',
      width: '172px',
      narrowWidth: '132px',
    });
  }
  return (
    <ListTable
      caption={t('title')}
      columns={columns}
      list={useChannelsPage(view)}
      rowKey={(channel) => channel.id}
      view={view}
      onView={onView}
      onOpen={(channel) => void navigate({ to: '/groupCallView/$roomId', params: { roomId: channel.rtcSession } })}
      empty={empty}
    />
  );
}

function ChannelLink({ channel, mark }: { channel: Channel; mark: ReactNode }) {
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
      {mark}
    </span>
  );
}

function RowActs({ channel, acts }: { channel: Channel; acts: ChannelActs }) {
  const { t } = useTranslation('channels');
  const name = inSentence(channel.name);
  const all: { label: string; icon: TablerIcon; act: (channel: Channel) => void; isWideOnly?: true }[] = [
    { label: t('membersOf', { name }), icon: IconUsersPlus, act: acts.onMembers },
    { label: t('guestsOf', { name }), icon: IconLink, act: acts.onGuests, isWideOnly: true },
    { label: t('edit.of', { name }), icon: IconPencil, act: acts.onEdit },
    { label: t('delete.of', { name }), icon: IconTrash, act: acts.onDelete },
  ];
  return (
    <span className={styles.rowActs}>
      {all.map(({ label, icon: Icon, act, isWideOnly }) => (
        <ActionIcon
          key={label}
          // On a phone it is in the room.
          data-wide-only={isWideOnly}
          variant="subtle"
          aria-label={label}
          title={label}
          onClick={() => act(channel)}
        >
          <Icon size={18} aria-hidden="true" />
        </ActionIcon>
      ))}
    </span>
  );
}
