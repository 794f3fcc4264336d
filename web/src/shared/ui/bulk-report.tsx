import { Button } from '@mantine/core';
import { type ReactNode, useEffect, useRef } from 'react';
import { useErrorWords } from '../i18n/error-words.ts';
import { useTranslation } from '../i18n/use-translation.tsx';
import type { BulkRun } from '../lists/bulk-run.ts';
import { useSnapshot } from '../use-snapshot.ts';
import styles from './bulk.module.css';
import { InlineError } from './notice.tsx';

export interface BulkReportProps {
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
