import type { Channel } from '@pressel/contract/channels';
import type { ChannelId } from '@pressel/contract/ids';
import { useState } from 'react';
import { useLanguage, useTranslation } from '#src/shared/i18n/use-translation.tsx';
import { formatNumber } from '../format/format.ts';
import type { Column } from '../ui/data-table.tsx';
import { PickTable } from '../ui/pick-table.tsx';
import { changedView, firstView } from './list-view.ts';
import { type ChannelColumn, useChannelsPage } from './lists.queries.ts';
import styles from './pickers.module.css';

export interface ChannelPickerProps {
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
