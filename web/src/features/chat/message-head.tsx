import type { ChannelId, UserId } from '@pressel/contract/ids';
import { Link } from '@tanstack/react-router';
import { formatMessageTime, formatTime } from '#src/shared/format/format.ts';
import { useLanguage, useTranslation } from '#src/shared/i18n/use-translation.tsx';
import { useRowPartId, useRowTab } from './current-row.tsx';
import styles from './messages.module.css';

export interface MessageHeadProps {
  /** The sender of the messages that follow; undefined for the user. */
  name: string | undefined;
  at: string;
  /** Whether a heading above shows the day: then the time stands alone. */
  isUnderDay?: boolean;
  /** For administrators: the name links to this user's log entries in this channel. */
  log?: { by: UserId; channel: ChannelId } | undefined;
}

/** The sender of the messages that follow, and the time. */
export function MessageHead({ name, at, isUnderDay = false, log }: MessageHeadProps) {
  const { t } = useTranslation('chat');
  const { current } = useLanguage();
  const tab = useRowTab();
  const full = formatMessageTime(at, current);
  return (
    <p className={styles.head} id={useRowPartId('head')}>
      {log === undefined || name === undefined ? (
        <span className={styles.name} title={name} dir="auto">
          {name ?? t('me')}
        </span>
      ) : (
        <Link
          className={styles.name}
          to="/activities"
          search={{ ...log, scope: 'all' }}
          tabIndex={tab}
          title={t('row.log', { name })}
          dir="auto"
        >
          {name}
        </Link>
      )}
      <time className={styles.time} dateTime={at} title={isUnderDay ? full : undefined}>
        {isUnderDay ? (
          <>
            <span aria-hidden="true">{formatTime(Date.parse(at), current)}</span>
            {/* Screen readers come here without passing the heading. */}
            <span className="spoken">{full}</span>
          </>
        ) : (
          full
        )}
      </time>
    </p>
  );
}
