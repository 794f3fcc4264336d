import { Button, NativeSelect, Switch } from '@mantine/core';
import { useEffect, useState } from 'react';
import { useTranslation } from '#src/shared/i18n/use-translation.tsx';
import { type ColumnMapping, lackingFields, missingFields } from '../sheet/columns.ts';
import { ALL_FIELDS, type ImportField, type ImportKind, isList } from '../sheet/import-kinds.ts';
import { ENCODINGS, type ReadOptions, SEPARATORS, type Sheet, textOfCell } from '../sheet/sheet.ts';
import styles from '../transfer.module.css';
import type { Source } from './import-source.ts';

export interface ColumnsStepProps {
  kind: ImportKind;
  source: Source;
  onOptions: (options: ReadOptions) => void;
  onMapping: (mapping: ColumnMapping) => void;
  stopRereading: () => void;
}

/** The step in which columns are mapped to fields where the headers don't tell. */
export function ColumnsStep({ kind, source, onOptions, onMapping, stopRereading }: ColumnsStepProps) {
  const { t } = useTranslation('transfer');
  const { sheet } = source.chosen;
  const [mapping, setMapping] = useState(source.mapping);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a reading is of this sheet, with these columns
  useEffect(() => stopRereading, [stopRereading, source, mapping]);
  const missing = missingFields(kind, mapping);
  const lacking = lackingFields(kind, mapping);
  const twice = ALL_FIELDS[kind].filter((field) => !isList(field) && mapping.filter((one) => one === field).length > 1);
  const list = (fields: readonly ImportField[]) => fields.map((field) => t(`field.${field}`)).join(', ');
  const options = [
    { value: '', label: t('columns.none') },
    ...ALL_FIELDS[kind].map((field) => ({ value: field, label: t(`field.${field}`) })),
  ];
  return (
    <section className={styles.step} aria-labelledby="columns-title">
      <h2 id="columns-title" className={styles.heading}>
        {t('columns.title')}
      </h2>
      <p className={styles.dim}>{t('columns.text', { name: source.fileName })}</p>
      <table className={styles.columns}>
        <thead>
          <tr>
            <th scope="col">{t('columns.header')}</th>
            <th scope="col" data-wide-only>
              {t('columns.sample')}
            </th>
            <th scope="col">{t('columns.use')}</th>
          </tr>
        </thead>
        <tbody>
          {sheet.headers.map((header, index) => {
            const name = header || t('columns.unnamed', { number: index + 1 });
            const field = mapping[index] ?? null;
            return (
              // biome-ignore lint/suspicious/noArrayIndexKey: a column is identified by its index; headers may repeat
              <tr key={index}>
                <th scope="row" title={name}>
                  <bdi>{name}</bdi>
                </th>
                <td data-wide-only>
                  <bdi>{field === 'password' ? '••••••' : sampleOf(sheet, index)}</bdi>
                </td>
                <td>
                  <NativeSelect
                    aria-label={t('columns.useOf', { name })}
                    value={field ?? ''}
                    data={options}
                    onChange={(event) => {
                      const chosen = ALL_FIELDS[kind].find((one) => one === event.currentTarget.value) ?? null;
                      setMapping(mapping.with(index, chosen));
                    }}
                  />
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
      <ReadingChoices source={source} onOptions={onOptions} />
      <div className={styles.acts}>
        {missing.length === 0 && lacking.length > 0 && (
          <p className={styles.dim}>{t('columns.lacking', { fields: list(lacking) })}</p>
        )}
        <p className={styles.fault} role="status">
          {twice.length > 0
            ? t('columns.twice', { fields: list(twice) })
            : missing.length > 0 && t('columns.missing', { fields: list(missing) })}
        </p>
        <Button onClick={() => onMapping(mapping)} disabled={twice.length > 0 || missing.length > 0}>
          {t('columns.continue')}
        </Button>
      </div>
    </section>
  );
}

/** The number of rows that are searched for a sample of a column. */
const SAMPLED = 200;

/** The first non-empty cell of a column. */
function sampleOf(sheet: Sheet, column: number): string {
  const texts = sheet.rows.slice(0, SAMPLED).map(({ cells }) => textOfCell(cells[column] ?? null));
  return (texts.find((text) => text.trim() !== '') ?? '').slice(0, 80);
}

/** The names of the separators in the locales, because a key can't be a semicolon. */
const SEPARATOR_WORDS = { ';': 'semicolon', ',': 'comma', '\t': 'tab' } as const;

interface ReadingChoicesProps {
  source: Source;
  onOptions: (options: ReadOptions) => void;
}

/** Options of reading the file, for when the preview looks wrong. */
function ReadingChoices({ source, onOptions }: ReadingChoicesProps) {
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
