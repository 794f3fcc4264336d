import { notifications } from '@mantine/notifications';
import { deleteUserTokens } from '@pressel/contract/auth';
import { deleteUser, type User } from '@pressel/contract/users';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { errorCodeOf } from '#src/shared/api/api-error.ts';
import { fullName } from '#src/shared/format/format.ts';
import { useErrorWords, useTranslation } from '#src/shared/i18n/use-translation.tsx';
import { USERS_KEY } from '#src/shared/lists/lists.queries.ts';
import { useApi, useUser } from '#src/shared/services.tsx';
import { ConfirmDialog } from '#src/shared/ui/confirm-dialog.tsx';
import { InlineError } from '#src/shared/ui/notice.tsx';
import styles from '../users.module.css';

/** The acts on one user that ask before they run. */
export type RowAct = 'delete' | 'disconnect';

interface QuestionProps {
  user: User;
  isOpen: boolean;
  onClose: () => void;
  /** Called when the dialog is gone from the screen, to give the focus back. */
  onClosed: () => void;
}

export interface UserActsDialogsProps extends QuestionProps {
  act: RowAct;
  onDeleted: (user: User) => void;
}

/** Asks, names the person, says what happens to the data they leave behind, and runs the act. */
export function UserActsDialogs({ act, onDeleted, ...question }: UserActsDialogsProps) {
  if (act === 'delete') return <DeleteDialog {...question} onDeleted={onDeleted} />;
  return <DisconnectDialog {...question} />;
}

function DeleteDialog({
  user,
  isOpen,
  onClose,
  onClosed,
  onDeleted,
}: QuestionProps & { onDeleted: (user: User) => void }) {
  const { t } = useTranslation('users');
  const { t: shared } = useTranslation('shared');
  const api = useApi();
  const queries = useQueryClient();
  const words = useErrorWords();
  const isSelf = useUser().id === user.id;
  const name = fullName(user);
  const remove = useMutation({
    mutationFn: () => api.call(deleteUser, { UserId: user.id }),
    onSuccess: async () => {
      notifications.show({ title: t('delete.done'), message: name });
      onDeleted(user);
      // Before the dialog closes, so that the row is gone when the focus looks for its place.
      await queries.invalidateQueries({ queryKey: USERS_KEY });
      onClose();
    },
    onError: () => queries.invalidateQueries({ queryKey: USERS_KEY }),
  });
  return (
    <ConfirmDialog
      isOpen={isOpen}
      title={t('delete.title')}
      confirmLabel={t('delete.confirm')}
      cancelLabel={shared('cancel')}
      isDestructive
      isBusy={remove.isPending}
      onConfirm={() => remove.mutate()}
      onCancel={onClose}
      onClosed={() => {
        remove.reset();
        onClosed();
      }}
    >
      <Fate question={t('delete.question', { name })} fate={t('delete.fate')} warning={isSelf && t('delete.self')} />
      {remove.isError && (
        <InlineError>
          {errorCodeOf(remove.error) === 'last_admin' ? (
            <>
              <strong>{t('failed.oops')}</strong> {t('delete.lastAdmin')}
            </>
          ) : (
            <>
              <strong>{t('failed.oops')}</strong> {t('failed.wrong')} {words(remove.error)} {t('failed.again')}
            </>
          )}
        </InlineError>
      )}
    </ConfirmDialog>
  );
}

function DisconnectDialog({ user, isOpen, onClose, onClosed }: QuestionProps) {
  const { t } = useTranslation('users');
  const { t: shared } = useTranslation('shared');
  const api = useApi();
  const words = useErrorWords();
  const isSelf = useUser().id === user.id;
  const name = fullName(user);
  const disconnect = useMutation({
    mutationFn: () => api.call(deleteUserTokens, { userId: user.id }),
    onSuccess: () => {
      notifications.show({ title: t('disconnect.done'), message: name });
      onClose();
    },
  });
  return (
    <ConfirmDialog
      isOpen={isOpen}
      title={t('disconnect.title')}
      confirmLabel={t('disconnect.confirm')}
      cancelLabel={shared('cancel')}
      isBusy={disconnect.isPending}
      onConfirm={() => disconnect.mutate()}
      onCancel={onClose}
      onClosed={() => {
        disconnect.reset();
        onClosed();
      }}
    >
      <Fate fate={t('disconnect.fate', { name })} warning={isSelf && t('disconnect.self')} />
      {disconnect.isError && (
        <InlineError>
          <strong>{t('disconnect.failed')}.</strong> {words(disconnect.error)}
        </InlineError>
      )}
    </ConfirmDialog>
  );
}

/** The question, the consequences, and a warning. */
export function Fate({ question, fate, warning }: { question?: string; fate: string; warning: ReactNode }) {
  return (
    <div className={styles.fate}>
      {question !== undefined && <p className={styles.question}>{question}</p>}
      <p>{fate}</p>
      {warning !== false && <p className={styles.warning}>{warning}</p>}
    </div>
  );
}
