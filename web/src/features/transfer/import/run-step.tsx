import { Button } from '@mantine/core';
import { IconAlertTriangle, IconHandStop } from '@tabler/icons-react';
import { useEffect } from 'react';
import { useErrorWords, useLanguage, useTranslation } from '#src/shared/i18n/use-translation.tsx';
import { useAnnouncement } from '#src/shared/ui/announcer.tsx';
import { InlineError, Notice } from '#src/shared/ui/notice.tsx';
import { useSnapshot } from '#src/shared/use-snapshot.ts';
import type { ImportKind } from '../sheet/import-kinds.ts';
import shared from '../transfer.module.css';
import { useBeforeUnload } from './import-leave-guard.tsx';
import type { ImportRun, RunEnd } from './import-run.ts';
import styles from './run-step.module.css';

export interface RunStepProps {
  kind: ImportKind;
  run: ImportRun;
  /** Started before this page was loaded. */
  isResumed: boolean;
  onEnd: (end: RunEnd) => void;
}

/** Progress of the import, with a cancel button. */
export function RunStep({ kind, run, isResumed, onEnd }: RunStepProps) {
  const { t } = useTranslation('transfer');
  const { current } = useLanguage();
  const state = useSnapshot(run);
  useBeforeUnload(state.state === 'running' && !isResumed);
  useEffect(() => {
    if (state.state === 'ended') onEnd(state.end);
  }, [state, onEnd]);
  // Announces the beginning and each quarter, because every step would be too much to hear.
  const { done, total } = state.state === 'ended' ? { done: 0, total: 0 } : state;
  const quarter = total === 0 ? 0 : Math.floor((done * 4) / total);
  useAnnouncement(
    quarter === 0 ? t('run.title') : t('run.progress', { done: percentOf(quarter), total: percentOf(4) }),
  );
  if (state.state === 'ended') return null;

  const { msLeft, cancel } = state;
  const minutes = Math.round((msLeft ?? 0) / 60_000);
  const isKnown = total > 0;
  const text = isKnown
    ? t('run.progress', { done: done.toLocaleString(current), total: total.toLocaleString(current) })
    : t(isResumed ? 'run.finding' : 'run.starting');
  return (
    <section className={styles.run}>
      <h2 className={shared.heading}>{t('run.title')}</h2>
      <progress
        className={styles.progress}
        aria-label={t('run.title')}
        {...(isKnown ? { value: done, max: total } : {})}
      />
      <p className={styles.figure}>{text}</p>
      {msLeft !== undefined && (
        <p className={shared.dim}>{minutes === 0 ? t('run.leftSoon') : t('run.left', { count: minutes })}</p>
      )}
      {kind === 'users' && <p className={shared.dim}>{t('run.text')}</p>}
      {state.isLost && <InlineError>{t('run.lost')}</InlineError>}
      {cancel === 'too_late' ? (
        <p role="status">{t('run.tooLate')}</p>
      ) : (
        <Button variant="default" loading={cancel === 'asked'} onClick={() => void run.cancel()}>
          {t('run.cancel')}
        </Button>
      )}
    </section>
  );
}

const percentOf = (quarters: number): string => `${quarters * 25} %`;

interface NothingStoredProps {
  end: Exclude<RunEnd, { end: 'stored' }>;
  /** Goes back to the rows; undefined when they were lost by a reload. */
  onRows: (() => void) | undefined;
  onAnother: () => void;
}

/** The import ended without storing anything, or with unknown outcome: the reason and the next steps. */
export function NothingStored({ end, onRows, onAnother }: NothingStoredProps) {
  const { t } = useTranslation('transfer');
  const words = useErrorWords();
  const isCancelled = end.end === 'cancelled';
  return (
    <div role="alert">
      <Notice
        icon={isCancelled ? IconHandStop : IconAlertTriangle}
        title={isCancelled ? t('done.cancelled') : t('done.failed')}
        acts={
          onRows ? (
            <Button onClick={onRows}>{t('done.backToRows')}</Button>
          ) : (
            <Button onClick={onAnother}>{t('choose.browse')}</Button>
          )
        }
      >
        {isCancelled && t(onRows ? 'done.cancelledText' : 'done.startOver')}
        {end.end === 'forgotten' && t(onRows ? 'done.forgotten' : 'done.forgottenAlone')}
        {end.end === 'failed' && (
          <>
            <p>{t('done.again')}</p>
            <p>
              {end.error === undefined ? '' : `${words(end.error)} `}
              {t(onRows ? 'done.failedText' : 'done.startOver')}
            </p>
          </>
        )}
      </Notice>
    </div>
  );
}
