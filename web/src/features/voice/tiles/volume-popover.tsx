import { Slider, Switch } from '@mantine/core';
import { FieldsPopover, type FieldsPopoverProps } from '../fields-popover.tsx';
import { useVoiceWords } from '../talk-words.ts';
import settings from '../voice-settings.module.css';
import type { VolumeControlProps } from './volume-control.tsx';

const STEP = 5;

export interface VolumePopoverProps
  extends Pick<VolumeControlProps, 'volume' | 'onChange' | 'hasSteps'>,
    Pick<FieldsPopoverProps, 'label' | 'button' | 'isOpen' | 'onOpen'> {}

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
