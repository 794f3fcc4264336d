import { Button } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import type { Message } from '@pressel/contract/chat';
import type { ChannelId } from '@pressel/contract/ids';
import { IconArrowDown, IconMessages } from '@tabler/icons-react';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from '#src/shared/i18n/use-translation.tsx';
import { useUser } from '#src/shared/services.tsx';
import { LoadError, RowsSkeleton } from '#src/shared/ui/load-states.tsx';
import { Notice } from '#src/shared/ui/notice.tsx';
import { useSnapshot } from '#src/shared/use-snapshot.ts';
import { BacklogBar, ReadDay } from './backlog-bar.tsx';
import { useOutboxSnapshot } from './chat-context.tsx';
import type { Conversation } from './conversation.ts';
import { DeleteMessageDialog } from './delete-message-dialog.tsx';
import { ImageViewer } from './image-viewer.tsx';
import type { FeedSnapshot, MessageFeed } from './message-feed.ts';
import { MessageList } from './message-list.tsx';
import { messageRows } from './message-rows.ts';
import { isDeleted } from './message-window.ts';
import styles from './messages-panel.module.css';
import { LOOK_MS } from './read-tracker.ts';
import { ReadersDialog } from './readers-dialog.tsx';
import type { Sight } from './row-heights.ts';

export interface MessageBodyProps {
  conversation: Conversation | undefined;
  channelId: ChannelId;
}

/** The list of messages in each of its states. */
export function MessageBody({ conversation, channelId }: MessageBodyProps) {
  if (conversation === undefined) return <RowsSkeleton rows={6} />;
  return <OpenMessages key={channelId} conversation={conversation} channelId={channelId} />;
}

function OpenMessages({ conversation, channelId }: { conversation: Conversation; channelId: ChannelId }) {
  const { t } = useTranslation('chat');
  const { feed } = conversation;
  const snapshot = useSnapshot(feed);
  const place = useRef<HTMLDivElement>(null);
  const opener = useRef<Element>(null);
  const user = useUser();
  const { entries } = useOutboxSnapshot();
  const [isAtEnd, setAtEnd] = useState(true);
  const [deleting, setDeleting] = useState<Message>();
  const [reading, setReading] = useState<Message>();
  const [viewed, setViewed] = useState<Message>();
  const [sight, setSight] = useState<Sight>();
  const { state, window, backlog, heads } = snapshot;
  const isAdmin = user.role === 'admin';
  const own = entries.filter((entry) => entry.channelId === channelId);
  const rows = messageRows({ window, entries: own, userId: user.id, newAfter: backlog?.after, heads });

  // Messages also leave the window when others come: the image stays until it is closed or deleted.
  const viewedNow = window.messages.find(({ id }) => id === viewed?.id) ?? viewed;
  const isViewedGone = viewed !== undefined && isDeleted(window, viewed);
  useEffect(() => {
    // The image closes while the user looks at it: tell them why.
    if (isViewedGone) notifications.show({ message: t('delete.done') });
  }, [isViewedGone, t]);

  const isLineShown = sight?.isLineShown === true;
  useEffect(() => {
    if (!isLineShown) return undefined;
    // A row that scrolls past is not seen, and rows that are not measured yet may be elsewhere.
    const timer = setTimeout(feed.endBacklog, LOOK_MS);
    return () => clearTimeout(timer);
  }, [isLineShown, feed]);

  /**
   * Returns the focus to the button that opened a dialog; if the button is gone with its message, to the nearest
   * message.
   */
  const focusBack = (button: Element | null) => {
    const nearest = place.current?.querySelector<HTMLElement>('[data-message-stop]');
    if (button instanceof HTMLElement && button.isConnected) button.focus();
    else nearest?.focus();
  };

  if (state === 'failed' && rows.length === 0) return <LoadError error={snapshot.error} onRetry={feed.retry} />;
  if (state === 'loading' && rows.length === 0) return <RowsSkeleton rows={6} />;
  if (rows.length === 0) return <NoMessages />;
  return (
    <div className={styles.open} ref={place}>
      <MessageList
        rows={rows}
        feed={feed}
        target={snapshot.target}
        acts={{
          onDelete: (message) => {
            opener.current = document.activeElement;
            setDeleting(message);
          },
          onReaders: isAdmin ? setReading : undefined,
          hasLog: isAdmin,
          onOpen: setViewed,
          onStale: feed.refresh,
          canDelete: isAdmin ? 'all' : 'own',
        }}
        onScreen={conversation.setOnScreen}
        onEnd={setAtEnd}
        onSight={(next) => {
          if (next.isLineShown !== sight?.isLineShown || next.day !== sight.day) setSight(next);
        }}
      />
      <div className={styles.above}>
        {backlog && snapshot.isBacklogOpen && sight?.isLineShown === false && (
          <BacklogBar
            backlog={backlog}
            onGo={() => {
              feed.toMessage(backlog.after + 1);
              place.current?.querySelector<HTMLElement>('[data-message-list]')?.focus({ preventScroll: true });
            }}
            onClose={feed.endBacklog}
          />
        )}
        {sight?.day !== undefined && <ReadDay at={sight.day} />}
      </div>
      <Jumps snapshot={snapshot} feed={feed} isAtEnd={isAtEnd} />
      <DeleteMessageDialog
        message={deleting}
        isOwn={deleting?.userId === user.id}
        onDeleted={feed.forget}
        onClose={() => setDeleting(undefined)}
        onClosed={() => focusBack(opener.current)}
      />
      <ReadersDialog message={reading} onClose={() => setReading(undefined)} />
      <ImageViewer
        message={isViewedGone ? undefined : viewedNow}
        onStale={feed.refresh}
        onClose={() => setViewed(undefined)}
        onClosed={() => {
          if (document.activeElement === document.body) focusBack(null);
        }}
      />
    </div>
  );
}

function NoMessages() {
  const { t } = useTranslation('chat');
  return (
    <div className={styles.empty}>
      <Notice icon={IconMessages} title={t('empty')}>
        {t('emptyText')}
      </Notice>
    </div>
  );
}

interface JumpsProps {
  snapshot: FeedSnapshot;
  feed: MessageFeed;
  isAtEnd: boolean;
}

/** Over the list: the way to the newest message, and a side that could not be read. */
function Jumps({ snapshot, feed, isAtEnd }: JumpsProps) {
  const { t } = useTranslation('chat');
  const { t: shared } = useTranslation('shared');
  const { window, unread, failedSide } = snapshot;
  return (
    <div className={styles.jumpDown}>
      {failedSide !== undefined && (
        <div className={styles.failed} role="alert">
          <span>{t(`failed.${failedSide}`)}</span>
          <Button variant="default" size="compact-sm" className={styles.jump} onClick={feed.retry}>
            {shared('retry')}
          </Button>
        </div>
      )}
      {(!isAtEnd || window.hasNewer) && (
        <Button
          variant="default"
          size="compact-sm"
          className={styles.jump}
          data-new={unread > 0 || undefined}
          leftSection={<IconArrowDown size={14} aria-hidden="true" />}
          onClick={feed.toNewest}
        >
          {unread > 0 ? t('jump.count', { count: unread }) : t('jump.newest')}
        </Button>
      )}
    </div>
  );
}
