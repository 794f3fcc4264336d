import { ActionIcon } from '@mantine/core';
import type { Message } from '@pressel/contract/chat';
import { IconDownload, IconEyeCheck, IconTrash } from '@tabler/icons-react';
import { formatDay } from '#src/shared/format/format.ts';
import { useLanguage, useTranslation } from '#src/shared/i18n/use-translation.tsx';
import { useRowPartId, useRowTab } from './current-row.tsx';
import { MessageHead } from './message-head.tsx';
import { MessageImage } from './message-image.tsx';
import type { MessageRow } from './message-rows.ts';
import { MessageText } from './message-text.tsx';
import styles from './messages.module.css';
import { PendingRow } from './pending-row.tsx';

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
