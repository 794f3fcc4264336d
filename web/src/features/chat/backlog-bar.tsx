import { ActionIcon, Button } from '@mantine/core';
import { UNREAD_MAX } from '@pressel/contract/limits';
import { IconArrowUp, IconX } from '@tabler/icons-react';
import { formatDay, formatDayOfMonth, formatNumber, formatTime, formatWeekday } from '#src/shared/format/format.ts';
import { useShownLanguage, useTranslation } from '#src/shared/i18n/use-translation.tsx';
import { useAnnouncement } from '#src/shared/ui/announcer.tsx';
import type { Backlog } from './backlog.ts';
import styles from './messages-panel.module.css';

export interface BacklogBarProps {
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
export function ReadDay({ at }: { at: number }) {
  const current = useShownLanguage();
  if (daysAgo(at) === 0) return null;
  return (
    // Screen readers hear the day with each message's name.
    <p className={styles.readDay} aria-hidden="true">
      {formatDay(at, current)}
    </p>
  );
}
