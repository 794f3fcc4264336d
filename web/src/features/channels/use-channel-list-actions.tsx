import type { Channel } from '@pressel/contract/channels';
import { type ReactNode, useState } from 'react';
import { lazyComponent } from '#src/shared/lazy-component.ts';
import { loadableChunk } from '#src/shared/renewal.ts';
import { LazyOverlay } from '#src/shared/ui/lazy-section.tsx';
import { type ChannelPanel, panelOf, panelText } from './channel-panel.ts';
import type { ChannelActs } from './channel-table.tsx';

const loadDialogs = loadableChunk(() => import('./channel-dialogs.tsx'));
const ChannelDialogs = lazyComponent(async () => (await loadDialogs()).ChannelDialogs);

/** Preloads the dialogs of a channel list at the first sign that the user will need them. */
export const foreseeChannelActs = () => void loadDialogs().catch(() => undefined);

export interface ChannelListActions {
  acts: ChannelActs;
  onCreate: () => void;
  /** Dialogs over the list; the page renders them once. */
  dialogs: ReactNode;
}

/** Renders a channel's guest links until they are closed. */
export type ShowGuests = (channel: Channel, isOpen: boolean, onClose: () => void) => ReactNode;

/** Everything that administrators can do with channels in a list. `panel`: see channel-panel.ts. */
export function useChannelListActions(
  panelName: string | undefined,
  onPanel: (panel: string | undefined) => void,
  guests: ShowGuests,
): ChannelListActions {
  // Not in the URL, so that a link can't open the deletion dialog.
  const [deleting, setDeleting] = useState<Channel>();
  // Stays set after closing, so that the focus can be given back.
  const [inviting, setInviting] = useState<{ channel: Channel; isOpen: boolean }>();
  // Stays true after the first opening, so that the closing animation is seen.
  const [isUsed, setUsed] = useState(false);
  const panel = panelOf(panelName);
  if (!isUsed && (panel !== undefined || deleting !== undefined)) setUsed(true);
  const open = (next: ChannelPanel) => onPanel(panelText(next));
  const close = () => onPanel(undefined);
  return {
    acts: {
      onMembers: ({ id }) => open({ type: 'members', id }),
      onEdit: ({ id }) => open({ type: 'edit', id }),
      onDelete: setDeleting,
      onGuests: (channel) => setInviting({ channel, isOpen: true }),
    },
    onCreate: () => open({ type: 'create' }),
    dialogs: (
      <>
        {isUsed && (
          <LazyOverlay
            isOpen={panel !== undefined || deleting !== undefined}
            onClose={() => (deleting === undefined ? close() : setDeleting(undefined))}
          >
            <ChannelDialogs
              panel={panel}
              onClose={close}
              deleting={deleting}
              onDeletingClose={() => setDeleting(undefined)}
            />
          </LazyOverlay>
        )}
        {inviting && guests(inviting.channel, inviting.isOpen, () => setInviting({ ...inviting, isOpen: false }))}
      </>
    ),
  };
}
