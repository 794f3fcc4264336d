import { ActionIcon } from '@mantine/core';
import type { Channel } from '@pressel/contract/channels';
import type { ChannelId } from '@pressel/contract/ids';
import { IconClipboardList, IconLink, IconPencil, IconTrash, IconUsersPlus } from '@tabler/icons-react';
import { Link, useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { formatDateTime, formatRecent } from '#src/shared/format/format.ts';
import { useLanguage, useTranslation } from '#src/shared/i18n/use-translation.tsx';
import { ChannelTalk, ConnectedCount, JoinedChannelMark, useHasTalk } from '#src/shared/lists/channel-talk.tsx';
import type { Column } from '#src/shared/lists/data-table.tsx';
import { ListTable } from '#src/shared/lists/list-table.tsx';
import type { ListView } from '#src/shared/lists/list-view.ts';
import { type ChannelColumn, useChannelsPage } from '#src/shared/lists/lists.queries.ts';
import type { Selection } from '#src/shared/lists/selection.ts';
import { RowMenu } from '#src/shared/ui/row-menu.tsx';
import type { RowMenuAct } from '#src/shared/ui/row-menu-list.tsx';
import { useIsNarrow } from '#src/shared/ui/use-is-narrow.ts';
import styles from './channels.module.css';

export interface ChannelActs {
  onMembers: (channel: Channel) => void;
  onEdit: (channel: Channel) => void;
  onDelete: (channel: Channel) => void;
  onGuests: (channel: Channel) => void;
}

export interface ChannelTableProps {
  view: ListView<ChannelColumn>;
  onView: (change: Partial<ListView<ChannelColumn>>, isSilent?: boolean) => void;
  /** Actions for administrators. */
  acts?: ChannelActs | undefined;
  /** Without a selection no row can be ticked. */
  selection?: Selection | undefined;
  /** The mark after a channel's name, which updates by itself. */
  mark?: ((channelId: ChannelId) => ReactNode) | undefined;
  empty: ReactNode;
}

/** The channels with their number of connected users. Clicking a row enters its room. */
export function ChannelTable({ view, onView, acts, selection, mark, empty }: ChannelTableProps) {
  const { t } = useTranslation('channels');
  const { current } = useLanguage();
  const navigate = useNavigate();
  const isNarrow = useIsNarrow();
  const columns: Column<Channel>[] = [
    {
      id: 'name',
      header: t('column.name'),
      cell: (channel) => (
        <span className={styles.two}>
          <ChannelLink channel={channel} mark={mark?.(channel.id)} />
          {isNarrow && <SecondLine channel={channel} />}
        </span>
      ),
      isSortable: true,
    },
    {
      id: 'users',
      header: t('column.connected'),
      cell: ({ connected, userCount }) => <ConnectedCount connected={connected} userCount={userCount} />,
      isSortable: true,
      align: 'end',
      width: '160px',
      narrowWidth: '96px',
    },
    {
      id: 'talk',
      header: t('column.lastTalk'),
      cell: (channel) => <ChannelTalk channel={channel} />,
      width: '200px',
      isWideOnly: true,
    },
    {
      id: 'lastActivity',
      header: t('column.lastActivity'),
      cell: ({ lastActivityAt }) =>
        lastActivityAt !== null && (
          <time dateTime={lastActivityAt} title={formatDateTime(lastActivityAt, current)}>
            {formatRecent(lastActivityAt, current)}
          </time>
        ),
      width: '150px',
      isRoomyOnly: true,
    },
    {
      id: 'createdAt',
      header: t('column.createdAt'),
      cell: (channel) => <time dateTime={channel.createdAt}>{formatDateTime(channel.createdAt, current)}</time>,
      isSortable: true,
      width: '184px',
      isSpaciousOnly: true,
    },
  ];
  if (acts !== undefined) {
    columns.push({
      id: 'acts',
      header: t('column.acts'),
      isHeaderQuiet: true,
      cell: (channel) => <RowActs channel={channel} acts={acts} />,
      align: 'end',
      width: '208px',
      narrowWidth: '60px',
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
      ticks={
        selection && {
          isPicked: (channel) => selection.keys.has(channel.id),
          onPick: (rows, isPicked) =>
            selection.set(
              rows.map(({ id }) => id),
              isPicked,
            ),
          label: (channel) => (channel === 'all' ? t('select.all') : t('select.one', { name: channel.name })),
        }
      }
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
        dir="auto"
      >
        {/* The link's own title would be read aloud after its label, which has the name already. */}
        <span title={channel.name}>{channel.name}</span>
      </Link>
      <JoinedChannelMark channelId={channel.id} />
      {channel.talkMode === 'open' && <span className={styles.mode}>{t('open')}</span>}
      {mark}
    </span>
  );
}

/** On phones: the talker or the last talk; without one, the channel's creation date. */
function SecondLine({ channel }: { channel: Channel }) {
  const { current } = useLanguage();
  if (useHasTalk(channel)) return <ChannelTalk channel={channel} />;
  return (
    <time className={styles.second} dateTime={channel.createdAt}>
      {formatDateTime(channel.createdAt, current)}
    </time>
  );
}

function RowActs({ channel, acts }: { channel: Channel; acts: ChannelActs }) {
  const { t } = useTranslation('channels');
  const isNarrow = useIsNarrow();
  const navigate = useNavigate();
  const { name } = channel;
  // The delete action is never next to the edit action.
  const all: (Pick<RowMenuAct, 'label' | 'icon' | 'isApart'> & { act: (channel: Channel) => void })[] = [
    { label: t('edit.of', { name }), icon: IconPencil, act: acts.onEdit },
    { label: t('membersOf', { name }), icon: IconUsersPlus, act: acts.onMembers },
    { label: t('guestsOf', { name }), icon: IconLink, act: acts.onGuests },
    {
      label: t('logOf', { name }),
      icon: IconClipboardList,
      act: ({ id }) => void navigate({ to: '/activities', search: { channel: id, scope: 'all' } }),
    },
    { label: t('delete.of', { name }), icon: IconTrash, isApart: true, act: acts.onDelete },
  ];
  if (isNarrow) {
    const items = all.map(({ act, ...one }) => ({ ...one, onPick: () => act(channel) }));
    return <RowMenu label={t('actsOf', { name })} acts={items} />;
  }
  return (
    <span className={styles.rowActs}>
      {/* Keyed without the labels: a renamed channel must not replace the button that has the focus. */}
      {all.map(({ label, icon: Icon, act }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the acts are always these
        <ActionIcon key={index} variant="subtle" aria-label={label} title={label} onClick={() => act(channel)}>
          <Icon size={18} aria-hidden="true" />
        </ActionIcon>
      ))}
    </span>
  );
}
