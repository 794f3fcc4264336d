import { Button } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { DEFAULT_TALK_KEY, keyConflict, type TalkKey, talkKeyOf } from '../talk-key.ts';
import { keyName, useVoiceWords } from '../talk-words.ts';
import styles from '../voice-settings.module.css';

/** Shows the talk key, and sets another one by pressing it. Escape cancels; reserved keys are refused. */
export function TalkKeyField(props: {
  talkKey: TalkKey;
  onChange: (key: TalkKey) => void;
  onChoosing: (isChoosing: boolean) => void;
}) {
  const { talkKey, onChange, onChoosing } = props;
  const t = useVoiceWords();
  const changeRef = useRef<HTMLButtonElement>(null);
  const [isChoosing, setChoosing] = useState(false);
  const [wasReserved, setReserved] = useState(false);
  const conflict = wasReserved ? 'reserved' : keyConflict(talkKey.code);

  useEffect(() => {
    if (!isChoosing) return;
    onChoosing(true);
    const take = (event: KeyboardEvent) => {
      // Captured and stopped, so that the chosen key doesn't type, click or close the popover.
      event.preventDefault();
      event.stopImmediatePropagation();
      if (event.code === 'Escape') return setChoosing(false);
      if (keyConflict(event.code) === 'reserved') return setReserved(true);
      setReserved(false);
      setChoosing(false);
      onChange(talkKeyOf(event));
    };
    window.addEventListener('keydown', take, true);
    return () => {
      window.removeEventListener('keydown', take, true);
      onChoosing(false);
    };
  }, [isChoosing, onChange, onChoosing]);

  const choose = (isNow: boolean) => {
    setReserved(false);
    setChoosing(isNow);
  };
  return (
    <div className={styles.field}>
      <div className={styles.row}>
        <span className={styles.label}>{t('settings.key')}</span>
        <span className={styles.row}>
          <kbd className={styles.key}>{keyName(t, talkKey)}</kbd>
          <Button
            ref={changeRef}
            size="xs"
            variant={isChoosing ? 'light' : 'default'}
            onClick={() => choose(!isChoosing)}
          >
            {isChoosing ? t('settings.cancel') : t('settings.change')}
          </Button>
        </span>
      </div>
      {talkKey.code !== DEFAULT_TALK_KEY.code && !isChoosing && (
        <div className={styles.row}>
          <Button
            size="xs"
            variant="subtle"
            onClick={() => {
              onChange(DEFAULT_TALK_KEY);
              // This button disappears with the other key.
              changeRef.current?.focus();
            }}
          >
            {t('settings.reset')}
          </Button>
        </div>
      )}
      <p className={styles.more} role="status">
        {[isChoosing ? t('settings.pressKey') : '', conflict === undefined ? '' : t(`settings.${conflict}`)]
          .filter((line) => line !== '')
          .join(' ')}
      </p>
    </div>
  );
}
