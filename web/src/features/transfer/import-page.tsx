import { Button, NativeSelect } from '@mantine/core';
import { getServerInfo } from '@pressel/contract/auth';
import { IconChevronLeft } from '@tabler/icons-react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useCallback, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { randomId } from '#src/shared/random-id.ts';
import { useApi, useRealtime, useStorage } from '#src/shared/services.tsx';
import { Page } from '#src/shared/ui/page.tsx';
import { ChooseStep } from './choose-step.tsx';
import { bestSheet, type ColumnMapping, keepEdits, matchColumns, missingFields, rowsOf } from './columns.ts';
import { ColumnsStep } from './columns-step.tsx';
import type { ImportKind, ImportRow, JudgedRow } from './import-kinds.ts';
import { type ImportRun, type RunEnd, resumeImport, startImport } from './import-run.ts';
import { NothingStored } from './nothing-stored.tsx';
import { resultOf, rowsToSend } from './result.ts';
import { ResultStep } from './result-step.tsx';
import { ReviewStep } from './review-step.tsx';
import { RunStep } from './run-step.tsx';
import type { NamedSheet, Sheet, SheetFault } from './sheet.ts';
import { browserSheetReader } from './sheet-reader.ts';
import styles from './transfer.module.css';

interface Source {
  fileName: string;
  /** All sheets of the file, and the name of the selected one. */
  sheets: readonly NamedSheet[];
  sheetName: string;
  sheet: Sheet;
  mapping: ColumnMapping;
}

interface Reviewed extends Source {
  rows: readonly ImportRow[];
  judged: readonly JudgedRow[];
}

type Step =
  | { step: 'choose'; fault?: SheetFault }
  /** `edited`: the rows as edited before going back to the columns. */
  | { step: 'columns'; source: Source; edited?: readonly ImportRow[] }
  | { step: 'review'; source: Source; rows: readonly ImportRow[] }
  /** Looking up an import that was started before a reload. */
  | { step: 'finding' }
  /** `reviewed` is undefined for an import that was started before a reload. */
  | { step: 'running'; reviewed: Reviewed | undefined; run: ImportRun }
  | { step: 'ended'; reviewed: Reviewed | undefined; end: RunEnd };

/** The import, from choosing a file over the review to the result. Administrators only. */
export function ImportPage({ kind }: { kind: ImportKind }) {
  const { t } = useTranslation('transfer');
  const api = useApi();
  const realtime = useRealtime();
  const storage = useStorage();
  const queries = useQueryClient();
  const [read] = useState(browserSheetReader);
  const [step, setStep] = useState<Step>(() => ({
    step: storage.readImport(kind) === undefined ? 'choose' : 'finding',
  }));
  const info = useQuery({
    queryKey: ['serverInfo'],
    queryFn: ({ signal }) => api.call(getServerInfo, undefined, { signal }),
    staleTime: 60_000,
  });
  // 1 until the server's minimum is loaded; the server judges the rows again anyway.
  const passwordMinLength = info.data?.passwordMinLength ?? 1;

  const run = step.step === 'running' ? step.run : undefined;
  useEffect(() => () => run?.close(), [run]);
  useEffect(() => {
    const importId = storage.readImport(kind);
    if (importId === undefined) return;
    const resumed = resumeImport({ api, realtime, importId });
    setStep({ step: 'running', reviewed: undefined, run: resumed });
    return resumed.close;
  }, [api, realtime, storage, kind]);
  // Forget the import only when its result page is left, so that a reload shows it again.
  const isEnded = step.step === 'ended';
  useEffect(() => {
    if (isEnded) return () => storage.forgetImport(kind);
  }, [isEnded, storage, kind]);
  const end = useCallback(
    (how: RunEnd) => {
      if (how.end === 'unknown') {
        storage.forgetImport(kind);
        setStep({ step: 'choose' });
        return;
      }
      setStep((known) => (known.step === 'running' ? { step: 'ended', reviewed: known.reviewed, end: how } : known));
      void queries.invalidateQueries();
    },
    [queries, storage, kind],
  );

  // The focused element was unmounted with the previous step, so move the focus to the new one.
  const place = useRef<HTMLDivElement>(null);
  const isFirst = useRef(true);
  useEffect(() => {
    if (!isFirst.current && step.step !== 'choose') place.current?.focus();
    isFirst.current = false;
  }, [step.step]);

  const review = (source: Source) => {
    const rows = rowsOf(source.sheet, source.mapping);
    setStep(rows.length === 0 ? { step: 'choose', fault: 'only_example' } : { step: 'review', source, rows });
  };
  const remap = (source: Source, edited: readonly ImportRow[] | undefined, mapping: ColumnMapping) => {
    const mapped = { ...source, mapping };
    if (edited === undefined) review(mapped);
    else setStep({ step: 'review', source: mapped, rows: keepEdits(source.sheet, source.mapping, edited, mapping) });
  };
  const take = (fileName: string, sheets: readonly NamedSheet[], chosen: NamedSheet | undefined) => {
    if (chosen === undefined) return;
    const { name: sheetName, sheet } = chosen;
    const source = { fileName, sheets, sheetName, sheet, mapping: matchColumns(kind, sheet.headers) };
    if (missingFields(kind, source.mapping).length > 0) setStep({ step: 'columns', source });
    else review(source);
  };
  const send = (reviewed: Reviewed) => {
    const rows = rowsToSend(reviewed.rows, reviewed.judged);
    const importId = randomId();
    storage.keepImport(kind, importId);
    setStep({ step: 'running', reviewed, run: startImport({ api, realtime, kind, rows, importId }) });
  };

  const backTo = (reviewed: Reviewed | undefined) =>
    reviewed && (() => setStep({ step: 'review', source: reviewed, rows: reviewed.rows }));

  const fileName = sourceOf(step)?.fileName;
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
        {step.step === 'choose' && (
          <ChooseStep
            key={step.fault}
            kind={kind}
            read={read}
            fault={step.fault}
            onSheets={(name, sheets) => take(name, sheets, bestSheet(kind, sheets))}
          />
        )}
        {(step.step === 'columns' || step.step === 'review') && step.source.sheets.length > 1 && (
          <NativeSelect
            label={t('columns.sheet')}
            value={step.source.sheetName}
            data={step.source.sheets.map(({ name }) => name)}
            onChange={(event) => {
              const { fileName: file, sheets } = step.source;
              const chosen = event.currentTarget.value;
              take(
                file,
                sheets,
                sheets.find(({ name }) => name === chosen),
              );
            }}
          />
        )}
        {step.step === 'columns' && (
          <ColumnsStep
            key={step.source.sheetName}
            kind={kind}
            {...step.source}
            onMapping={(mapping) => remap(step.source, step.edited, mapping)}
          />
        )}
        {step.step === 'review' && (
          <ReviewStep
            key={step.source.sheetName}
            kind={kind}
            fileName={step.source.fileName}
            rows={step.rows}
            passwordMinLength={passwordMinLength}
            onColumns={(edited) => setStep({ step: 'columns', source: step.source, edited })}
            onOtherFile={() => setStep({ step: 'choose' })}
            onSend={(rows, judged) => send({ ...step.source, rows, judged })}
          />
        )}
        {step.step === 'running' && (
          <RunStep kind={kind} run={step.run} isResumed={step.reviewed === undefined} onEnd={end} />
        )}
        {step.step === 'ended' && step.end.end === 'stored' && (
          <ResultStep
            kind={kind}
            result={resultOf(kind, step.reviewed?.judged ?? [], step.end.outcome)}
            passwordMinLength={passwordMinLength}
            hasRows={step.reviewed !== undefined}
            onAnother={() => setStep({ step: 'choose' })}
          />
        )}
        {step.step === 'ended' && step.end.end !== 'stored' && (
          <NothingStored end={step.end} onRows={backTo(step.reviewed)} onAnother={() => setStep({ step: 'choose' })} />
        )}
      </div>
    </Page>
  );
}

function sourceOf(step: Step): Source | undefined {
  if (step.step === 'columns' || step.step === 'review') return step.source;
  return step.step === 'running' || step.step === 'ended' ? step.reviewed : undefined;
}
