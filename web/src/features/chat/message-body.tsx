import { ActionIcon, Button } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import type { Message } from '@pressel/contract/chat';
import type { ChannelId } from '@pressel/contract/ids';
import { UNREAD_MAX } from '@pressel/contract/limits';
import { IconArrowDown, IconArrowUp, IconMessages, IconX } from '@tabler/icons-react';
import { useEffect, useRef, useState } from 'react';
import { formatDay, formatDayOfMonth, formatNumber, formatTime, formatWeekday } from '#src/shared/format/format.ts';
import { useShownLanguage, useTranslation } from '#src/shared/i18n/use-translation.tsx';
import { useUser } from '#src/shared/services.tsx';
import { useAnnouncement } from '#src/shared/ui/announcer.tsx';
import { LoadError, RowsSkeleton } from '#src/shared/ui/load-states.tsx';
import { Notice } from '#src/shared/ui/notice.tsx';
import { useSnapshot } from '#src/shared/use-snapshot.ts';
import { useOutboxSnapshot } from './chat-context.tsx';
import type { Conversation } from './conversation.ts';
import { DeleteMessageDialog, ImageViewer, ReadersDialog } from './message-dialogs.tsx';
import type { FeedSnapshot, MessageFeed } from './message-feed.ts';
import { MessageList } from './message-list.tsx';
import { messageRows } from './message-rows.ts';
import { type Backlog, isDeleted } from './message-window.ts';
import styles from './messages-panel.module.css';
import { LOOK_MS } from './read-tracker.ts';
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

interface BacklogBarProps {
  backlog: Backlog;
  /** Goes to the beginning of the backlog. */
  onGo: () => void;
  onClose: () => void;
}

/**
 * Shown over the newest messages: says how many earlier messages are unread and since when, and leads there [CHATS51].
 */
export function BacklogBar({ backlog, onGo, onClose }: BacklogBarProps) {
  const { t } = useTranslation('chat');
  const current = useShownLanguage();
  const { count, since } = backlog;
  const shown = formatNumber(Math.min(count, UNREAD_MAX), current) + (count >= UNREAD_MAX ? '+' : '');
  const sinceWhen = (ms: number): string => {
    switch (daysAgo(ms)) {
      case 0:
        return t('backlog.time', { time: formatTime(ms, current) });
      case 1:
        return t('backlog.yesterday');
      default:
        return daysAgo(ms) < 7
          ? formatWeekday(ms, current)
          : t('backlog.date', { date: formatDayOfMonth(ms, current) });
    }
  };
  const words =
    since === undefined
      ? t('backlog.count', { count, shown })
      : t('backlog.since', { count, shown, since: sinceWhen(since) });
  useAnnouncement(words);
  return (
    <div className={styles.backlog} data-backlog={count}>
      <Button
        variant="filled"
        size="compact-sm"
        className={styles.jump}
        leftSection={<IconArrowUp size={14} aria-hidden="true" />}
        onClick={onGo}
      >
        {words}
      </Button>
      <ActionIcon
        variant="default"
        className={styles.jumpClose}
        aria-label={t('backlog.close')}
        title={t('backlog.close')}
        onClick={onClose}
      >
        <IconX size={16} aria-hidden="true" />
      </ActionIcon>
    </div>
  );
}

/** Number of midnights since then. */
function daysAgo(ms: number): number {
  const [then, now] = [new Date(ms), new Date()];
  const day = (date: Date) => Date.UTC(date.getFullYear(), date.getMonth(), date.getDate());
  return Math.round((day(now) - day(then)) / 86_400_000);
}

/** The day of the topmost message while its heading is scrolled out of sight; renders nothing for today. */
function ReadDay({ at }: { at: number }) {
  const current = useShownLanguage();
  if (daysAgo(at) === 0) return null;
  return (
    // Screen readers hear the day with each message's name.
    <p className={styles.readDay} aria-hidden="true">
      {formatDay(at, current)}
    </p>
  );
}
