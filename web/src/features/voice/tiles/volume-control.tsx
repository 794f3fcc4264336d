import { IconVolume, IconVolume2, IconVolume3 } from '@tabler/icons-react';
import { loadableChunk } from '#src/shared/renewal.ts';
import { useMadeMenu } from '#src/shared/ui/use-made-menu.ts';
import { useVoiceWords } from '../talk-words.ts';
import styles from './volume-control.module.css';
import type { VolumePopoverProps } from './volume-popover.tsx';

export interface VolumeControlProps extends Pick<VolumePopoverProps, 'volume' | 'onChange' | 'hasSteps'> {
  name: string;
}

/** Preloads the slider's popover. */
export const loadVolume = loadableChunk(() => import('./volume-popover.tsx'));

/** The volume at which this listener plays a participant [TALK56]: a small button that opens a slider and a switch. */
export function VolumeControl({ name, volume, onChange, hasSteps }: VolumeControlProps) {
  const t = useVoiceWords();
  // In a room of hundreds, few volumes are ever set.
  const { buttonRef, made, isOpen, setOpen, opens, toggle } = useMadeMenu(loadVolume, 'dialog');
  const label = t('volume.of', { name: name });
  const Icon = volume === 0 ? IconVolume3 : volume < 1 ? IconVolume2 : IconVolume;
  const button = (
    <button
      ref={buttonRef}
      type="button"
      className={styles.button}
      aria-label={label}
      title={label}
      data-set={volume < 1 || undefined}
      {...opens}
      onClick={toggle}
    >
      <Icon size={16} aria-hidden="true" />
    </button>
  );
  if (made === undefined) return button;
  return (
    <made.VolumePopover
      label={label}
      volume={volume}
      onChange={onChange}
      hasSteps={hasSteps}
      button={button}
      isOpen={isOpen}
      onOpen={setOpen}
    />
  );
}
