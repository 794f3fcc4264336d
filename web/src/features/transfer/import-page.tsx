import { Button } from '@mantine/core';
import { getServerInfo } from '@pressel/contract/auth';
import { IconAlertTriangle, IconChevronLeft, IconHandStop } from '@tabler/icons-react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useCallback, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useErrorWords } from '#src/shared/i18n/error-words.ts';
import { useApi, useRealtime } from '#src/shared/services.tsx';
import { Notice } from '#src/shared/ui/notice.tsx';
import { Page } from '#src/shared/ui/page.tsx';
import { ChooseStep } from './choose-step.tsx';
import { type ColumnMapping, keepEdits, matchColumns, missingFields, rowsOf } from './columns.ts';
import { ColumnsStep } from './columns-step.tsx';
import type { ImportKind, ImportRow, JudgedRow } from './import-kinds.ts';
import { type ImportRun, type RunEnd, startImport } from './import-run.ts';
import { resultOf, rowsToSend } from './result.ts';
import { ResultStep } from './result-step.tsx';
import { ReviewStep } from './review-step.tsx';
import { RunStep } from './run-step.tsx';
import type { Sheet } from './sheet.ts';
import { browserSheetReader } from './sheet-reader.ts';
import styles from './transfer.module.css';

interface Source {
  fileName: string;
  sheet: Sheet;
  mapping: ColumnMapping;
}

interface Reviewed extends Source {
  rows: readonly ImportRow[];
  judged: readonly JudgedRow[];
}

type Step =
  | { step: 'choose' }
  /** `edited`: the rows as they were left, when one comes back to the columns. */
  | { step: 'columns'; source: Source; edited?: readonly ImportRow[] }
  | { step: 'review'; source: Source; rows: readonly ImportRow[] }
  | { step: 'running'; reviewed: Reviewed; run: ImportRun }
  | { step: 'ended'; reviewed: Reviewed; end: RunEnd };

/** From a file to its rows on the server, nothing of it sent unseen. For administrators. */
export function ImportPage({ kind }: { kind: ImportKind }) {
  const { t } = useTranslation('transfer');
  const api = useApi();
  const realtime = useRealtime();
  const queries = useQueryClient();
  const [read] = useState(browserSheetReader);
  const [step, setStep] = useState<Step>({ step: 'choose' });
  const info = useQuery({
    queryKey: ['serverInfo'],
    queryFn: ({ signal }) => api.call(getServerInfo, undefined, { signal }),
    staleTime: 60_000,
  });
  // The server judges again: not to know its own minimum for a moment costs nothing.
  const passwordMinLength = info.data?.passwordMinLength ?? 1;

  const run = step.step === 'running' ? step.run : undefined;
  useEffect(() => () => run?.close(), [run]);
  const end = useCallback(
    (how: RunEnd) => {
      setStep((known) => (known.step === 'running' ? { step: 'ended', reviewed: known.reviewed, end: how } : known));
      void queries.invalidateQueries();
    },
    [queries],
  );

  // What had the focus went with its step: the next one is where keyboards and screen readers go on.
  const place = useRef<HTMLDivElement>(null);
  const isFirst = useRef(true);
  useEffect(() => {
    if (!isFirst.current && step.step !== 'choose') place.current?.focus();
    isFirst.current = false;
  }, [step.step]);

  const review = (source: Source) => setStep({ step: 'review', source, rows: rowsOf(source.sheet, source.mapping) });
  const remap = (source: Source, edited: readonly ImportRow[] | undefined, mapping: ColumnMapping) => {
    const rows = edited ? keepEdits(source.sheet, source.mapping, edited, mapping) : rowsOf(source.sheet, mapping);
    setStep({ step: 'review', source: { ...source, mapping }, rows });
  };
  const take = (fileName: string, sheet: Sheet) => {
    const source = { fileName, sheet, mapping: matchColumns(kind, sheet.headers) };
    if (missingFields(kind, source.mapping).length > 0) setStep({ step: 'columns', source });
    else review(source);
  };
  const send = (reviewed: Reviewed) => {
    const rows = rowsToSend(reviewed.rows, reviewed.judged);
    const importId = crypto.randomUUID();
    setStep({ step: 'running', reviewed, run: startImport({ api, realtime, kind, rows, importId }) });
  };

  const fileName = step.step === 'choose' ? undefined : sourceOf(step).fileName;
  return (
    <Page
      title={t(`title.${kind}`)}
      fact={fileName}
      acts={
        <Button
          variant="subtle"
          leftSection={<IconChevronLeft size={16} aria-hidden="true" />}
          renderRoot={(props) => <Link to={kind === 'users' ? '/usersList' : '/channelsList'} {...props} />}
        >
          {t(`back.${kind}`)}
        </Button>
      }
    >
      <div className={styles.page} ref={place} tabIndex={-1}>
        {step.step === 'choose' && <ChooseStep kind={kind} read={read} onSheet={take} />}
        {step.step === 'columns' && (
          <ColumnsStep kind={kind} {...step.source} onMapping={(mapping) => remap(step.source, step.edited, mapping)} />
        )}
        {step.step === 'review' && (
          <ReviewStep
            kind={kind}
            fileName={step.source.fileName}
            rows={step.rows}
            passwordMinLength={passwordMinLength}
            onColumns={(edited) => setStep({ step: 'columns', source: step.source, edited })}
            onOtherFile={() => setStep({ step: 'choose' })}
            onSend={(rows, judged) => send({ ...step.source, rows, judged })}
          />
        )}
        {step.step === 'running' && <RunStep kind={kind} run={step.run} onEnd={end} />}
        {step.step === 'ended' && step.end.end === 'stored' && (
          <ResultStep
            kind={kind}
            result={resultOf(kind, step.reviewed.judged, step.end.outcome)}
            passwordMinLength={passwordMinLength}
            onAnother={() => setStep({ step: 'choose' })}
          />
        )}
        {step.step === 'ended' && step.end.end !== 'stored' && (
          <NothingStored
            end={step.end}
            onRows={() => setStep({ step: 'review', source: step.reviewed, rows: step.reviewed.rows })}
          />
        )}
      </div>
    </Page>
  );
}

const sourceOf = (step: Exclude<Step, { step: 'choose' }>): Source =>
  step.step === 'columns' || step.step === 'review' ? step.source : step.reviewed;

/** The import ended without storing anything: why, and the rows are still there. */
function NothingStored({ end, onRows }: { end: Exclude<RunEnd, { end: 'stored' }>; onRows: () => void }) {
  const { t } = useTranslation('transfer');
  const words = useErrorWords();
  const isCancelled = end.end === 'cancelled';
  return (
    <div role="alert">
      <Notice
        icon={isCancelled ? IconHandStop : IconAlertTriangle}
        title={isCancelled ? t('done.cancelled') : t('done.failed')}
        acts={<Button onClick={onRows}>{t('done.backToRows')}</Button>}
      >
        {end.end === 'cancelled' && t('done.cancelledText')}
        {end.end === 'forgotten' && t('done.forgotten')}
        {end.end === 'failed' && (
          <>
            <p>{t('done.again')}</p>
            <p>
              {end.error === undefined ? '' : `${words(end.error)} `}
              {t('done.failedText')}
            </p>
          </>
        )}
      </Notice>
    </div>
  );
}
