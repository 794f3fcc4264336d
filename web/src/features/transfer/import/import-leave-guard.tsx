import { Button } from '@mantine/core';
import { useBlocker } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { useTranslation } from '#src/shared/i18n/use-translation.tsx';
import { useSession } from '#src/shared/services.tsx';
import { ConfirmDialog } from '#src/shared/ui/confirm-dialog.tsx';
import styles from '../transfer.module.css';

export interface ImportLeaveGuardProps {
  /** @returns false when the device can't keep it */
  onKeep: () => Promise<boolean>;
  onDiscard: () => void;
}

/** Asks before the user leaves an import that wasn't sent: keep it on the device, or discard it (IMP28). */
export function ImportLeaveGuard({ onKeep, onDiscard }: ImportLeaveGuardProps) {
  const { t } = useTranslation('transfer');
  const session = useSession();
  const [isKept, setKept] = useState(true);
  const leaving = useBlocker({
    async shouldBlockFn({ current, next }) {
      if (current.pathname === next.pathname || session.getSnapshot().state !== 'signedIn') return false;
      setKept(await onKeep());
      return true;
    },
    enableBeforeUnload: false,
    withResolver: true,
  });
  return (
    <ConfirmDialog
      isOpen={leaving.status === 'blocked'}
      title={t('leave.title')}
      confirmLabel={isKept ? t('leave.keep') : t('leave.lose')}
      cancelLabel={t('leave.stay')}
      isDestructive={!isKept}
      onConfirm={() => leaving.proceed?.()}
      onCancel={() => leaving.reset?.()}
    >
      <p>{isKept ? t('leave.text') : t('leave.notKept')}</p>
      {isKept && (
        <Button
          variant="subtle"
          color="fault"
          className={styles.discard}
          onClick={() => {
            onDiscard();
            leaving.proceed?.();
          }}
        >
          {t('leave.discard')}
        </Button>
      )}
    </ConfirmDialog>
  );
}

/** Makes the browser confirm closing or reloading the page. */
export function useBeforeUnload(isAsking: boolean): void {
  useEffect(() => {
    if (!isAsking) return;
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener('beforeunload', ask);
    return () => window.removeEventListener('beforeunload', ask);
  }, [isAsking]);
}
