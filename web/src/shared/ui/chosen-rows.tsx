import { Button } from '@mantine/core';
import { BULK_MAX } from '@pressel/contract/limits';
import { type QueryKey, type UseQueryResult, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from '../i18n/use-translation.tsx';
import styles from './bulk.module.css';
import { LoadError, RowsSkeleton } from './load-states.tsx';

/** The rows that an act on a selection concerns. Rows that the filter hides come first; each part is in the list's order. */
export interface Chosen<Row> {
  rows: readonly Row[];
  hidden: ReadonlySet<string>;
}

export interface ChosenQuery<Row> {
  queryKey: QueryKey;
  ids: readonly string[];
  /** Reads the ids of all rows that the filter finds; null without a filter. */
  readFound: (() => Promise<readonly string[]>) | null;
  /** Reads rows by their ids, at most BULK_MAX of them. Rows that are gone are left out. */
  readRows: (ids: readonly string[], signal: AbortSignal) => Promise<readonly Row[]>;
  /** Reads all rows, for a sum over them; otherwise only as many as are named. */
  isWhole?: boolean;
}

/** Reads the rows that a question about many rows names. It reads them each time the question is asked. */
export function useChosen<Row extends { id: string }>(query: ChosenQuery<Row>): UseQueryResult<Chosen<Row>> {
  const { queryKey, ids, readFound, readRows, isWhole } = query;
  return useQuery({
    queryKey: [...queryKey, 'chosen', ids],
    queryFn: async ({ signal }): Promise<Chosen<Row>> => {
      const found = readFound && new Set(await readFound());
      const hidden = new Set(found === null ? [] : ids.filter((id) => !found.has(id)));
      const ordered = [...hidden, ...ids.filter((id) => !hidden.has(id))];
      const rows: Row[] = [];
      for (let at = 0; at < (isWhole ? ordered.length : 1); at += BULK_MAX) {
        rows.push(...(await readRows(ordered.slice(at, at + BULK_MAX), signal)));
      }
      const isHidden = (row: Row) => hidden.has(row.id);
      return { hidden, rows: [...rows.filter(isHidden), ...rows.filter((row) => !isHidden(row))] };
    },
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
  });
}

/** The number of rows named before the user asks for more. */
const NAMED_FIRST = 5;

export interface ChosenRowsProps<Row> {
  label: string;
  filter: string;
  count: number;
  chosen: UseQueryResult<Chosen<Row>>;
  nameOf: (row: Row) => string;
  /** Returns what tells two rows of the same name apart. */
  noteOf: (row: Row) => string;
}

/** Names the rows that an act on a selection concerns, and says which of them the filter hides. */
export function ChosenRows<Row extends { id: string }>(props: ChosenRowsProps<Row>) {
  const { label, filter, count, chosen, nameOf, noteOf } = props;
  const { t } = useTranslation('bulk');
  const [isOpen, setOpen] = useState(false);
  if (chosen.isError) return <LoadError error={chosen.error} onRetry={() => void chosen.refetch()} />;
  if (chosen.data === undefined) return <RowsSkeleton rows={Math.min(count, NAMED_FIRST + 1)} />;
  const { rows, hidden } = chosen.data;
  const named = rows.slice(0, isOpen ? BULK_MAX : NAMED_FIRST);
  const others = count - named.length;
  return (
    <div className={styles.leftOut}>
      {hidden.size > 0 && (
        <p>
          <strong>{t('hiddenCount', { count: hidden.size, filter: filter.trim() })}</strong>
        </p>
      )}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached (axe: scrollable-region-focusable) */}
      <ul tabIndex={0} aria-label={label}>
        {named.map((row) => (
          <li key={row.id}>
            <bdi>{nameOf(row)}</bdi>
            <span className={styles.reason}>
              <bdi>{noteOf(row)}</bdi>
              {hidden.has(row.id) && <> · {t('hidden')}</>}
            </span>
          </li>
        ))}
        {others > 0 && (
          <li>
            {isOpen || rows.length <= NAMED_FIRST ? (
              t('more', { count: others })
            ) : (
              <Button variant="subtle" size="compact-sm" aria-expanded={false} onClick={() => setOpen(true)}>
                {t('more', { count: others })}
              </Button>
            )}
          </li>
        )}
      </ul>
    </div>
  );
}
