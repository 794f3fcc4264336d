import { Modal } from '@mantine/core';
import { type ReactNode, useEffect, useState } from 'react';
import type { BulkProgress, BulkRun } from '../lists/bulk-run.ts';

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
