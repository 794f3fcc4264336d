import { Slider, Switch } from '@mantine/core';
import { FieldsPopover, type FieldsPopoverProps } from '../fields-popover.tsx';
import { useVoiceWords } from '../talk-words.ts';
import settings from '../voice-settings.module.css';

const STEP = 5;

export interface VolumePopoverProps extends Pick<FieldsPopoverProps, 'label' | 'button' | 'isOpen' | 'onOpen'> {
  /** From 0 to 1. */
  volume: number;
  onChange: (volume: number) => void;
  /** False where the browser only knows full volume and none. */
  hasSteps: boolean;
}

export function VolumePopover({ label, volume, onChange, hasSteps, ...popover }: VolumePopoverProps) {
  const t = useVoiceWords();
  return (
    <FieldsPopover label={label} width={280} {...popover}>
      {hasSteps && (
        <Slider
          min={0}
          max={100}
          step={STEP}
          value={Math.round(volume * 100)}
          label={null}
          thumbLabel={label}
          onChange={(next) => onChange(next / 100)}
        />
      )}
      <Switch
        label={t('volume.silence')}
        description={t('volume.silenceMore')}
        classNames={{ description: settings.switchMore ?? '' }}
        checked={volume === 0}
        onChange={(event) => onChange(event.currentTarget.checked ? 0 : 1)}
      />
    </FieldsPopover>
  );
}
