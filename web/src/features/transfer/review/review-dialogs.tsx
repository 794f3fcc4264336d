import { Checkbox } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { verifyPassword } from '@pressel/contract/auth';
import { createMultipleChannels } from '@pressel/contract/transfer';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { PasswordField } from '#src/shared/forms/password-field.tsx';
import { useErrorWords, useTranslation } from '#src/shared/i18n/use-translation.tsx';
import { useApi } from '#src/shared/services.tsx';
import { ConfirmDialog } from '#src/shared/ui/confirm-dialog.tsx';
import { InlineError } from '#src/shared/ui/notice.tsx';
import type { ImportKind } from '../sheet/import-kinds.ts';
import styles from '../transfer.module.css';

interface SendDialogProps {
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

interface MakeChannelsProps {
  /** The names to create; empty while nothing is asked. */
  names: readonly string[];
  /** Called with the names that exist now. */
  onMade: (names: readonly string[]) => void;
  onCancel: () => void;
}

/** Creates channels that rows name and the server doesn't have, before the rows are sent (IMP30). */
export function MakeChannels({ names, onMade, onCancel }: MakeChannelsProps) {
  const { t } = useTranslation('transfer');
  const { t: shared } = useTranslation('shared');
  const words = useErrorWords();
  const api = useApi();
  const queries = useQueryClient();
  const making = useMutation({
    mutationFn: () => api.call(createMultipleChannels, { channelData: names.map((name) => ({ name })) }),
    onSuccess({ rejectedChannels }) {
      const refused = new Set(rejectedChannels.map(({ row }) => row));
      onMade(names.filter((_, index) => !refused.has(index + 1)));
      void queries.invalidateQueries();
    },
    onError(error) {
      notifications.show({ title: t('make.failed'), message: words(error) });
      onCancel();
    },
  });
  return (
    <ConfirmDialog
      isOpen={names.length > 0}
      title={t('make.title', { count: names.length })}
      confirmLabel={t('make.confirm')}
      cancelLabel={shared('cancel')}
      isBusy={making.isPending}
      onConfirm={() => making.mutate()}
      onCancel={onCancel}
    >
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: must be scrollable by keyboard */}
      <ul className={styles.list} tabIndex={0} aria-label={t('title.channels')}>
        {names.map((name) => (
          <li key={name} className={styles.item}>
            <bdi className={styles.itemName}>{name}</bdi>
          </li>
        ))}
      </ul>
      <p className={styles.dim}>{t('make.text')}</p>
    </ConfirmDialog>
  );
}
