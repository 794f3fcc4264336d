import { Button } from '@mantine/core';
import { IMAGE_TYPES } from '@pressel/contract/limits';
import { type DragEvent, useRef, useState } from 'react';
import { useTranslation } from '#src/shared/i18n/use-translation.tsx';
import { Avatar } from '#src/shared/ui/avatar.tsx';
import { type PhotoFault, squarePhoto } from './photo.ts';
import styles from './photo-field.module.css';

/** A change of the photo: undefined keeps it, '' takes it away, else the new one as a data URL. */
export type PhotoChange = string | undefined;

export interface PhotoFieldProps {
  /** The photo that is stored; null when there is none. */
  stored: string | null;
  change: PhotoChange;
  onChange: (change: PhotoChange) => void;
  name: string;
}

/** A photo with buttons to choose another and to remove it; initials where there is none. */
export function PhotoField({ stored, change, onChange, name }: PhotoFieldProps) {
  const { t } = useTranslation('userForm');
  const input = useRef<HTMLInputElement>(null);
  const choose = useRef<HTMLButtonElement>(null);
  const newest = useRef<File>(undefined);
  const [isReading, setReading] = useState(false);
  const [isOver, setOver] = useState(false);
  const [fault, setFault] = useState<PhotoFault>();
  const shown = change ?? stored ?? '';

  const read = async (file: File | undefined) => {
    if (file === undefined) return;
    newest.current = file;
    setReading(true);
    const result = await squarePhoto(file);
    // Another file was chosen while this one was being read.
    if (newest.current !== file) return;
    setReading(false);
    if ('fault' in result) setFault(result.fault);
    else {
      setFault(undefined);
      onChange(result.photo);
    }
  };

  const drop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    void read(event.dataTransfer.files[0]);
  };

  return (
    // Dropping is a short cut of the button, which keyboards and fingers use.
    // biome-ignore lint/a11y/useSemanticElements: a fieldset would take the drop of a file no better
    <div
      role="group"
      aria-label={t('photo.label')}
      className={styles.photo}
      data-over={isOver || undefined}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
    >
      <Avatar size={72} photo={shown} name={name} alt={t('photo.alt', { name })} />
      <div className={styles.side}>
        <div className={styles.acts}>
          <Button ref={choose} variant="default" loading={isReading} onClick={() => input.current?.click()}>
            {t(shown === '' ? 'photo.choose' : 'photo.change')}
          </Button>
          {shown !== '' && (
            <Button
              variant="subtle"
              onClick={() => {
                setFault(undefined);
                onChange(stored === null ? undefined : '');
                // This button is removed with the photo.
                choose.current?.focus();
              }}
            >
              {t('photo.remove')}
            </Button>
          )}
        </div>
        <p className={styles.hint} data-fault={fault !== undefined || undefined} role={fault && 'alert'}>
          {t(fault === undefined ? 'photo.hint' : `photo.${fault}`)}
        </p>
      </div>
      <input
        ref={input}
        type="file"
        accept={IMAGE_TYPES.join()}
        hidden
        data-photo
        onChange={(event) => {
          void read(event.currentTarget.files?.[0]);
          // Allows choosing the same file again.
          event.currentTarget.value = '';
        }}
      />
    </div>
  );
}
