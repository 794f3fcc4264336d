import { Button, Select } from '@mantine/core';
import { useEffect } from 'react';
import { useSnapshot } from '#src/shared/use-snapshot.ts';
import type { Loudspeaker } from '../engine/platform.ts';
import { useVoiceWords } from '../talk-words.ts';
import styles from '../voice-settings.module.css';

/** The list's value for the default loudspeaker, because the list takes no empty values. */
const DEFAULT = 'default';

/** The choice of the loudspeaker [TALK124]; renders nothing if there is none. */
export function LoudspeakerField({
  loudspeaker,
  onChange,
}: {
  loudspeaker: Loudspeaker;
  onChange: (deviceId: string) => void;
}) {
  const t = useVoiceWords();
  const { chosenId, choices, isGone } = useSnapshot(loudspeaker);
  useEffect(() => loudspeaker.look(), [loudspeaker]);
  const { ask } = loudspeaker;
  if (!loudspeaker.canChoose || (choices.length === 0 && ask === null)) return null;
  return (
    <div className={styles.field}>
      <Select
        label={t('settings.loudspeaker')}
        data={[
          { value: DEFAULT, label: t('settings.loudspeakerDefault') },
          ...choices.map((choice, index) => ({
            value: choice.deviceId,
            label: choice.label === '' ? t('settings.loudspeakerUnnamed', { number: index + 1 }) : choice.label,
          })),
        ]}
        value={isGone || !choices.some(({ deviceId }) => deviceId === chosenId) ? DEFAULT : chosenId}
        allowDeselect={false}
        comboboxProps={{ withinPortal: false }}
        onChange={(value) => {
          const deviceId = value === null || value === DEFAULT ? '' : value;
          loudspeaker.choose(deviceId);
          onChange(deviceId);
        }}
      />
      {ask !== null && (
        <Button
          size="xs"
          variant="default"
          onClick={() => void ask().then(() => onChange(loudspeaker.getSnapshot().chosenId))}
        >
          {t('settings.loudspeakerOther')}
        </Button>
      )}
    </div>
  );
}
