import { Popover, Slider, Switch } from '@mantine/core';
import type { ReactElement } from 'react';
import { useVoiceWords } from './talk-words.ts';
import settings from './voice-settings.module.css';
import type { VolumeControlProps } from './volume-control.tsx';

const STEP = 5;

export interface VolumePopoverProps extends Pick<VolumeControlProps, 'volume' | 'onChange'> {
  label: string;
  button: ReactElement;
  isOpen: boolean;
  onOpen: (isOpen: boolean) => void;
}

export function VolumePopover({ label, volume, onChange, button, isOpen, onOpen }: VolumePopoverProps) {
  const t = useVoiceWords();
  return (
    <Popover
      opened={isOpen}
      onChange={onOpen}
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
            value={Math.round(volume * 100)}
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
