import { Select, Slider, Switch } from '@mantine/core';
import type { ReactNode } from 'react';
import { useIsTouch } from '#src/shared/ui/use-is-narrow.ts';
import { FieldsPopover, type FieldsPopoverProps } from '../fields-popover.tsx';
import { useVoiceWords } from '../talk-words.ts';
import { type RoomSource, useRoomSelector, type VoiceActions } from '../use-room-selector.ts';
import styles from '../voice-settings.module.css';
import { LoudspeakerField } from './loudspeaker-field.tsx';
import { MicrophoneTestField } from './microphone-test-field.tsx';
import { TalkKeyField } from './talk-key-field.tsx';
import { ROOM_VOLUME_MIN, TAIL_MAX_MS, TAIL_STEP_MS, type VoicePreferences } from './voice-preferences.ts';

export interface VoiceSettingsProps {
  room: RoomSource;
  preferences: VoicePreferences;
  onChange: (change: Partial<VoicePreferences>) => void;
  /** Without `setSoundOff` the settings can't silence the room. */
  actions: Pick<VoiceActions, 'selectMicrophone' | 'retryMicrophone' | 'loudspeaker' | 'probe' | 'stop'> &
    Partial<Pick<VoiceActions, 'setSoundOff'>>;
  /** Called when the user begins or stops choosing a talk key; meanwhile keys must not talk. */
  onChoosingKey: (isChoosing: boolean) => void;
  /** Fields of other devices, and a title for the whole popover. */
  more?: { title: string; fields: ReactNode };
}

export interface SettingsPopoverProps
  extends VoiceSettingsProps,
    Pick<FieldsPopoverProps, 'button' | 'isOpen' | 'onOpen'> {}

export function SettingsPopover({ button, isOpen, onOpen, ...props }: SettingsPopoverProps) {
  const t = useVoiceWords();
  const label = props.more?.title ?? t('settings.title');
  return (
    <FieldsPopover label={label} width={340} button={button} isOpen={isOpen} onOpen={onOpen}>
      <SettingsFields {...props} />
    </FieldsPopover>
  );
}

function SettingsFields({ room, preferences, onChange, actions, onChoosingKey, more }: VoiceSettingsProps) {
  const t = useVoiceWords();
  const microphone = useRoomSelector(room, (snapshot) => snapshot.microphone);
  const microphones = useRoomSelector(room, (snapshot) => snapshot.microphones);
  const canSetVolume = useRoomSelector(room, (snapshot) => snapshot.canSetVolume);
  const isSoundOff = useRoomSelector(room, (snapshot) => snapshot.isSoundOff);
  const isTouch = useIsTouch();
  const tailLabel = t('settings.tail');
  return (
    <>
      {more?.fields}
      <Select
        label={t('settings.microphone')}
        placeholder={t(microphone.state === 'ready' ? 'settings.microphoneDefault' : 'settings.microphoneNone')}
        data={microphones.map((choice, index) => ({
          value: choice.deviceId,
          label: choice.label === '' ? t('settings.microphoneUnnamed', { number: index + 1 }) : choice.label,
        }))}
        value={microphone.state === 'ready' ? microphone.deviceId : null}
        disabled={microphones.length === 0}
        allowDeselect={false}
        comboboxProps={{ withinPortal: false }}
        onChange={(deviceId) => {
          if (deviceId === null) return;
          onChange({ microphoneId: deviceId });
          void actions.selectMicrophone(deviceId);
        }}
      />
      <MicrophoneTestField room={room} actions={actions} />
      <LoudspeakerField loudspeaker={actions.loudspeaker} onChange={(loudspeakerId) => onChange({ loudspeakerId })} />
      {canSetVolume && (
        <div className={styles.field}>
          <div className={styles.row}>
            <span className={styles.label}>{t('settings.roomVolume')}</span>
            <span className={styles.value}>
              {t('settings.percent', { value: Math.round(preferences.roomVolume * 100) })}
            </span>
          </div>
          <Slider
            min={ROOM_VOLUME_MIN * 100}
            max={100}
            step={5}
            value={Math.round(preferences.roomVolume * 100)}
            label={null}
            thumbLabel={t('settings.roomVolume')}
            onChange={(percent) => onChange({ roomVolume: percent / 100 })}
          />
        </div>
      )}
      {actions.setSoundOff && (
        <Switch
          label={t('settings.soundOff')}
          description={t('settings.soundOffMore')}
          classNames={{ description: styles.switchMore ?? '' }}
          checked={isSoundOff}
          onChange={(event) => actions.setSoundOff?.(event.currentTarget.checked)}
        />
      )}
      <Switch
        label={t('settings.tones')}
        description={t('settings.tonesMore')}
        classNames={{ description: styles.switchMore ?? '' }}
        checked={preferences.tones}
        onChange={(event) => onChange({ tones: event.currentTarget.checked })}
      />
      <Switch
        label={t('settings.ownDevices')}
        description={t('settings.ownDevicesMore')}
        classNames={{ description: styles.switchMore ?? '' }}
        checked={preferences.hearsOwnDevices}
        onChange={(event) => onChange({ hearsOwnDevices: event.currentTarget.checked })}
      />
      <div className={styles.field}>
        <div className={styles.row}>
          <span className={styles.label}>{tailLabel}</span>
          <span className={styles.value}>{t('settings.tailValue', { ms: preferences.tailMs })}</span>
        </div>
        <Slider
          min={0}
          max={TAIL_MAX_MS}
          step={TAIL_STEP_MS}
          value={preferences.tailMs}
          label={null}
          thumbLabel={tailLabel}
          onChange={(tailMs) => onChange({ tailMs })}
        />
        <p className={styles.more}>{t('settings.tailMore')}</p>
      </div>
      {!isTouch && (
        <TalkKeyField
          talkKey={preferences.talkKey}
          onChange={(talkKey) => onChange({ talkKey })}
          onChoosing={onChoosingKey}
        />
      )}
    </>
  );
}
