import { ActionIcon } from '@mantine/core';
import type { ChannelId } from '@pressel/contract/ids';
import { IconLink } from '@tabler/icons-react';
import { useState } from 'react';
import { useEnteredRooms } from '#src/features/voice/entered-rooms-context.tsx';
import { useVoiceWords } from '#src/features/voice/talk-words.ts';
import { ButtonTooltip } from '#src/shared/ui/button-tooltip.tsx';
import { GuestLinks } from '../guest-links.tsx';

/** Opens the guest links of the current room's channel. For administrators. */
export function GuestLinksButton({ channel }: { channel: { id: ChannelId; name: string } }) {
  const t = useVoiceWords();
  const enteredRooms = useEnteredRooms();
  const [isOpen, setOpen] = useState(false);
  const [isUsed, setUsed] = useState(false);
  const label = t('room.guests');
  return (
    <>
      <ButtonTooltip label={label}>
        <ActionIcon
          variant="default"
          size="lg"
          aria-label={label}
          aria-haspopup="dialog"
          onClick={() => {
            // A dialog ends a talk [TALK66].
            enteredRooms.getSnapshot()?.room.stop();
            setUsed(true);
            setOpen(true);
          }}
        >
          <IconLink size={20} aria-hidden="true" />
        </ActionIcon>
      </ButtonTooltip>
      {isUsed && <GuestLinks channel={channel} isOpen={isOpen} onClose={() => setOpen(false)} />}
    </>
  );
}
