import { Button, NativeSelect } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type ColumnMapping, missingFields } from './columns.ts';
import { FIELDS, type ImportField, type ImportKind } from './import-kinds.ts';
import { type Sheet, textOfCell } from './sheet.ts';
import styles from './transfer.module.css';

export interface ColumnsStepProps {
  kind: ImportKind;
  fileName: string;
  sheet: Sheet;
  mapping: ColumnMapping;
  onMapping: (mapping: ColumnMapping) => void;
}

/** The step in which columns are mapped to fields where the headers don't tell. */
export function ColumnsStep({ kind, fileName, sheet, mapping: known, onMapping }: ColumnsStepProps) {
  const { t } = useTranslation('transfer');
  const [mapping, setMapping] = useState(known);
  const missing = missingFields(kind, mapping);
  const twice = FIELDS[kind].filter((field) => field !== 'canal' && mapping.filter((one) => one === field).length > 1);
  const list = (fields: readonly ImportField[]) => fields.map((field) => t(`field.${field}`)).join(', ');
  const options = [
    { value: '', label: t('columns.none') },
    ...FIELDS[kind].map((field) => ({ value: field, label: t(`field.${field}`) })),
  ];
  return (
    <section className={styles.step} aria-labelledby="columns-title">
      <h2 id="columns-title" className={styles.heading}>
        {t('columns.title')}
      </h2>
      <p className={styles.dim}>{t('columns.text', { name: fileName })}</p>
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
                <th scope="row">
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
                      const chosen = FIELDS[kind].find((one) => one === event.currentTarget.value) ?? null;
                      setMapping(mapping.with(index, chosen));
                    }}
                  />
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
      <div className={styles.acts}>
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

/** The first non-empty cell of a column. */
function sampleOf(sheet: Sheet, column: number): string {
  const found = sheet.rows.find(({ cells }) => (cells[column] ?? '') !== '');
  return textOfCell(found?.cells[column] ?? null).slice(0, 80);
}
