import { type GuestLink, withdrawGuestLink } from '@pressel/contract/guests';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useErrorWords } from '#src/shared/i18n/error-words.ts';
import { useTranslation } from '#src/shared/i18n/use-translation.tsx';
import { useApi } from '#src/shared/services.tsx';
import { ConfirmDialog } from '#src/shared/ui/confirm-dialog.tsx';
import { InlineError } from '#src/shared/ui/notice.tsx';
import styles from './guests.module.css';
import { guestLinksKey } from './guests.queries.ts';

export interface WithdrawDialogProps {
  link: GuestLink;
  isOpen: boolean;
  onClose: () => void;
  /** Called when the dialog has left the screen: the caller can give the focus back. */
  onClosed: () => void;
}

/** Confirms the withdrawal of a link, and tells how many guests it removes. */
export function WithdrawDialog({ link, isOpen, onClose, onClosed }: WithdrawDialogProps) {
  const { t } = useTranslation('guests');
  const { t: shared } = useTranslation('shared');
  const api = useApi();
  const queries = useQueryClient();
  const words = useErrorWords();
  const withdraw = useMutation({
    mutationFn: () => api.call(withdrawGuestLink, { linkId: link.id }),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: guestLinksKey(link.channelId) });
      onClose();
    },
  });
  const count = link.guests.length;
  return (
    <ConfirmDialog
      isOpen={isOpen}
      isDestructive
      title={t('withdraw.title')}
      confirmLabel={t('withdraw.confirm')}
      cancelLabel={shared('cancel')}
      isBusy={withdraw.isPending}
      onConfirm={() => withdraw.mutate()}
      onCancel={onClose}
      onClosed={onClosed}
    >
      <p className={styles.question}>{t('withdraw.text', { name: link.name })}</p>
      <p className={styles.question}>{count === 0 ? t('withdraw.nobody') : t('withdraw.here', { count })}</p>
      {withdraw.isError && (
        <InlineError>
          {t('withdraw.failed')} {words(withdraw.error)}
        </InlineError>
      )}
    </ConfirmDialog>
  );
}
