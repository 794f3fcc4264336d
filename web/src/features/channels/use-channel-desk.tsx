import type { Channel } from '@pressel/contract/channels';
import { type ReactNode, useState } from 'react';
import { lazyPart } from '#src/shared/lazy-part.ts';
import { part } from '#src/shared/renewal.ts';
import { PartOver } from '#src/shared/ui/part.tsx';
import { type ChannelPanel, panelOf, panelText } from './channel-panel.ts';
import type { ChannelActs } from './channel-table.tsx';

const loadDialogs = part(() => import('./channel-dialogs.tsx'));
const ChannelDialogs = lazyPart(async () => (await loadDialogs()).ChannelDialogs);

/** Preloads the dialogs of a channel list at the first sign that the user will need them. */
export const foreseeChannelActs = () => void loadDialogs().catch(() => undefined);

export interface ChannelDesk {
  acts: ChannelActs;
  onCreate: () => void;
  /** Dialogs over the list; the page renders them once. */
  dialogs: ReactNode;
}

/** Renders a channel's guest links until they are closed. */
export type ShowGuests = (channel: Channel, isOpen: boolean, onClose: () => void) => ReactNode;

/** Everything that administrators can do with channels in a list. `panel`: see channel-panel.ts. */
export function useChannelDesk(
  panelName: string | undefined,
  onPanel: (panel: string | undefined) => void,
  guests: ShowGuests,
): ChannelDesk {
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
          <PartOver
            isOpen={panel !== undefined || deleting !== undefined}
            onClose={() => (deleting === undefined ? close() : setDeleting(undefined))}
          >
            <ChannelDialogs
              panel={panel}
              onClose={close}
              deleting={deleting}
              onDeletingClose={() => setDeleting(undefined)}
            />
          </PartOver>
        )}
        {inviting && guests(inviting.channel, inviting.isOpen, () => setInviting({ ...inviting, isOpen: false }))}
      </>
    ),
  };
}
