import { Popover, Slider, Switch } from '@mantine/core';
import { IconVolume, IconVolume2, IconVolume3 } from '@tabler/icons-react';
import { useState } from 'react';
import { inSentence } from '#src/shared/format/format.ts';
import { useVoiceWords } from './talk-words.ts';
import settings from './voice-settings.module.css';
import styles from './volume-control.module.css';

const STEP = 5;

export interface VolumeControlProps {
  name: string;
  /** 0..1 */
  volume: number;
  onChange: (volume: number) => void;
}

/** How loud somebody is played to this listener [TALK56]: a small button that opens a slider and a switch. */
export function VolumeControl({ name, volume, onChange }: VolumeControlProps) {
  const t = useVoiceWords();
  const label = t('volume.of', { name: inSentence(name) });
  const percent = Math.round(volume * 100);
  const Icon = volume === 0 ? IconVolume3 : volume < 1 ? IconVolume2 : IconVolume;
  const [isOpen, setOpen] = useState(false);
  const [isUsed, setUsed] = useState(false);
  const button = (
    <button
      type="button"
      className={styles.button}
      aria-label={label}
      aria-haspopup="dialog"
      aria-expanded={isOpen}
      title={label}
      data-set={volume < 1 || undefined}
      onClick={() => {
        setUsed(true);
        setOpen((wasOpen) => !wasOpen);
      }}
    >
      <Icon size={16} aria-hidden="true" />
    </button>
  );
  // Of a room of hundreds, few are ever set.
  if (!isUsed) return button;
  return (
    <Popover
      opened={isOpen}
      onChange={setOpen}
      position="bottom-end"
      width="min(280px, calc(100vw - 24px))"
      trapFocus
      returnFocus
      shadow="md"
      withinPortal
    >
      <Popover.Target>{button}</Popover.Target>
      <Popover.Dropdown aria-label={label}>
        <div className={settings.fields}>
          <h2 className={settings.title}>{label}</h2>
          <Slider
            min={0}
            max={100}
            step={STEP}
            value={percent}
            label={null}
            thumbLabel={label}
            onChange={(next) => onChange(next / 100)}
          />
          <Switch
            label={t('volume.silence')}
            description={t('volume.silenceMore')}
            classNames={{ description: settings.switchMore ?? '' }}
            checked={volume === 0}
            onChange={(event) => onChange(event.currentTarget.checked ? 0 : 1)}
          />
        </div>
      </Popover.Dropdown>
    </Popover>
  );
}
