import { ActionIcon } from '@mantine/core';
import { IconSettings } from '@tabler/icons-react';
import { loadableChunk } from '#src/shared/renewal.ts';
import { ButtonTooltip } from '#src/shared/ui/button-tooltip.tsx';
import { useMadeMenu } from '#src/shared/ui/use-made-menu.ts';
import { useVoiceWords } from '../talk-words.ts';
import type { VoiceSettingsProps } from './settings-popover.tsx';

/** Preloads the settings' code. */
export const loadSettings = loadableChunk(() => import('./settings-popover.tsx'));

/**
 * Settings for microphone, loudspeaker, tones, own devices, tail and talk key in a popover. Changes apply at once and
 * are stored.
 */
export function VoiceSettings(props: VoiceSettingsProps) {
  const t = useVoiceWords();
  const { buttonRef, made, isOpen, setOpen, toggle } = useMadeMenu(loadSettings, 'dialog');
  const label = props.more?.title ?? t('room.settings');
  const button = (
    <ButtonTooltip label={label} isOff={isOpen}>
      <ActionIcon
        ref={buttonRef}
        variant="default"
        size="lg"
        aria-label={label}
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        onClick={() => {
          // The popover takes the keyboard, so the release of a held talk key would be missed [TALK66].
          if (!isOpen) props.actions.stop();
          toggle();
        }}
      >
        <IconSettings size={20} aria-hidden="true" />
      </ActionIcon>
    </ButtonTooltip>
  );
  if (made === undefined) return button;
  return <made.SettingsPopover {...props} button={button} isOpen={isOpen} onOpen={setOpen} />;
}
