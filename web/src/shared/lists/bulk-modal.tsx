import { Button, Modal } from '@mantine/core';
import { BULK_MAX } from '@pressel/contract/limits';
import { type QueryKey, type UseQueryResult, useQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { useErrorWords, useTranslation } from '#src/shared/i18n/use-translation.tsx';
import type { BulkProgress, BulkRun } from '#src/shared/lists/bulk-run.ts';
import { LoadError, RowsSkeleton } from '#src/shared/ui/load-states.tsx';
import { InlineError } from '#src/shared/ui/notice.tsx';
import { useSnapshot } from '#src/shared/use-snapshot.ts';
import styles from './bulk.module.css';

export interface BulkModalProps {
  isOpen: boolean;
  title: string;
  size?: 'md' | 'lg';
  /** Asks before anything is done. `begin` starts a run and shows its report. */
  question: (begin: (run: BulkRun) => void, cancel: () => void) => ReactNode;
  report: (run: BulkRun, close: () => void) => ReactNode;
  /** `progress`: the progress of the run; undefined when none was begun. */
  onClose: (progress: BulkProgress | undefined) => void;
  /** Called when the dialog is gone from the screen, to give the focus back. */
  onClosed: () => void;
}

/** Asks about a change to many rows, then shows its report; it cannot be closed before the run has ended or is stopped. */
export function BulkModal({ isOpen, title, size, question, report, onClose, onClosed }: BulkModalProps) {
  const [run, setRun] = useState<BulkRun>();
  useEffect(() => () => run?.close(), [run]);

  const begin = (next: BulkRun) => {
    next.start();
    setRun(next);
  };
  const close = () => {
    const progress = run?.getSnapshot();
    // The user would not see the outcome, so the run has to be stopped first.
    if (progress?.phase === 'running' || progress?.phase === 'stopping') return;
    onClose(progress);
  };
  return (
    <Modal
      opened={isOpen}
      onClose={close}
      onExitTransitionEnd={() => {
        setRun(undefined);
        onClosed();
      }}
      returnFocus={false}
      withCloseButton={false}
      closeOnClickOutside={run === undefined}
      title={title}
      size={size ?? 'md'}
      centered
    >
      {run === undefined ? question(begin, close) : report(run, close)}
    </Modal>
  );
}

/** The rows that an act on a selection concerns. Rows that the filter hides come first; each part is in the list's order. */
interface Chosen<Row> {
  rows: readonly Row[];
  hidden: ReadonlySet<string>;
}

interface ChosenQuery<Row> {
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

interface ChosenRowsProps<Row> {
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

interface BulkReportProps {
  run: BulkRun;
  /** The label of the running act. */
  label: string;
  /** One sentence: this many rows were changed. */
  doneWords: (count: number) => string;
  /** The outcome of the rows that were left out, shown when the run has ended or stopped. */
  children?: ReactNode;
  onClose: () => void;
}

/** Shows a run's progress, with a stop button; then its outcome, and the ways to go on. */
export function BulkReport({ run, label, doneWords, children, onClose }: BulkReportProps) {
  const { t } = useTranslation('bulk');
  const { t: shared } = useTranslation('shared');
  const words = useErrorWords();
  const progress = useSnapshot(run);
  const { phase, tried, total, done } = progress;
  const isOn = phase === 'running' || phase === 'stopping';
  const actRef = useRef<HTMLButtonElement>(null);
  // The button that had the focus is gone, with the question or with the end.
  // biome-ignore lint/correctness/useExhaustiveDependencies: each turn brings another button
  useEffect(() => actRef.current?.focus(), [isOn]);
  return (
    <div className={styles.report}>
      <progress className={styles.progress} value={tried} max={total} aria-label={label} />
      <div className={styles.outcome} role="status">
        {isOn ? (
          <span>{t('progress', { done: tried, total })}</span>
        ) : (
          <>
            <strong>{t(phase)}</strong>
            <span>{doneWords(done)}</span>
            {tried < total && <span>{t('rest', { count: total - tried })}</span>}
          </>
        )}
        {phase === 'stopping' && <span>{t('stopping')}</span>}
      </div>
      {phase === 'failed' && (
        <InlineError>
          {words(progress.error)} {progress.unsure > 0 && t('unsure', { count: progress.unsure })}
        </InlineError>
      )}
      {!isOn && children}
      <div className={styles.acts}>
        {isOn ? (
          <Button ref={actRef} variant="default" disabled={phase === 'stopping'} onClick={run.stop}>
            {t('stop')}
          </Button>
        ) : (
          <>
            <Button ref={actRef} variant="default" onClick={onClose}>
              {shared('close')}
            </Button>
            {phase !== 'finished' && <Button onClick={run.start}>{t('goOn')}</Button>}
          </>
        )}
      </div>
    </div>
  );
}
