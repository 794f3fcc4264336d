import { Button, Loader } from '@mantine/core';
import { IconFileSpreadsheet } from '@tabler/icons-react';
import { type DragEvent, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import styles from './transfer.module.css';

const ACCEPTED = '.xlsx,.csv,.txt,.tsv,text/csv,application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';

export interface DropZoneProps {
  limits: string;
  /** The name of the file being read. */
  reading: string | undefined;
  onFile: (file: File) => void;
  onTooMany: () => void;
  onStop: () => void;
}

/** Drop zone for a file, with a button for keyboard and touch. */
export function DropZone({ limits, reading, onFile, onTooMany, onStop }: DropZoneProps) {
  const { t } = useTranslation('transfer');
  const input = useRef<HTMLInputElement>(null);
  const [isOver, setOver] = useState(false);

  const take = (files: FileList | null): void => {
    const file = files?.[0];
    if (file === undefined) return;
    if (files !== null && files.length > 1) onTooMany();
    else onFile(file);
  };
  const drag = (event: DragEvent, isInside: boolean): void => {
    event.preventDefault();
    setOver(isInside);
  };

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the button inside does the same by keyboard
    <div
      className={styles.drop}
      data-over={isOver || undefined}
      onDragEnter={(event) => drag(event, true)}
      onDragOver={(event) => drag(event, true)}
      onDragLeave={(event) => drag(event, event.currentTarget.contains(event.relatedTarget as Node | null))}
      onDrop={(event) => {
        drag(event, false);
        if (reading === undefined) take(event.dataTransfer.files);
      }}
    >
      {reading === undefined ? (
        <>
          <IconFileSpreadsheet className={styles.dropIcon} stroke={1.5} aria-hidden="true" />
          <p className={styles.dropTitle}>{t('choose.drop')}</p>
          <Button onClick={() => input.current?.click()}>{t('choose.browse')}</Button>
          <p className={styles.dim}>{limits}</p>
        </>
      ) : (
        <div className={styles.reading} role="status">
          <Loader size="sm" color="var(--text-dim)" aria-hidden="true" />
          <span className={styles.fileName}>
            <bdi>{t('choose.reading', { name: reading })}</bdi>
          </span>
          <Button variant="default" onClick={onStop}>
            {t('choose.stop')}
          </Button>
        </div>
      )}
      <input
        ref={input}
        type="file"
        accept={ACCEPTED}
        hidden
        onChange={(event) => {
          take(event.currentTarget.files);
          // Reset, so that choosing the same (corrected) file again fires a change event.
          event.currentTarget.value = '';
        }}
      />
    </div>
  );
}
