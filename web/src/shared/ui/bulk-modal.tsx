import styles from './bulk.module.css';
import { Modal, Button } from '@mantine/core';
import { type ReactNode, useEffect, useState, useRef } from 'react';
import type { BulkProgress, BulkRun } from '#src/shared/lists/bulk-run.ts';
import { useErrorWords, useTranslation } from '#src/shared/i18n/use-translation.tsx';
import { useSnapshot } from '#src/shared/use-snapshot.ts';
import { InlineError } from './notice.tsx';

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
