import { Button } from '@mantine/core';
import type { Channel } from '@pressel/contract/channels';
import type { ChannelId } from '@pressel/contract/ids';
import { IconBroadcast, IconFilterOff, IconPlus } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ListView } from '#src/shared/lists/list-view.ts';
import { type ChannelColumn, useChannelsPage } from '#src/shared/lists/lists.queries.ts';
import { useUser } from '#src/shared/services.tsx';
import { FilterBox } from '#src/shared/ui/filter-box.tsx';
import { Notice } from '#src/shared/ui/notice.tsx';
import { Page } from '#src/shared/ui/page.tsx';
import { type ChannelPanel, panelOf, panelText } from './channel-panel.ts';
import { type ChannelActs, ChannelTable } from './channel-table.tsx';
import { CreateChannelDialog } from './create-channel-dialog.tsx';
import { DeleteChannelDialog } from './delete-channel-dialog.tsx';
import { EditChannelDialog } from './edit-channel-dialog.tsx';
import { MembersDialog } from './members-dialog.tsx';

/** The page's state in the URL. `panel`: see channel-panel.ts. */
export interface ChannelsView extends ListView<ChannelColumn> {
  panel: string | undefined;
}

export interface ChannelsPageProps {
  view: ChannelsView;
  onView: (change: Partial<ChannelsView>) => void;
  /** For administrators: import, export and template buttons. */
  transfer?: ReactNode;
  /** Above the list. */
  notice?: ReactNode;
  /** What stands behind a channel's name, and changes by itself. */
  mark?: (channelId: ChannelId) => ReactNode;
  /** For administrators: the guest links of a channel, in a dialog. */
  guests?: (channel: Channel, onClose: () => void) => ReactNode;
}

export function ChannelsPage({ view, onView, transfer, notice, mark, guests }: ChannelsPageProps) {
  const { t } = useTranslation('channels');
  const isAdmin = useUser().role === 'admin';
  const channels = useChannelsPage(view);
  // Not in the URL, so that a link can't open the deletion dialog.
  const [deleting, setDeleting] = useState<Channel>();
  const [inviting, setInviting] = useState<Channel>();
  const panel = isAdmin ? panelOf(view.panel) : undefined;
  const open = (next: ChannelPanel) => onView({ panel: panelText(next) });
  const close = () => onView({ panel: undefined });
  const create = () => open({ type: 'create' });
  const acts: ChannelActs = {
    onMembers: ({ id }) => open({ type: 'members', id }),
    onEdit: ({ id }) => open({ type: 'edit', id }),
    onDelete: setDeleting,
    onGuests: setInviting,
  };
  return (
    <Page
      // Same width as the list of users, so that title and filter keep their places.
      isWide
      title={t('title')}
      fact={channels.data && t('count', { count: channels.data.total })}
      acts={
        <>
          <FilterBox value={view.filter} onChange={(filter) => onView({ filter, page: 1 })} label={t('filter')} />
          {isAdmin && transfer}
          {isAdmin && (
            <Button leftSection={<IconPlus size={16} aria-hidden="true" />} onClick={create}>
              {t('create.act')}
            </Button>
          )}
        </>
      }
    >
      {notice}
      <ChannelTable
        view={view}
        onView={onView}
        mark={mark}
        acts={isAdmin ? acts : undefined}
        empty={
          view.filter.trim() === '' ? (
            <NoChannels onCreate={isAdmin ? create : undefined} />
          ) : (
            <NoMatch filter={view.filter} onClear={() => onView({ filter: '', page: 1 })} />
          )
        }
      />
      {isAdmin && (
        <>
          <CreateChannelDialog isOpen={panel?.type === 'create'} onClose={close} />
          <EditChannelDialog channelId={panel?.type === 'edit' ? panel.id : undefined} onClose={close} />
          <MembersDialog channelId={panel?.type === 'members' ? panel.id : undefined} onClose={close} />
          <DeleteChannelDialog channel={deleting} onClose={() => setDeleting(undefined)} />
          {inviting && guests?.(inviting, () => setInviting(undefined))}
        </>
      )}
    </Page>
  );
}

/** Empty list: explains channels; for administrators with a button to create the first. */
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
