import type { Activity } from '@pressel/contract/activities';
import type { ReactNode } from 'react';
import { activityWords } from '#src/shared/activity-sentence.ts';
import { formatClock, formatDateTime, formatExactTime } from '#src/shared/format/format.ts';
import { useLanguage, useTranslation } from '#src/shared/i18n/use-translation.tsx';
import { ACTIVITY_ICONS, GRAVE } from './activity-icons.ts';
import styles from './timeline-entry.module.css';

export interface TimelineEntryProps {
  activity: Activity;
  /** Shown under the date. */
  children?: ReactNode;
  /** Date and time to the minute or `exact` to the second. `clock`: the entry is one line, under the heading of its day. */
  time?: 'minute' | 'exact' | 'clock';
}

/** An entry of the log as a sentence with icon and date. Its place in a list is its parent's: `li` or the like. */
export function TimelineEntry({ activity, children, time = 'minute' }: TimelineEntryProps) {
  const { t } = useTranslation('activities');
  const { current } = useLanguage();
  const { actor, act } = activityWords(t, activity, current);
  const Icon = ACTIVITY_ICONS[activity.type];
  /** The full text as a hint, because a single line may be cut off. */
  const cut = (text: string) => (time === 'clock' ? text : undefined);
  return (
    <article
      className={styles.entry}
      data-line={time === 'clock' || undefined}
      data-activity={activity.type}
      data-grave={GRAVE.has(activity.type) || undefined}
    >
      <span className={styles.icon}>
        <Icon size={16} aria-hidden="true" />
      </span>
      <div className={styles.body}>
        <p className={styles.sentence}>
          {actor !== null && (
            <>
              <bdi className={styles.actor} title={cut(actor)}>
                {actor}
              </bdi>{' '}
            </>
          )}
          <span title={cut(act)}>{act}</span>
        </p>
        <time className={styles.moment} dateTime={activity.createdAt}>
          {time === 'minute' && formatDateTime(activity.createdAt, current)}
          {time === 'exact' && formatExactTime(activity.createdAt, current)}
          {time === 'clock' && formatClock(Date.parse(activity.createdAt), current)}
        </time>
        {children}
      </div>
    </article>
  );
}
