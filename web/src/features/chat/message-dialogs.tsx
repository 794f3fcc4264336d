import { ActionIcon, Modal } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { deleteMessage, getMessageReaders, type Message, type MessageId } from '@pressel/contract/chat';
import { IconDownload } from '@tabler/icons-react';
import { skipToken, useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { errorCodeOf } from '#src/shared/api/api-error.ts';
import { formatMessageTime } from '#src/shared/format/format.ts';
import { useErrorWords, useLanguage, useTranslation } from '#src/shared/i18n/use-translation.tsx';
import { useApi } from '#src/shared/services.tsx';
import { ConfirmDialog } from '#src/shared/ui/confirm-dialog.tsx';
import { LoadError, RowsSkeleton } from '#src/shared/ui/load-states.tsx';
import { InlineError } from '#src/shared/ui/notice.tsx';
import imageDialogsStyles from './image-dialogs.module.css';
import { MessageText } from './message-parts.tsx';
import styles from './messages-panel.module.css';

/** For administrators: lists who had a message on the screen, and when. */
export function ReadersDialog({ message, onClose }: { message: Message | undefined; onClose: () => void }) {
  const { t } = useTranslation('chat');
  const { t: shared } = useTranslation('shared');
  const shown = useLast(message);
  return (
    <Modal
      opened={message !== undefined}
      onClose={onClose}
      title={t('readers.title')}
      size="sm"
      centered
      closeButtonProps={{ 'aria-label': shared('close') }}
    >
      {shown && <Readers message={shown} />}
    </Modal>
  );
}

function Readers({ message }: { message: Message }) {
  const { t } = useTranslation('chat');
  const { current } = useLanguage();
  const api = useApi();
  const readers = useQuery({
    queryKey: ['messages', message.channelId, 'readers', message.id],
    queryFn: message ? ({ signal }) => api.call(getMessageReaders, { msgId: message.id }, { signal }) : skipToken,
    staleTime: 0,
  });
  if (readers.isError) return <LoadError error={readers.error} onRetry={() => void readers.refetch()} />;
  if (readers.isPending) return <RowsSkeleton rows={3} />;
  const { res, memberCount } = readers.data;
  if (res.length === 0) return <p>{t('readers.none')}</p>;
  return (
    <>
      <p className={styles.count}>{t('readers.count', { count: res.length, total: memberCount })}</p>
      <ul className={styles.readers}>
        {res.map((reader) => (
          <li key={reader.userId}>
            <bdi className={styles.reader}>{reader.display_name}</bdi>
            <time dateTime={reader.readAt}>{formatMessageTime(reader.readAt, current)}</time>
          </li>
        ))}
      </ul>
    </>
  );
}

interface ImageViewerProps {
  message: Message | undefined;
  /** The image could not be loaded: its address may have expired. */
  onStale: (message: Message) => void;
  onClose: () => void;
  /** Called when the viewer has left the screen, and the focus is back where it came from, if that is still there. */
  onClosed: () => void;
}

/** An image as large as the screen, with its words. */
export function ImageViewer({ message, onStale, onClose, onClosed }: ImageViewerProps) {
  const { t } = useTranslation('chat');
  const { t: shared } = useTranslation('shared');
  const shown = useLast(message);
  const file = shown?.file;
  return (
    <Modal
      opened={message !== undefined}
      onClose={onClose}
      onExitTransitionEnd={onClosed}
      fullScreen
      title={<bdi title={file?.fileName}>{file?.fileName}</bdi>}
      classNames={{
        content: imageDialogsStyles.viewer ?? '',
        body: imageDialogsStyles.viewerBody ?? '',
        title: imageDialogsStyles.viewerTitle ?? '',
      }}
      closeButtonProps={{ 'aria-label': shared('close') }}
    >
      {shown && file && (
        <>
          <img
            className={imageDialogsStyles.full}
            src={file.path}
            alt={file.fileName}
            width={file.width}
            height={file.height}
            style={{ aspectRatio: `${file.width} / ${file.height}` }}
            onError={() => onStale(shown)}
          />
          <div className={imageDialogsStyles.viewerFoot}>
            {shown.textMsg !== '' && <MessageText text={shown.textMsg} />}
            <ActionIcon
              component="a"
              variant="default"
              size="lg"
              href={file.path}
              download={file.fileName}
              aria-label={t('row.download', { name: file.fileName })}
              title={t('row.download', { name: file.fileName })}
            >
              <IconDownload size={18} aria-hidden="true" />
            </ActionIcon>
          </div>
        </>
      )}
    </Modal>
  );
}

interface DeleteMessageDialogProps {
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

/** Returns the last defined value: a dialog shows it until it is closed. */
function useLast<T>(value: T | undefined): T | undefined {
  const [last, setLast] = useState(value);
  if (value !== undefined && value !== last) setLast(value);
  return value ?? last;
}
