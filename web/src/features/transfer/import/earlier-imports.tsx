import { Button } from '@mantine/core';
import { listImports } from '@pressel/contract/transfer';
import { IconHistory, IconLoader2 } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useEffect, useEffectEvent } from 'react';
import { useLanguage, useTranslation } from '#src/shared/i18n/use-translation.tsx';
import { useApi } from '#src/shared/services.tsx';
import { ConfirmDialog } from '#src/shared/ui/confirm-dialog.tsx';
import { IMPORT_PATHS, type ImportKind } from '../sheet/import-kinds.ts';
import styles from '../transfer.module.css';
import type { ImportDraft } from './import-drafts.ts';

interface FoundImportsProps {
  kind: ImportKind;
  onFollow: (importId: string) => void;
}

/** The user's own imports that another tab or device started. A running one is followed here too (IMP32). */
export function FoundImports({ kind, onFollow }: FoundImportsProps) {
  const { t } = useTranslation('transfer');
  const { current } = useLanguage();
  const api = useApi();
  const { data } = useQuery({
    queryKey: ['imports'],
    queryFn: ({ signal }) => api.call(listImports, {}, { signal }),
    gcTime: 0,
  });
  const found = data?.res ?? [];
  const running = found.find(({ state }) => state === 'running');
  const own = running?.kind === kind ? running.importId : undefined;
  useEffect(() => {
    if (own !== undefined) onFollow(own);
  }, [own, onFollow]);

  const ended = found.find((one) => one.kind === kind && one.endedAt !== null);
  if (running !== undefined && own === undefined) {
    return (
      <section className={styles.draft} aria-label={t('run.title')}>
        <IconLoader2 size={18} aria-hidden="true" />
        <p className={styles.draftText}>{t(`found.${running.kind}`)}</p>
        <Button variant="default" renderRoot={(props) => <Link to={IMPORT_PATHS[running.kind]} {...props} />}>
          {t('found.follow')}
        </Button>
      </section>
    );
  }
  if (ended === undefined) return null;
  const time = new Date(ended.endedAt ?? 0).toLocaleTimeString(current, { hour: '2-digit', minute: '2-digit' });
  return (
    <section className={styles.draft} aria-label={t('done.title')}>
      <IconHistory size={18} aria-hidden="true" />
      <p className={styles.draftText}>{t('found.ended', { time })}</p>
      <Button variant="default" onClick={() => onFollow(ended.importId)}>
        {t('found.result')}
      </Button>
    </section>
  );
}

interface DraftOfferProps {
  /** `isLost`: it was sent, and the server doesn't know of it. It is taken up without asking. */
  draft: ImportDraft & { isLost: boolean };
  onResume: () => void;
  onDiscard: () => void;
}

/**
 * Offers an import that was prepared on this device and not sent. A draft that was handed over, or lost on its way, is
 * taken up at once.
 */
export function DraftOffer({ draft, onResume, onDiscard }: DraftOfferProps) {
  const { t } = useTranslation('transfer');
  const what = useDraftWords();
  // Runs once for each draft: reading its file takes a while, during which this renders again.
  const resume = useEffectEvent(onResume);
  const isTakenUp = draft.isHandedOver || draft.isLost;
  useEffect(() => {
    if (isTakenUp) resume();
  }, [isTakenUp]);
  return (
    <section className={styles.draft} aria-label={t('draft.title')}>
      <IconHistory size={18} aria-hidden="true" />
      <p className={styles.draftText}>
        <strong>{t('draft.title')}</strong> <bdi>{what(draft)}</bdi>
      </p>
      <Button variant="default" onClick={onDiscard}>
        {t('draft.discard')}
      </Button>
      <Button onClick={onResume}>{t('draft.resume')}</Button>
    </section>
  );
}

interface ReplaceDraftProps {
  /** The draft that would be replaced; undefined while there is nothing to ask. */
  draft: ImportDraft | undefined;
  onAnswer: (isMeant: boolean) => void;
}

/** Asks before the file at hand replaces a draft that was not taken up. */
export function ReplaceDraft({ draft, onAnswer }: ReplaceDraftProps) {
  const { t } = useTranslation('transfer');
  const { t: shared } = useTranslation('shared');
  const what = useDraftWords();
  return (
    <ConfirmDialog
      isOpen={draft !== undefined}
      title={t('draft.replaceTitle')}
      confirmLabel={t('draft.replace')}
      cancelLabel={shared('cancel')}
      isDestructive
      onConfirm={() => onAnswer(true)}
      onCancel={() => onAnswer(false)}
    >
      {draft && (
        <p>
          <bdi>{what(draft)}</bdi>
        </p>
      )}
      <p>{t('draft.replaceText')}</p>
    </ConfirmDialog>
  );
}

/** Tells which draft it is: its file, rows and time. */
function useDraftWords(): (draft: ImportDraft) => string {
  const { t } = useTranslation('transfer');
  const { current } = useLanguage();
  return ({ savedAt, fileName, rows }) => {
    const time = new Date(savedAt).toLocaleTimeString(current, { hour: '2-digit', minute: '2-digit' });
    return t('draft.text', { name: fileName, count: rows?.length ?? 0, time });
  };
}
