import { notifications } from '@mantine/notifications';
import { deleteMessage, type Message, type MessageId } from '@pressel/contract/chat';
import { useMutation } from '@tanstack/react-query';
import { errorCodeOf } from '#src/shared/api/api-error.ts';
import { useErrorWords } from '#src/shared/i18n/error-words.ts';
import { useTranslation } from '#src/shared/i18n/use-translation.tsx';
import { useApi } from '#src/shared/services.tsx';
import { ConfirmDialog } from '#src/shared/ui/confirm-dialog.tsx';
import { InlineError } from '#src/shared/ui/notice.tsx';
import styles from './messages-panel.module.css';
import { useLast } from './use-last.ts';

export interface DeleteMessageDialogProps {
  message: Message | undefined;
  isOwn: boolean;
  onDeleted: (id: MessageId) => void;
  onClose: () => void;
  /** Called when the dialog has left the screen: the caller can give the focus back. */
  onClosed: () => void;
}

/** Asks before a message is deleted for everybody. */
export function DeleteMessageDialog({ message, isOwn, onDeleted, onClose, onClosed }: DeleteMessageDialogProps) {
  const { t } = useTranslation('chat');
  const { t: shared } = useTranslation('shared');
  const api = useApi();
  const words = useErrorWords();
  // The dialog keeps its text while it closes.
  const shown = useLast(message);
  const finish = (id: MessageId) => {
    onDeleted(id);
    remove.reset();
    onClose();
  };
  const remove = useMutation({
    mutationFn: (id: MessageId) => api.call(deleteMessage, { msgId: id }),
    onSuccess: (_, id) => {
      notifications.show({ message: t('delete.done') });
      finish(id);
    },
    onError: (error, id) => {
      // Somebody else deleted it.
      if (errorCodeOf(error) === 'not_found') finish(id);
    },
  });
  return (
    <ConfirmDialog
      isOpen={message !== undefined}
      title={t('delete.title')}
      confirmLabel={t('delete.confirm')}
      cancelLabel={shared('cancel')}
      isDestructive
      isBusy={remove.isPending}
      onClosed={onClosed}
      onConfirm={() => message && remove.mutate(message.id)}
      onCancel={() => {
        remove.reset();
        onClose();
      }}
    >
      {shown && <DeletedWords message={shown} isOwn={isOwn} />}
      {remove.isError && (
        <InlineError>
          <strong>{t('delete.oops')}</strong> <span>{t('delete.wrong')}</span> <span>{t('delete.again')}</span>{' '}
          <span>{words(remove.error)}</span>
        </InlineError>
      )}
    </ConfirmDialog>
  );
}

function DeletedWords({ message, isOwn }: { message: Message; isOwn: boolean }) {
  const { t } = useTranslation('chat');
  const name = message.user.display_name;
  const hasImage = message.file !== null;
  return (
    <>
      <p>
        {isOwn
          ? t(hasImage ? 'delete.ownImage' : 'delete.own')
          : t(hasImage ? 'delete.otherImage' : 'delete.other', { name })}
      </p>
      {message.textMsg !== '' && (
        <blockquote className={styles.quote} dir="auto">
          {message.textMsg}
        </blockquote>
      )}
    </>
  );
}
