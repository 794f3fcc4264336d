import { Button, Loader } from '@mantine/core';
import { IMPORT_FILE_MAX_BYTES, IMPORT_MAX_ROWS } from '@pressel/contract/limits';
import { IconFileSpreadsheet } from '@tabler/icons-react';
import { useEffect, useRef, useState } from 'react';
import { useLanguage, useTranslation } from '#src/shared/i18n/use-translation.tsx';
import { DropArea, DropInvitation } from '#src/shared/ui/drop-area.tsx';
import { InlineError } from '#src/shared/ui/notice.tsx';
import { ModelButton } from '../export/transfer-buttons.tsx';
import { FIELDS, type ImportKind } from '../sheet/import-kinds.ts';
import { AS_FOUND, type NamedSheet, type ReadOptions, type SheetFault } from '../sheet/sheet.ts';
import { READ_MAX_MS, type SheetReader } from '../sheet/sheet-reader.ts';
import styles from '../transfer.module.css';

const MEGABYTE = 1_048_576;
/** Same as in read-sheet.ts, repeated here because importing it would bundle the whole reader. */
const UNPACKED_MAX_MB = 128;

export interface ChooseStepProps {
  kind: ImportKind;
  read: SheetReader;
  /** The fault of the previous file, if it was refused. */
  fault: SheetFault | undefined;
  onSheets: (file: File, options: ReadOptions, sheets: readonly NamedSheet[]) => void;
}

/** The step in which a file is chosen and read. */
export function ChooseStep({ kind, read, fault: sentBack, onSheets }: ChooseStepProps) {
  const { t } = useTranslation('transfer');
  const { current } = useLanguage();
  const [reading, setReading] = useState<string>();
  const [fault, setFault] = useState<SheetFault | 'one' | undefined>(sentBack);
  const aborter = useRef<AbortController>(undefined);
  useEffect(() => () => aborter.current?.abort(), []);

  const start = async (file: File): Promise<void> => {
    const stop = new AbortController();
    aborter.current = stop;
    setFault(undefined);
    setReading(file.name);
    const result = await read(file, AS_FOUND, stop.signal);
    if (stop.signal.aborted) return;
    setReading(undefined);
    if (result.ok) onSheets(file, AS_FOUND, result.sheets);
    else setFault(result.fault);
  };

  const rows = IMPORT_MAX_ROWS.toLocaleString(current);
  const size = IMPORT_FILE_MAX_BYTES / MEGABYTE;
  return (
    <>
      {fault === 'one' && <InlineError>{t('choose.one')}</InlineError>}
      {fault !== undefined && fault !== 'one' && (
        <InlineError>
          {t(`fault.${fault}`, { size: fault === 'bomb' ? UNPACKED_MAX_MB : size, rows, seconds: READ_MAX_MS / 1_000 })}
        </InlineError>
      )}
      <DropZone
        limits={t('choose.limits', { size, rows })}
        reading={reading}
        onFile={(file) => void start(file)}
        onTooMany={() => setFault('one')}
        onStop={() => {
          aborter.current?.abort();
          setReading(undefined);
        }}
      />
      <section className={styles.expected}>
        <h2 className={styles.small}>{t('choose.columns')}</h2>
        <ul className={styles.fields}>
          {FIELDS[kind].map((field) => (
            <li key={field}>
              <code translate="no">{field}</code> <span className={styles.dim}>{t(`field.${field}`)}</span>
            </li>
          ))}
        </ul>
        <ModelButton kind={kind} />
      </section>
    </>
  );
}

const ACCEPTED = '.xlsx,.csv,.txt,.tsv,text/csv,application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';

interface DropZoneProps {
  limits: string;
  /** The name of the file being read. */
  reading: string | undefined;
  onFile: (file: File) => void;
  onTooMany: () => void;
  onStop: () => void;
}

/** Takes the one file to import. */
function DropZone({ limits, reading, onFile, onTooMany, onStop }: DropZoneProps) {
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
