import type { Message, MessageFile } from '@pressel/contract/chat';
import { IconPhotoOff } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from '#src/shared/i18n/use-translation.tsx';
import { useRowTab } from './current-row.tsx';
import styles from './messages.module.css';
import { thumbnailBox } from './thumbnail.ts';

export interface MessageImageProps {
  message: Message;
  file: MessageFile;
  onOpen: (message: Message) => void;
  /** The image could not be loaded: the address may have expired. */
  onStale: (message: Message) => void;
}

/** The thumbnail of an image, which opens it. Its space is reserved until it is loaded. */
export function MessageImage({ message, file, onOpen, onStale }: MessageImageProps) {
  const { t } = useTranslation('chat');
  // The path that failed: a fresh one is tried again.
  const [failed, setFailed] = useState<string>();
  const tab = useRowTab();
  const box = thumbnailBox(file.width, file.height);
  const isBroken = failed === file.thumbnailPath;
  return (
    <button
      type="button"
      tabIndex={tab}
      className={styles.image}
      style={{ width: box.width, aspectRatio: `${box.width} / ${box.height}` }}
      aria-label={t('row.open', { name: file.fileName })}
      onClick={() => {
        // The cause of the failure may be over.
        setFailed(undefined);
        onOpen(message);
      }}
    >
      {isBroken ? (
        <span className={styles.broken}>
          <IconPhotoOff size={20} aria-hidden="true" />
          <span>{t('row.broken')}</span>
        </span>
      ) : (
        <img
          src={file.thumbnailPath}
          alt={file.fileName}
          {...box}
          decoding="async"
          onError={() => {
            setFailed(file.thumbnailPath);
            onStale(message);
          }}
        />
      )}
    </button>
  );
}
