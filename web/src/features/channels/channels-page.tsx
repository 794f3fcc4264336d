import { Button } from '@mantine/core';
import type { Channel } from '@pressel/contract/channels';
import { IconBroadcast, IconFilterOff, IconPlus } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type { ListView } from '#src/shared/lists/list-view.ts';
import { type ChannelColumn, useChannelsPage } from '#src/shared/lists/lists.queries.ts';
import { useUser } from '#src/shared/services.tsx';
import { FilterBox } from '#src/shared/ui/filter-box.tsx';
import { Notice } from '#src/shared/ui/notice.tsx';
import { Page } from '#src/shared/ui/page.tsx';
import { ChannelTable } from './channel-table.tsx';
import { CreateChannelDialog } from './create-channel-dialog.tsx';
import { MembersDialog } from './members-dialog.tsx';

/** What of the page stands in the address. `panel`: 'create', or the id of the channel whose members are open. */
export interface ChannelsView extends ListView<ChannelColumn> {
  panel: string | undefined;
}

export interface ChannelsPageProps {
  view: ChannelsView;
  onView: (change: Partial<ChannelsView>) => void;
}

export function ChannelsPage({ view, onView }: ChannelsPageProps) {
  const { t } = useTranslation('channels');
  const isAdmin = useUser().role === 'admin';
  const channels = useChannelsPage(view);
  const close = () => onView({ panel: undefined });
  const open = channels.data?.rows.find((channel) => channel.id === view.panel);
  return (
    <Page
      title={t('title')}
      fact={channels.data && t('count', { count: channels.data.total })}
      acts={
        <>
          <FilterBox value={view.filter} onChange={(filter) => onView({ filter, page: 1 })} label={t('filter')} />
          {isAdmin && (
            <Button leftSection={<IconPlus size={16} aria-hidden="true" />} onClick={() => onView({ panel: 'create' })}>
              {t('create.act')}
            </Button>
          )}
        </>
      }
    >
      <ChannelTable
        view={view}
        onView={onView}
        onMembers={isAdmin ? (channel: Channel) => onView({ panel: channel.id }) : undefined}
        empty={
          view.filter.trim() === '' ? (
            <NoChannels onCreate={isAdmin ? () => onView({ panel: 'create' }) : undefined} />
          ) : (
            <NoMatch filter={view.filter} onClear={() => onView({ filter: '', page: 1 })} />
          )
        }
      />
      {isAdmin && <CreateChannelDialog isOpen={view.panel === 'create'} onClose={close} />}
      {isAdmin && <MembersDialog channel={open} onClose={close} />}
    </Page>
  );
}

/** Nothing to list: what channels are, and for administrators the way to the first one. */
export function NoChannels({ onCreate }: { onCreate: (() => void) | undefined }) {
  const { t } = useTranslation('channels');
  const who = onCreate ? 'admin' : 'member';
  return (
    <Notice
      icon={IconBroadcast}
      title={t(`empty.${who}`)}
      acts={onCreate && <Button onClick={onCreate}>{t('create.act')}</Button>}
    >
      {t(`empty.${who}Text`)}
    </Notice>
  );
}

function NoMatch({ filter, onClear }: { filter: string; onClear: () => void }) {
  const { t } = useTranslation('channels');
  return (
    <Notice
      icon={IconFilterOff}
      title={t('empty.filtered', { filter: filter.trim() })}
      acts={
        <Button variant="default" onClick={onClear}>
          {t('empty.clear')}
        </Button>
      }
    />
  );
}
