import { useBlocker } from '@tanstack/react-router';
import { useTranslation } from '#src/shared/i18n/use-translation.tsx';
import { ConfirmDialog } from '#src/shared/ui/confirm-dialog.tsx';

/** Asks before the user leaves a page with unsaved work. */
export function LeaveGuard({ isUnsaved }: { isUnsaved: boolean }) {
  const { t } = useTranslation('shared');
  const leaving = useBlocker({
    shouldBlockFn: () => isUnsaved,
    enableBeforeUnload: () => isUnsaved,
    withResolver: true,
    disabled: !isUnsaved,
  });
  return (
    <ConfirmDialog
      isOpen={leaving.status === 'blocked'}
      title={t('unsaved.title')}
      confirmLabel={t('unsaved.discard')}
      cancelLabel={t('unsaved.stay')}
      onConfirm={() => leaving.proceed?.()}
      onCancel={() => leaving.reset?.()}
    >
      {t('unsaved.text')}
    </ConfirmDialog>
  );
}
