import type { Channel } from '@pressel/contract/channels';
import { type ReactNode, useState } from 'react';
import { type ChannelPanel, panelOf, panelText } from './channel-panel.ts';
import type { ChannelActs } from './channel-table.tsx';
import { CreateChannelDialog } from './create-channel-dialog.tsx';
import { DeleteChannelDialog } from './delete-channel-dialog.tsx';
import { EditChannelDialog } from './edit-channel-dialog.tsx';
import { MembersDialog } from './members-dialog.tsx';

export interface ChannelDesk {
  acts: ChannelActs;
  onCreate: () => void;
  /** What opens over the list; in the page, once. */
  dialogs: ReactNode;
}

/** What shows a channel's guest links, until it is closed. */
export type ShowGuests = (channel: Channel, onClose: () => void) => ReactNode;

/** Everything that administrators can do to channels from a list of them. `panel`: see channel-panel.ts. */
export function useChannelDesk(
  panelName: string | undefined,
  onPanel: (panel: string | undefined) => void,
  guests: ShowGuests,
): ChannelDesk {
  // Not in the URL, so that a link can't open the deletion dialog.
  const [deleting, setDeleting] = useState<Channel>();
  const [inviting, setInviting] = useState<Channel>();
  const panel = panelOf(panelName);
  const open = (next: ChannelPanel) => onPanel(panelText(next));
  const close = () => onPanel(undefined);
  return {
    acts: {
      onMembers: ({ id }) => open({ type: 'members', id }),
      onEdit: ({ id }) => open({ type: 'edit', id }),
      onDelete: setDeleting,
      onGuests: setInviting,
    },
    onCreate: () => open({ type: 'create' }),
    dialogs: (
      <>
        <CreateChannelDialog isOpen={panel?.type === 'create'} onClose={close} />
        <EditChannelDialog channelId={panel?.type === 'edit' ? panel.id : undefined} onClose={close} />
        <MembersDialog channelId={panel?.type === 'members' ? panel.id : undefined} onClose={close} />
        <DeleteChannelDialog channel={deleting} onClose={() => setDeleting(undefined)} />
        {inviting && guests(inviting, () => setInviting(undefined))}
      </>
    ),
  };
}
