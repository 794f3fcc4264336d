import { ActionIcon, Modal } from '@mantine/core';
import type { Message } from '@pressel/contract/chat';
import { IconDownload } from '@tabler/icons-react';
import { useTranslation } from '#src/shared/i18n/use-translation.tsx';
import styles from './image-dialogs.module.css';
import { MessageText } from './message-text.tsx';
import { useLast } from './use-last.ts';

export interface ImageViewerProps {
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
      classNames={{ content: styles.viewer ?? '', body: styles.viewerBody ?? '', title: styles.viewerTitle ?? '' }}
      closeButtonProps={{ 'aria-label': shared('close') }}
    >
      {shown && file && (
        <>
          <img
            className={styles.full}
            src={file.path}
            alt={file.fileName}
            width={file.width}
            height={file.height}
            style={{ aspectRatio: `${file.width} / ${file.height}` }}
            onError={() => onStale(shown)}
          />
          <div className={styles.viewerFoot}>
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
