import { Modal, Switch } from '@mantine/core';
import { useId, useState } from 'react';
import { useEnteredRooms } from '#src/features/room/entered-rooms-context.tsx';
import { isFinal } from '#src/features/voice/engine/types.ts';
import { readPreferences } from '#src/features/voice/settings/voice-preferences.ts';
import { keyName, useVoiceWords } from '#src/features/voice/talk-words.ts';
import { useTranslation } from '#src/shared/i18n/use-translation.tsx';
import { useStorage } from '#src/shared/services.tsx';
import { useAfterMount } from '#src/shared/ui/use-made-menu.ts';
import { useSnapshot } from '#src/shared/use-snapshot.ts';
import styles from './palette.module.css';
import { areLettersOn, SHORTCUTS } from './shortcuts.ts';

/** Lists the keys, with a switch for those that are a single letter (WCAG 2.1.4). */
export function ShortcutsSheet({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  const { t } = useTranslation('keyPanels');
  const { t: shared } = useTranslation('shared');
  const storage = useStorage();
  const hintId = useId();
  const [isOn, setOn] = useState(areLettersOn(storage));
  return (
    <Modal
      opened={useAfterMount(isOpen)}
      onClose={onClose}
      title={t('shortcuts.title')}
      centered
      closeButtonProps={{ 'aria-label': shared('close') }}
    >
      <RoomKeys />
      <dl className={styles.keys}>
        {SHORTCUTS.map(({ keys, does }) => (
          <Line
            key={does}
            keys={keys.map((key) => (key === 'Ctrl' ? t('shortcuts.ctrl') : key === 'Esc' ? t('shortcuts.esc') : key))}
            does={t(`shortcuts.${does}`)}
          />
        ))}
      </dl>
      <Switch
        label={t('shortcuts.letters')}
        aria-describedby={hintId}
        checked={isOn}
        onChange={(event) => {
          setOn(event.currentTarget.checked);
          storage.writePreference('letterKeys', event.currentTarget.checked);
        }}
      />
      {/* Outside the label, because inside it would be part of the name. */}
      <p id={hintId} className={styles.hint}>
        {t('shortcuts.lettersMore')}
      </p>
    </Modal>
  );
}

/** The keys of the current room, the talk key first. */
function RoomKeys() {
  const enteredRoom = useSnapshot(useEnteredRooms());
  if (enteredRoom === undefined || isFinal(enteredRoom.room.getSnapshot().status)) return null;
  return <KeysOfRoom />;
}

function KeysOfRoom() {
  const { t } = useTranslation('keyPanels');
  // Loaded as long as the user is in a room.
  const voice = useVoiceWords();
  const { talkKey } = readPreferences(useStorage());
  const space = voice('key.Space');
  const isSpace = talkKey.code === 'Space';
  return (
    <>
      <h3 className={styles.keysTitle}>{t('shortcuts.room')}</h3>
      <dl className={styles.keys}>
        <Line keys={[keyName(voice, talkKey)]} does={t(isSpace ? 'shortcuts.talkSpace' : 'shortcuts.talk')} />
        <Line keys={[space, '↵']} does={t('shortcuts.talkButton')} />
        <Line keys={['↑', '↓']} does={t('shortcuts.messages')} />
        <Line keys={['↵']} does={t('shortcuts.message')} />
        <Line keys={['←', '→']} does={t('shortcuts.borders')} />
      </dl>
      <h3 className={styles.keysTitle}>{t('shortcuts.everywhere')}</h3>
    </>
  );
}

function Line({ keys, does }: { keys: readonly string[]; does: string }) {
  return (
    <>
      <dt>
        {keys.map((key) => (
          <kbd key={key}>{key}</kbd>
        ))}
      </dt>
      <dd>{does}</dd>
    </>
  );
}
