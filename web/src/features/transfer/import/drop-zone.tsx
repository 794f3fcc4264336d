import { Button, Loader } from '@mantine/core';
import { IconFileSpreadsheet } from '@tabler/icons-react';
import { useTranslation } from '#src/shared/i18n/use-translation.tsx';
import { DropArea, DropInvitation } from '#src/shared/ui/drop-area.tsx';
import styles from '../transfer.module.css';

const ACCEPTED = '.xlsx,.csv,.txt,.tsv,text/csv,application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';

export interface DropZoneProps {
  limits: string;
  /** The name of the file being read. */
  reading: string | undefined;
  onFile: (file: File) => void;
  onTooMany: () => void;
  onStop: () => void;
}

/** Takes the one file to import. */
export function DropZone({ limits, reading, onFile, onTooMany, onStop }: DropZoneProps) {
  const { t } = useTranslation('transfer');
  const take = (files: readonly File[]): void => {
    const [file] = files;
    if (file === undefined || reading !== undefined) return;
    if (files.length > 1) onTooMany();
    else onFile(file);
  };
  return (
    <DropArea accept={ACCEPTED} onFiles={take}>
      {(browse) =>
        reading === undefined ? (
          <DropInvitation icon={IconFileSpreadsheet} title={t('choose.drop')} limits={limits}>
            <Button onClick={browse}>{t('choose.browse')}</Button>
          </DropInvitation>
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
        )
      }
    </DropArea>
  );
}
