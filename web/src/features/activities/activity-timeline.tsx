import { useMediaQuery } from '@mantine/hooks';
import type { Activity } from '@pressel/contract/activities';
import { formatDate } from '#src/shared/format/format.ts';
import { useLanguage } from '#src/shared/i18n/use-language.ts';
import { useTranslation } from '#src/shared/i18n/use-translation.tsx';
import { columnsOf } from './activity-days.ts';
import { ActivityDetails } from './activity-details.tsx';
import styles from './activity-timeline.module.css';
import { TimelineEntry } from './timeline-entry.tsx';

const THREE = '(min-width: 1350px)';
const TWO = '(min-width: 850px)';

/** A page of entries in one to three columns, to be read down one and then the next; days have headings. */
export function ActivityTimeline({ activities, isStale }: { activities: readonly Activity[]; isStale: boolean }) {
  const { t } = useTranslation('activityLog');
  const { current } = useLanguage();
  const isThree = useMediaQuery(THREE, false, { getInitialValueInEffect: false });
  const isTwo = useMediaQuery(TWO, false, { getInitialValueInEffect: false });
  const columns = columnsOf(activities, isThree ? 3 : isTwo ? 2 : 1);
  return (
    <section
      className={styles.columns}
      aria-label={t('entries')}
      data-stale={isStale || undefined}
      aria-busy={isStale || undefined}
    >
      {columns.map((days) => (
        <div key={days[0]?.entries[0]?.id} className={styles.column}>
          {days.map(({ at, entries }) => (
            <section key={entries[0]?.id} className={styles.day}>
              <h2 className={styles.heading}>{formatDate(at, current)}</h2>
              <ol className={styles.entries}>
                {entries.map((activity) => (
                  <li key={activity.id}>
                    <TimelineEntry activity={activity}>
                      <ActivityDetails activity={activity} />
                    </TimelineEntry>
                  </li>
                ))}
              </ol>
            </section>
          ))}
        </div>
      ))}
    </section>
  );
}
