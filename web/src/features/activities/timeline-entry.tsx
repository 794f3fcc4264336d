import type { Activity } from '@pressel/contract/activities';
import type { ReactNode } from 'react';
import { activityWords } from '#src/shared/activity-sentence.ts';
import { formatDateTime } from '#src/shared/format/format.ts';
import { useLanguage } from '#src/shared/i18n/use-language.ts';
import { useTranslation } from '#src/shared/i18n/use-translation.tsx';
import { ACTIVITY_ICONS, GRAVE } from './activity-icons.ts';
import styles from './timeline-entry.module.css';

export interface TimelineEntryProps {
  activity: Activity;
  /** Under the date. */
  children?: ReactNode;
}

/** An entry of the log as a sentence with icon and date. Its place in a list is its parent's: `li` or the like. */
export function TimelineEntry({ activity, children }: TimelineEntryProps) {
  const { t } = useTranslation('activities');
  const { current } = useLanguage();
  const { actor, act } = activityWords(t, activity, current);
  const Icon = ACTIVITY_ICONS[activity.type];
  return (
    <article className={styles.entry} data-activity={activity.type} data-grave={GRAVE.has(activity.type) || undefined}>
      <span className={styles.icon}>
        <Icon size={16} aria-hidden="true" />
      </span>
      <div className={styles.body}>
        <p className={styles.sentence}>
          {actor !== null && (
            <>
              <bdi className={styles.actor}>{actor}</bdi>{' '}
            </>
          )}
          <span>{act}</span>
        </p>
        <time className={styles.moment} dateTime={activity.createdAt}>
          {formatDateTime(activity.createdAt, current)}
        </time>
        {children}
      </div>
    </article>
  );
}
