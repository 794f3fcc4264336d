import { ActionIcon } from '@mantine/core';
import type { ChannelId } from '@pressel/contract/ids';
import { IconSelector } from '@tabler/icons-react';
import { useEnteredRooms } from '#src/features/voice/entered-rooms-context.tsx';
import { useVoiceWords } from '#src/features/voice/talk-words.ts';
import { loadableChunk } from '#src/shared/renewal.ts';
import { ButtonTooltip } from '#src/shared/ui/button-tooltip.tsx';
import { useMadeMenu } from '#src/shared/ui/use-made-menu.ts';

/** Loads the list's code ahead of time. */
export const loadSwitcher = loadableChunk(() => import('./switcher-list.tsx'));

/** Opens a filterable list of the user's channels, to go straight from one room to another. */
export function ChannelSwitcher({ channelId }: { channelId: ChannelId | undefined }) {
  const t = useVoiceWords();
  const enteredRooms = useEnteredRooms();
  const { buttonRef, made, isOpen, setOpen, toggle } = useMadeMenu(loadSwitcher, 'listbox');
  const label = t('switcher.label');
  const button = (
    <ButtonTooltip label={label}>
      <ActionIcon
        ref={buttonRef}
        variant="subtle"
        aria-label={label}
        aria-haspopup="listbox"
        aria-expanded={isOpen}
        onClick={() => {
          // Opening the list ends a talk [TALK66].
          enteredRooms.getSnapshot()?.room.stop();
          toggle();
        }}
      >
        <IconSelector size={18} aria-hidden="true" />
      </ActionIcon>
    </ButtonTooltip>
  );
  if (made === undefined) return button;
  const onOpen = (next: boolean) => {
    setOpen(next);
    // The focused field is removed with the list, so the button gets the focus.
    if (!next && document.activeElement instanceof HTMLInputElement) buttonRef.current?.focus();
  };
  return <made.SwitcherList here={channelId} button={button} isOpen={isOpen} onOpen={onOpen} />;
}
