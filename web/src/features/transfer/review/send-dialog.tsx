import { Checkbox } from '@mantine/core';
import { verifyPassword } from '@pressel/contract/auth';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { PasswordField } from '#src/shared/forms/password-field.tsx';
import { useErrorWords } from '#src/shared/i18n/error-words.ts';
import { useTranslation } from '#src/shared/i18n/use-translation.tsx';
import { useApi } from '#src/shared/services.tsx';
import { ConfirmDialog } from '#src/shared/ui/confirm-dialog.tsx';
import { InlineError } from '#src/shared/ui/notice.tsx';
import type { ImportKind } from '../import-kinds.ts';
import styles from '../transfer.module.css';

export interface SendDialogProps {
  isOpen: boolean;
  kind: ImportKind;
  counts: {
    good: number;
    /** Rows that aren't sent. */
    left: number;
    /** Good rows that the file calls administrators. */
    admins: number;
    /** Good rows with a generated password. */
    made: number;
  };
  onSend: (withAdmins: boolean) => void;
  onCancel: () => void;
}

/** Asks before the rows are sent. Creating administrators takes an explicit choice and the user's own password (IMP18). */
export function SendDialog({ isOpen, kind, counts, onSend, onCancel }: SendDialogProps) {
  const { t } = useTranslation('transfer');
  const { t: shared } = useTranslation('shared');
  const words = useErrorWords();
  const api = useApi();
  const [withAdmins, setWithAdmins] = useState(false);
  const [password, setPassword] = useState('');
  const proof = useMutation({
    mutationFn: () => api.call(verifyPassword, { password }),
  });
  const [isTried, setTried] = useState(false);
  const isWrong = isTried && password === '' && !proof.isPending;
  // The rows may have lost their administrators since the box was ticked.
  const asAdmins = withAdmins && counts.admins > 0;
  // Called unless the user cancelled meanwhile.
  const onSuccess = ({ result }: { result: boolean }): void => {
    setPassword('');
    if (result) onSend(true);
  };
  return (
    <ConfirmDialog
      isOpen={isOpen}
      title={t('sure.title')}
      confirmLabel={t('sure.confirm')}
      cancelLabel={shared('cancel')}
      isBusy={proof.isPending}
      onCancel={() => {
        setWithAdmins(false);
        setPassword('');
        setTried(false);
        proof.reset();
        onCancel();
      }}
      onConfirm={() => {
        if (!asAdmins) onSend(false);
        else {
          setTried(true);
          if (password !== '') proof.mutate(undefined, { onSuccess });
        }
      }}
    >
      <p>{t(`sure.${kind}`, { count: counts.good })}</p>
      {counts.left > 0 && <p className={styles.dim}>{t('sure.left', { count: counts.left })}</p>}
      {counts.made > 0 && <p>{t('sure.made')}</p>}
      {counts.admins > 0 && (
        <div className={styles.sureAdmins}>
          <Checkbox
            label={t('sure.admins', { count: counts.admins })}
            description={t('sure.adminsText')}
            checked={withAdmins}
            onChange={(event) => setWithAdmins(event.currentTarget.checked)}
          />
          {withAdmins && (
            <PasswordField
              label={t('sure.password')}
              autoComplete="current-password"
              value={password}
              error={isWrong ? t('sure.wrong') : undefined}
              onChange={setPassword}
            />
          )}
          {proof.isError && <InlineError>{words(proof.error)}</InlineError>}
        </div>
      )}
    </ConfirmDialog>
  );
}
