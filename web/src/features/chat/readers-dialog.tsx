import { Modal } from '@mantine/core';
import { getMessageReaders, type Message } from '@pressel/contract/chat';
import { skipToken, useQuery } from '@tanstack/react-query';
import { formatMessageTime } from '#src/shared/format/format.ts';
import { useLanguage, useTranslation } from '#src/shared/i18n/use-translation.tsx';
import { useApi } from '#src/shared/services.tsx';
import { LoadError, RowsSkeleton } from '#src/shared/ui/load-states.tsx';
import styles from './messages-panel.module.css';
import { useLast } from './use-last.ts';

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
