import type { Channel } from '@pressel/contract/channels';
import { useAfterMount } from '#src/shared/ui/use-made-menu.ts';
import type { ChannelPanel } from './channel-panel.ts';
import { CreateChannelDialog } from './create-channel-dialog.tsx';
import { DeleteChannelDialog } from './delete-channel-dialog.tsx';
import { EditChannelDialog } from './edit-channel-dialog.tsx';
import { MembersDialog } from './members-dialog.tsx';

export interface ChannelDialogsProps {
  panel: ChannelPanel | undefined;
  onClose: () => void;
  /** The channel that the deletion dialog asks about. */
  deleting: Channel | undefined;
  onDeletingClose: () => void;
}

/** Dialogs over a list of channels. */
export function ChannelDialogs({ panel, onClose, deleting, onDeletingClose }: ChannelDialogsProps) {
  const isReady = useAfterMount(true);
  const shown = isReady ? panel : undefined;
  return (
    <>
      <CreateChannelDialog isOpen={shown?.type === 'create'} onClose={onClose} />
      <EditChannelDialog channelId={shown?.type === 'edit' ? shown.id : undefined} onClose={onClose} />
      <MembersDialog channelId={shown?.type === 'members' ? shown.id : undefined} onClose={onClose} />
      <DeleteChannelDialog channel={isReady ? deleting : undefined} onClose={onDeletingClose} />
    </>
  );
}
