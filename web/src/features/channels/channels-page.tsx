import { Button } from '@mantine/core';
import { type ChannelId, channelId as channelIdSchema } from '@pressel/contract/ids';
import { IconBroadcast, IconFilterOff, IconPlus, IconTrash } from '@tabler/icons-react';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { useLanguage, useTranslation } from '#src/shared/i18n/use-translation.tsx';
import { lazyComponent } from '#src/shared/lazy-component.ts';
import type { ListView } from '#src/shared/lists/list-view.ts';
import { type ChannelColumn, useChannelsPage } from '#src/shared/lists/lists.queries.ts';
import { type Selection, useSelection } from '#src/shared/lists/selection.ts';
import { SelectionBar } from '#src/shared/lists/selection-bar.tsx';
import { useApi, useUser } from '#src/shared/services.tsx';
import { FilterBox } from '#src/shared/ui/filter-box.tsx';
import { LazyOverlay } from '#src/shared/ui/lazy-section.tsx';
import { Notice } from '#src/shared/ui/notice.tsx';
import { Page } from '#src/shared/ui/page.tsx';
import { atFirstSign, whenIdle } from '#src/shared/when-idle.ts';
import { ChannelTable } from './channel-table.tsx';
import { foundChannels } from './channels.queries.ts';
import { foreseeChannelActs, type ShowGuests, useChannelListActions } from './use-channel-list-actions.tsx';

interface ChannelBulkBarProps {
  filter: string;
  /** Number of channels that the filter finds. */
  total: number;
  selection: Selection;
  onClear: () => void;
  onDelete: (opener: HTMLElement) => void;
}

/** The bar of selected channels, with a button that deletes them. */
function ChannelBulkBar({ filter, total, selection, onClear, onDelete }: ChannelBulkBarProps) {
  const { t } = useTranslation('channels');
  const { current } = useLanguage();
  const api = useApi();
  return (
    <SelectionBar
      isFiltered={filter.trim() !== ''}
      total={total}
      selection={selection}
      readKeys={() => foundChannels(api, filter, current)}
      onClear={onClear}
    >
      <Button
        variant="default"
        color="fault"
        leftSection={<IconTrash size={16} aria-hidden="true" />}
        onClick={(event) => onDelete(event.currentTarget)}
      >
        {t('bulk.delete')}
      </Button>
    </SelectionBar>
  );
}

const DeleteChannelsDialog = lazyComponent(
  async () => (await import('./delete-channels-dialog.tsx')).DeleteChannelsDialog,
);

const foresight = atFirstSign(foreseeChannelActs);

/** The page's state in the URL. `panel`: see channel-panel.ts. */
export interface ChannelsView extends ListView<ChannelColumn> {
  panel: string | undefined;
}

export interface ChannelsPageProps {
  view: ChannelsView;
  /** `isSilent`: a correction that adds no step to the browser's history. */
  onView: (change: Partial<ChannelsView>, isSilent?: boolean) => void;
  /** For administrators: import, export and template buttons. */
  transfer?: ReactNode;
  /** Shown above the list. */
  notice?: ReactNode;
  /** The mark after a channel's name, which updates by itself. */
  mark?: (channelId: ChannelId) => ReactNode;
  /** For administrators: the guest links of a channel, in a dialog. */
  guests: ShowGuests;
}

export function ChannelsPage({ view, onView, transfer, notice, mark, guests }: ChannelsPageProps) {
  const { t } = useTranslation('channels');
  const isAdmin = useUser().role === 'admin';
  const channels = useChannelsPage(view);
  const selection = useSelection();
  const placeRef = useRef<HTMLDivElement>(null);
  useEffect(() => (isAdmin ? whenIdle(foreseeChannelActs) : undefined), [isAdmin]);
  const [deleting, setDeleting] = useState<{ ids: readonly ChannelId[]; isOpen: boolean }>();
  // The focused element may be gone: the focus then moves to the filter, where the user looks for the next channel.
  const focusFilter = () => placeRef.current?.querySelector<HTMLElement>('input[type=search]')?.focus();
  const { acts, onCreate, dialogs } = useChannelListActions(view.panel, (panel) => onView({ panel }), guests);
  return (
    <div ref={placeRef} {...foresight}>
      <Page
        // Same width as the list of users, so that title and filter keep their positions.
        isWide
        isList
        title={t('title')}
        fact={channels.data && t('count', { count: channels.data.total })}
        acts={
          <>
            <FilterBox value={view.filter} onChange={(filter) => onView({ filter, page: 1 })} label={t('filter')} />
            {isAdmin && transfer}
            {isAdmin && (
              <Button leftSection={<IconPlus size={16} aria-hidden="true" />} data-shortcut="create" onClick={onCreate}>
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
          selection={isAdmin ? selection : undefined}
          empty={
            view.filter.trim() === '' ? (
              <NoChannels onCreate={isAdmin ? onCreate : undefined} />
            ) : (
              <NoMatch
                filter={view.filter}
                onClear={() => {
                  onView({ filter: '', page: 1 });
                  focusFilter();
                }}
              />
            )
          }
        />
        {selection.keys.size > 0 && (
          <ChannelBulkBar
            filter={view.filter}
            total={channels.data?.total ?? 0}
            selection={selection}
            onClear={() => {
              selection.clear();
              focusFilter();
            }}
            onDelete={() =>
              setDeleting({ isOpen: true, ids: [...selection.keys].map((key) => channelIdSchema.parse(key)) })
            }
          />
        )}
      </Page>
      {isAdmin && dialogs}
      {deleting && (
        <LazyOverlay isOpen={deleting.isOpen} onClose={() => setDeleting({ ...deleting, isOpen: false })}>
          <DeleteChannelsDialog
            {...deleting}
            filter={view.filter}
            onClose={(gone) => {
              selection.set(gone, false);
              setDeleting({ ...deleting, isOpen: false });
            }}
            onClosed={focusFilter}
          />
        </LazyOverlay>
      )}
    </div>
  );
}

export interface NoChannelsProps {
  /** Undefined for users who may not create a channel. */
  onCreate: (() => void) | undefined;
  /** Whether it is inside a part of a page that has its own heading. */
  isPart?: boolean;
}

/** Shown for an empty list: explains channels; administrators get a button that creates the first one. */
export function NoChannels({ onCreate, isPart }: NoChannelsProps) {
  const { t } = useTranslation('channels');
  const who = onCreate ? 'admin' : 'member';
  return (
    <Notice
      icon={IconBroadcast}
      title={t(`empty.${who}`)}
      level={isPart === true ? 3 : 2}
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
