import { Button } from '@mantine/core';
import { IconAlertTriangle, IconClock, IconLoader2, type TablerIcon } from '@tabler/icons-react';
import { ApiError } from '#src/shared/api/api-error.ts';
import { useErrorWords } from '#src/shared/i18n/error-words.ts';
import { useTranslation } from '#src/shared/i18n/use-translation.tsx';
import { useSnapshot } from '#src/shared/use-snapshot.ts';
import { useChat } from './chat-context.tsx';
import { useRowPartId, useRowTab } from './current-row.tsx';
import { MessageHead } from './message-head.tsx';
import { MessageText } from './message-text.tsx';
import styles from './messages.module.css';
import type { OutboxEntry } from './outbox.ts';
import { thumbnailBox } from './thumbnail.ts';
import { useObjectUrl } from './use-object-url.ts';

const ICONS: Record<OutboxEntry['state'], TablerIcon> = {
  waiting: IconClock,
  sending: IconLoader2,
  failed: IconAlertTriangle,
};

/** A message that the server has not confirmed: its content, its state, and its actions. */
export function PendingRow({ entry, isHead }: { entry: OutboxEntry; isHead: boolean }) {
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
