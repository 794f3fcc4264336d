import { Button } from '@mantine/core';
import { IconHistory } from '@tabler/icons-react';
import { useEffect, useEffectEvent } from 'react';
import { useLanguage, useTranslation } from '#src/shared/i18n/use-translation.tsx';
import { ConfirmDialog } from '#src/shared/ui/confirm-dialog.tsx';
import styles from '../transfer.module.css';
import type { ImportDraft } from './import-drafts.ts';

export interface DraftOfferProps {
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

export interface ReplaceDraftProps {
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
