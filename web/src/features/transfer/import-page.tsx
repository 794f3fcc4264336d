import { ActionIcon, Button, NativeSelect } from '@mantine/core';
import { IconArrowLeft, IconArrowsLeftRight } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { useTranslation } from '#src/shared/i18n/use-translation.tsx';
import { serverInfoQuery } from '#src/shared/server-origin.ts';
import { useApi } from '#src/shared/services.tsx';
import { InlineError, Notice } from '#src/shared/ui/notice.tsx';
import { Page } from '#src/shared/ui/page.tsx';
import { ChooseStep } from './import/choose-step.tsx';
import { ColumnsStep } from './import/columns-step.tsx';
import { DraftOffer, FoundImports, ReplaceDraft } from './import/earlier-imports.tsx';
import { ImportLeaveGuard } from './import/import-leave-guard.tsx';
import { madeOf, resultOf } from './import/import-run.ts';
import type { Reviewed, Source } from './import/import-source.ts';
import { MadePasswordsGuard, ResultStep } from './import/result-step.tsx';
import { NothingStored, RunStep } from './import/run-step.tsx';
import { type Import, type Step, useImport } from './import/use-import.ts';
import { ReviewStep } from './review/review-step.tsx';
import { IMPORT_PATHS, type ImportKind } from './sheet/import-kinds.ts';
import styles from './transfer.module.css';

/** The import, from choosing a file over the review to the result. Administrators only. */
export function ImportPage({ kind }: { kind: ImportKind }) {
  const { t } = useTranslation('transfer');
  const work = useImport(kind);
  const { step } = work;
  const info = useQuery(serverInfoQuery(useApi()));
  // 1 until the server's minimum is loaded; the server judges the rows again anyway.
  const passwordMinLength = info.data?.passwordMinLength ?? 1;

  // The focused element was unmounted with the previous step, so move the focus to the new one.
  const place = useRef<HTMLDivElement>(null);
  const isFirst = useRef(true);
  useEffect(() => {
    if (!isFirst.current && step.step !== 'choose') place.current?.focus();
    isFirst.current = false;
  }, [step.step]);

  const backTo = (reviewed: Reviewed | undefined) => reviewed && (() => work.toRows(reviewed));
  const fileName = sourceAt(step)?.fileName;
  return (
    <Page
      title={t(`title.${kind}`)}
      fact={fileName}
      isWide
      back={
        <ActionIcon
          variant="default"
          size="var(--control)"
          aria-label={t(`back.${kind}`)}
          title={t(`back.${kind}`)}
          renderRoot={(props) => <Link to={kind === 'users' ? '/usersList' : '/channelsList'} {...props} />}
        >
          <IconArrowLeft size={18} aria-hidden="true" />
        </ActionIcon>
      }
    >
      <div
        className={styles.page}
        ref={place}
        tabIndex={-1}
        // A reload would lead back to the choice of a file.
        data-unsaved={step.step === 'choose' ? undefined : ''}
      >
        {step.step === 'other' && <OtherKind kind={kind} source={step.source} work={work} />}
        {step.step === 'choose' && work.draft !== undefined && (
          <DraftOffer
            draft={work.draft}
            onResume={() => work.draft && void work.resume(work.draft)}
            onDiscard={() => work.draft && work.discard(work.draft.id)}
          />
        )}
        <ReplaceDraft draft={work.replacing?.draft} onAnswer={work.replace} />
        {step.step === 'choose' && <FoundImports kind={kind} onFollow={work.follow} />}
        {step.step === 'choose' && (
          <ChooseStep key={step.fault} kind={kind} read={work.read} fault={step.fault} onSheets={work.take} />
        )}
        {(step.step === 'columns' || step.step === 'review') && step.source.sheets.length > 1 && (
          <SheetSelect source={step.source} onChoose={(name) => work.chooseSheet(step.source, name)} />
        )}
        {step.step === 'columns' && (
          <ColumnsStep
            key={`${step.source.chosen.name} ${JSON.stringify(step.source.options)}`}
            kind={kind}
            source={step.source}
            onOptions={(options) => void work.reread(step.source, step.edited, options, false)}
            onMapping={(mapping) => work.remap(step.source, step.edited, mapping)}
            stopRereading={work.stopRereading}
          />
        )}
        {step.step === 'columns' && (
          <ImportLeaveGuard
            onKeep={() => work.keep(step.source, step.edited ?? null)}
            onDiscard={() => work.discard(step.source.id)}
          />
        )}
        {step.step === 'review' && step.isLost && <InlineError>{t('review.lost')}</InlineError>}
        {step.step === 'review' && (
          <ReviewStep
            key={step.version}
            kind={kind}
            source={step.source}
            rows={step.rows}
            passwordMinLength={passwordMinLength}
            work={work}
          />
        )}
        {step.step === 'running' && hasMade(step.reviewed) && <MadePasswordsGuard />}
        {step.step === 'running' && <RunStep kind={kind} run={step.run} isResumed={step.isResumed} onEnd={work.end} />}
        {step.step === 'ended' && step.end.end === 'stored' && (
          <ResultStep
            kind={kind}
            result={resultOf(kind, step.reviewed?.judged ?? [], step.end.outcome)}
            passwordMinLength={passwordMinLength}
            made={madeOf(step.reviewed?.judged ?? [], step.end.outcome)}
            // Rows sent from there are another import.
            onRows={backTo(step.reviewed && { ...step.reviewed, sent: undefined })}
            onAnother={() => work.startOver()}
          />
        )}
        {step.step === 'ended' && step.end.end !== 'stored' && (
          <NothingStored end={step.end} onRows={backTo(step.reviewed)} onAnother={() => work.startOver()} />
        )}
      </div>
    </Page>
  );
}

function SheetSelect({ source, onChoose }: { source: Source; onChoose: (name: string) => void }) {
  const { t } = useTranslation('transfer');
  const options = source.sheets.map(({ name, isHidden }) => ({
    value: name,
    label: isHidden ? t('columns.hiddenSheet', { name }) : name,
  }));
  return (
    <NativeSelect
      label={t('columns.sheet')}
      value={source.chosen.name}
      data={options}
      onChange={(event) => onChoose(event.currentTarget.value)}
    />
  );
}

const hasMade = (reviewed: Reviewed | undefined): boolean =>
  reviewed?.judged.some(({ notes }) => notes?.password === 'made') ?? false;

function sourceAt(step: Step): Source | undefined {
  if (step.step === 'other' || step.step === 'columns' || step.step === 'review') return step.source;
  return step.step === 'running' || step.step === 'ended' ? step.reviewed : undefined;
}

interface OtherKindProps {
  kind: ImportKind;
  source: Source;
  work: Import;
}

/** The file looks like one for the other import: offers to take it there. */
function OtherKind({ kind, source, work }: OtherKindProps) {
  const { t } = useTranslation('transfer');
  const navigate = useNavigate();
  const other = kind === 'users' ? 'channels' : 'users';
  return (
    <Notice
      icon={IconArrowsLeftRight}
      title={t(`kind.${other}`)}
      acts={
        <>
          <Button variant="default" onClick={() => work.settleKind(source)}>
            {t('kind.keep')}
          </Button>
          <Button onClick={() => void work.handOver(source, other, () => void navigate({ to: IMPORT_PATHS[other] }))}>
            {t('kind.other')}
          </Button>
        </>
      }
    />
  );
}
