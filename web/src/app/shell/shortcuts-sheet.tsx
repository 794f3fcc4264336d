import { Modal, Switch } from '@mantine/core';
import { useId, useState } from 'react';
import { useTranslation } from '#src/shared/i18n/use-translation.tsx';
import { useStorage } from '#src/shared/services.tsx';
import { useAfterMount } from '#src/shared/ui/use-after-mount.ts';
import styles from './palette.module.css';
import { areLettersOn, SHORTCUTS } from './shortcuts.ts';

/** What keys do, and the switch for those that are a single letter (WCAG 2.1.4). */
export function ShortcutsSheet({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  const { t } = useTranslation('shell');
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
      {/* Apart: within the label it would be part of the name. */}
      <p id={hintId} className={styles.hint}>
        {t('shortcuts.lettersMore')}
      </p>
    </Modal>
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
