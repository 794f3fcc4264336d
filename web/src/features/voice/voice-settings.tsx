import { ActionIcon, Popover, Select, Slider, Switch, Tooltip } from '@mantine/core';
import { IconSettings } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import type { RoomSnapshot } from './engine/types.ts';
import { TalkKeyField } from './talk-key-field.tsx';
import { useVoiceWords } from './talk-words.ts';
import type { VoiceActions } from './voice-actions.ts';
import { TAIL_MAX_MS, TAIL_STEP_MS, type VoicePreferences } from './voice-preferences.ts';
import styles from './voice-settings.module.css';

export interface VoiceSettingsProps {
  snapshot: RoomSnapshot;
  preferences: VoicePreferences;
  onChange: (change: Partial<VoicePreferences>) => void;
  actions: Pick<VoiceActions, 'selectMicrophone' | 'stop'>;
  /** Called when choosing a talk key begins or ends; meanwhile keys must not talk. */
  onChoosingKey: (isChoosing: boolean) => void;
  /** Of other devices: what they are all called together, and their fields. */
  more?: { title: string; fields: ReactNode };
}

/** Settings for microphone, tones, own devices, tail and talk key in a popover. Changes apply at once and are stored. */
export function VoiceSettings(props: VoiceSettingsProps) {
  const t = useVoiceWords();
  const [isOpen, setOpen] = useState(false);
  const label = props.more?.title ?? t('room.settings');
  return (
    <Popover
      opened={isOpen}
      onChange={setOpen}
      position="bottom-end"
      width="min(340px, calc(100vw - 24px))"
      trapFocus
      returnFocus
      shadow="md"
      withinPortal
    >
      <Popover.Target>
        <Tooltip label={label} disabled={isOpen}>
          <ActionIcon
            variant="default"
            size="lg"
            aria-label={label}
            onClick={() => {
              // The popover takes the keyboard, so the release of a held talk key would be missed [TALK66].
              if (!isOpen) props.actions.stop();
              setOpen(!isOpen);
            }}
          >
            <IconSettings size={20} aria-hidden="true" />
          </ActionIcon>
        </Tooltip>
      </Popover.Target>
      <Popover.Dropdown aria-label={props.more?.title ?? t('settings.title')}>
        <SettingsFields {...props} />
      </Popover.Dropdown>
    </Popover>
  );
}

function SettingsFields({ snapshot, preferences, onChange, actions, onChoosingKey, more }: VoiceSettingsProps) {
  const t = useVoiceWords();
  const { microphone, microphones } = snapshot;
  const tailLabel = t('settings.tail');
  return (
    <div className={styles.fields}>
      <h2 className={styles.title}>{more?.title ?? t('settings.title')}</h2>
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
      <TalkKeyField
        talkKey={preferences.talkKey}
        onChange={(talkKey) => onChange({ talkKey })}
        onChoosing={onChoosingKey}
      />
    </div>
  );
}
