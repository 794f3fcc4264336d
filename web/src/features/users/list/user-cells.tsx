import type { UserActivity } from '@pressel/contract/users';
import { activitySentence } from '#src/shared/activity-sentence.ts';
import { formatDateTime } from '#src/shared/format/format.ts';
import { useLanguage, useTranslation } from '#src/shared/i18n/use-translation.tsx';
import styles from '../users.module.css';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** Words the time since then, such as '7 hours ago', rounded down: 'now' in the first minute. */
export function sessionAge(ms: number, language: string): string {
  const words = new Intl.RelativeTimeFormat(language, { numeric: 'auto' });
  if (ms < MINUTE_MS) return words.format(0, 'second');
  if (ms < HOUR_MS) return words.format(-Math.floor(ms / MINUTE_MS), 'minute');
  return ms < 2 * DAY_MS
    ? words.format(-Math.floor(ms / HOUR_MS), 'hour')
    : words.format(-Math.floor(ms / DAY_MS), 'day');
}

/** Shows what somebody did last, and when. In a narrow column the sentence is cut off; the hint has all of it. */
export function LastActivity({ activity }: { activity: UserActivity | undefined }) {
  const { t } = useTranslation('activities');
  const { t: users } = useTranslation('users');
  const { current } = useLanguage();
  if (activity === undefined)
    return (
      <span className={styles.noActivity} title={t('none')}>
        {t('none')}
      </span>
    );
  const sentence = activitySentence(t, activity);
  const moment = formatDateTime(activity.createdAt, current);
  return (
    <span className={styles.activity} title={users('activityHint', { sentence, moment })}>
      <span className={styles.sentence}>{sentence}</span>
      <span aria-hidden="true">·</span>
      <time className={styles.moment} dateTime={activity.createdAt}>
        {moment}
      </time>
    </span>
  );
}

/** A full dot or a ring, with the word. Without room for it, the word is for screen readers and for fingers that linger. */
export function OnlineState({ isOnline }: { isOnline: boolean }) {
  const { t } = useTranslation('users');
  const word = t(isOnline ? 'online' : 'offline');
  return (
    <span className={styles.state} data-online={isOnline || undefined} title={word}>
      <span className={styles.dot} aria-hidden="true" />
      <span className={styles.stateWord}>{word}</span>
    </span>
  );
}
