import { ActionIcon, Button } from '@mantine/core';
import type { Message, MessageFile } from '@pressel/contract/chat';
import {
  IconAlertTriangle,
  IconClock,
  IconDownload,
  IconEyeCheck,
  IconLoader2,
  IconPhotoOff,
  IconTrash,
  type TablerIcon,
} from '@tabler/icons-react';
import { useState } from 'react';
import { ApiError } from '#src/shared/api/api-error.ts';
import { formatDay } from '#src/shared/format/format.ts';
import { useErrorWords, useLanguage, useTranslation } from '#src/shared/i18n/use-translation.tsx';
import { useSnapshot } from '#src/shared/use-snapshot.ts';
import { useChat } from './chat-context.tsx';
import { MessageHead, MessageText, useRowPartId, useRowTab } from './message-parts.tsx';
import type { MessageRow } from './message-rows.ts';
import styles from './messages.module.css';
import type { OutboxEntry } from './outbox.ts';
import { thumbnailBox } from './row-heights.ts';
import { useObjectUrl } from './unsent-messages.tsx';

export interface RowActs {
  onDelete: (message: Message) => void;
  /** For administrators. */
  onReaders: ((message: Message) => void) | undefined;
  /** Whether names link to the log. */
  hasLog: boolean;
  onOpen: (message: Message) => void;
  onStale: (message: Message) => void;
  /** Which messages the user may delete: 'all' or only their own. */
  canDelete: 'all' | 'own';
}

/** One line of the list. */
export function MessageLine({ row, acts }: { row: MessageRow; acts: RowActs }) {
  switch (row.kind) {
    case 'day':
      return <DayLine at={row.at} />;
    case 'new':
      return <NewLine />;
    case 'pending':
      return <PendingRow entry={row.entry} isHead={row.isHead} />;
    case 'message':
      return <StoredMessage row={row} acts={acts} />;
    default:
      return row satisfies never;
  }
}

function DayLine({ at }: { at: number }) {
  const { current } = useLanguage();
  return (
    <p className={styles.day}>
      <span>{formatDay(at, current)}</span>
    </p>
  );
}

function NewLine() {
  const { t } = useTranslation('chat');
  return (
    <p className={styles.new} data-new-line="">
      <span>{t('new')}</span>
    </p>
  );
}

function StoredMessage({ row, acts }: { row: Extract<MessageRow, { kind: 'message' }>; acts: RowActs }) {
  const { message, isOwn, isHead } = row;
  const { file, textMsg } = message;
  const wordsId = useRowPartId('words');
  return (
    <div className={styles.message} data-own={isOwn || undefined} data-message={message.number}>
      {isHead && (
        <MessageHead
          name={isOwn ? undefined : message.user.display_name}
          at={message.createdAt}
          isUnderDay
          log={acts.hasLog ? { by: message.userId, channel: message.channelId } : undefined}
        />
      )}
      <div className={styles.line}>
        <div className={styles.content} id={wordsId}>
          {file !== null && <MessageImage message={message} file={file} onOpen={acts.onOpen} onStale={acts.onStale} />}
          {textMsg !== '' && <MessageText text={textMsg} />}
        </div>
        <MessageActs message={message} wordsId={wordsId} isOwn={isOwn} acts={acts} />
      </div>
    </div>
  );
}

interface MessageActsProps {
  message: Message;
  /** The element whose text identifies the message. */
  wordsId: string | undefined;
  isOwn: boolean;
  acts: RowActs;
}

function MessageActs({ message, wordsId, isOwn, acts }: MessageActsProps) {
  const { t } = useTranslation('chat');
  const tab = useRowTab();
  const { file } = message;
  const { onReaders, onDelete } = acts;
  const canDelete = isOwn || acts.canDelete === 'all';
  return (
    <span className={styles.acts}>
      {onReaders && (
        <ActionIcon
          variant="subtle"
          className={styles.act}
          tabIndex={tab}
          data-quiet=""
          aria-label={t('row.readers')}
          aria-describedby={wordsId}
          title={t('row.readers')}
          onClick={() => onReaders(message)}
        >
          <IconEyeCheck size={16} aria-hidden="true" />
        </ActionIcon>
      )}
      {file !== null && (
        <ActionIcon
          component="a"
          variant="subtle"
          className={styles.act}
          tabIndex={tab}
          href={file.path}
          download={file.fileName}
          aria-label={t('row.download', { name: file.fileName })}
          title={t('row.download', { name: file.fileName })}
        >
          <IconDownload size={16} aria-hidden="true" />
        </ActionIcon>
      )}
      {canDelete && (
        <ActionIcon
          variant="subtle"
          className={styles.act}
          tabIndex={tab}
          aria-label={t('row.delete')}
          aria-describedby={wordsId}
          title={t('row.delete')}
          onClick={() => onDelete(message)}
        >
          <IconTrash size={16} aria-hidden="true" />
        </ActionIcon>
      )}
    </span>
  );
}

interface MessageImageProps {
  message: Message;
  file: MessageFile;
  onOpen: (message: Message) => void;
  /** The image could not be loaded: the address may have expired. */
  onStale: (message: Message) => void;
}

/** The thumbnail of an image, which opens it. Its space is reserved until it is loaded. */
function MessageImage({ message, file, onOpen, onStale }: MessageImageProps) {
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

const ICONS: Record<OutboxEntry['state'], TablerIcon> = {
  waiting: IconClock,
  sending: IconLoader2,
  failed: IconAlertTriangle,
};

/** A message that the server has not confirmed: its content, its state, and its actions. */
function PendingRow({ entry, isHead }: { entry: OutboxEntry; isHead: boolean }) {
  return (
    <div className={styles.message} data-own="" data-pending={entry.state}>
      {isHead && <MessageHead name={undefined} at={new Date(entry.createdAt).toISOString()} isUnderDay />}
      <div className={styles.content} id={useRowPartId('words')}>
        {entry.image !== null && <PendingImage image={entry.image} />}
        {entry.text !== '' && <MessageText text={entry.text} />}
      </div>
      <PendingState entry={entry} />
    </div>
  );
}

function PendingState({ entry }: { entry: OutboxEntry }) {
  const { t } = useTranslation('chat');
  const outbox = useSnapshot(useChat());
  const small = { size: 'compact-xs', className: styles.small, tabIndex: useRowTab() } as const;
  const stateId = useRowPartId('state');
  const { state, clientId, progress, lack, isAside } = entry;
  const Icon = ICONS[state];
  const isUploading = state === 'sending' && progress !== undefined;
  return (
    <div className={styles.pending}>
      <span className={styles.state} id={stateId}>
        <Icon size={14} aria-hidden="true" />
        <span>
          {isUploading ? t('pending.progress', { percent: Math.round(progress * 100) }) : t(`pending.${state}`)}
        </span>
      </span>
      {isUploading && <progress className={styles.progress} value={progress} aria-label={t('pending.sending')} />}
      {state === 'waiting' && isAside && <span className={styles.reason}>{t('pending.aside')}</span>}
      <FailureWords entry={entry} />
      {lack !== undefined && <span className={styles.alone}>{t('pending.alone')}</span>}
      {state === 'failed' && (
        <Button variant="default" {...small} onClick={() => outbox?.retry(clientId)}>
          {t('pending.retry')}
        </Button>
      )}
      {(state !== 'sending' || isUploading) && (
        <Button variant="subtle" {...small} onClick={() => outbox?.discard(clientId)}>
          {t(isUploading ? 'pending.cancel' : 'pending.discard')}
        </Button>
      )}
    </div>
  );
}

function FailureWords({ entry }: { entry: OutboxEntry }) {
  const words = useErrorWords();
  if (entry.failure === null) return null;
  return <span className={styles.reason}>{words(new ApiError(entry.failure))}</span>;
}

function PendingImage({ image }: { image: NonNullable<OutboxEntry['image']> }) {
  const url = useObjectUrl(image.blob);
  const box = thumbnailBox(image.width, image.height);
  return (
    <span className={styles.image} style={{ width: box.width, aspectRatio: `${box.width} / ${box.height}` }}>
      {url !== undefined && <img src={url} alt={image.name} {...box} />}
    </span>
  );
}
