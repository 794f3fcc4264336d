import { NativeSelect, Switch } from '@mantine/core';
import { useTranslation } from '#src/shared/i18n/use-translation.tsx';
import { ENCODINGS, type ReadOptions, SEPARATORS } from '../sheet/read-options.ts';
import styles from '../transfer.module.css';
import type { Source } from './import-source.ts';

/** The names of the separators in the locales, because a key can't be a semicolon. */
const SEPARATOR_WORDS = { ';': 'semicolon', ',': 'comma', '\t': 'tab' } as const;

export interface ReadingChoicesProps {
  source: Source;
  onOptions: (options: ReadOptions) => void;
}

/** Options of reading the file, for when the preview looks wrong. */
export function ReadingChoices({ source, onOptions }: ReadingChoicesProps) {
  const { t } = useTranslation('transfer');
  const { options, chosen } = source;
  return (
    <fieldset className={styles.reads}>
      <legend className={styles.small}>{t('reading.title')}</legend>
      {chosen.text !== undefined && (
        <>
          <NativeSelect
            label={t('reading.encoding')}
            value={options.encoding}
            data={[
              { value: 'found', label: t('reading.found') },
              ...ENCODINGS.map((value) => ({ value, label: value })),
            ]}
            onChange={(event) => {
              const encoding = ENCODINGS.find((one) => one === event.currentTarget.value) ?? 'found';
              onOptions({ ...options, encoding });
            }}
          />
          <NativeSelect
            label={t('reading.separator')}
            value={options.delimiter}
            data={[
              { value: 'found', label: t('reading.found') },
              ...SEPARATORS.map((value) => ({ value, label: t(`reading.${SEPARATOR_WORDS[value]}`) })),
            ]}
            onChange={(event) => {
              const delimiter = SEPARATORS.find((one) => one === event.currentTarget.value) ?? 'found';
              onOptions({ ...options, delimiter });
            }}
          />
          <Switch
            label={t('reading.quotes')}
            checked={options.quotes === 'letters'}
            onChange={(event) => onOptions({ ...options, quotes: event.currentTarget.checked ? 'letters' : 'marks' })}
          />
        </>
      )}
      <Switch
        label={t('reading.noHeader')}
        checked={options.header === 'none'}
        onChange={(event) => onOptions({ ...options, header: event.currentTarget.checked ? 'none' : 'found' })}
      />
    </fieldset>
  );
}
