import { useMediaQuery } from '@mantine/hooks';
import type { Activity } from '@pressel/contract/activities';
import { formatDate } from '#src/shared/format/format.ts';
import { useLanguage, useTranslation } from '#src/shared/i18n/use-translation.tsx';
import type { LogLayout } from './activities-view.ts';
import { ActivityDetails } from './activity-details.tsx';
import styles from './activity-timeline.module.css';
import { TimelineEntry } from './timeline-entry.tsx';

const THREE = '(min-width: 1350px)';
const TWO = '(min-width: 850px)';

export interface ActivityTimelineProps {
  activities: readonly Activity[];
  layout: LogLayout;
  isStale: boolean;
}

/**
 * A page of entries, one a line or as cards in one to three columns. Cards are read down one column and then the next.
 * Days have headings.
 */
export function ActivityTimeline({ activities, layout, isStale }: ActivityTimelineProps) {
  const { t } = useTranslation('activityLog');
  const { current } = useLanguage();
  const isThree = useMediaQuery(THREE, false, { getInitialValueInEffect: false });
  const isTwo = useMediaQuery(TWO, false, { getInitialValueInEffect: false });
  const isDense = layout === 'lines';
  const columns = columnsOf(activities, isDense ? 1 : isThree ? 3 : isTwo ? 2 : 1);
  return (
    <section
      className={styles.columns}
      data-layout={layout}
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
                    <TimelineEntry activity={activity} time={isDense ? 'clock' : 'exact'}>
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

/** Entries of one day in the viewer's zone, one after the other. */
interface ActivityDay {
  /** Any moment of the day, ms. */
  at: number;
  entries: readonly Activity[];
}

const dayOf = (at: number): string => new Date(at).toDateString();

/** Splits entries into columns, to be read down one column and then the next; each begins with its day. */
export function columnsOf(activities: readonly Activity[], columns: number): ActivityDay[][] {
  const height = Math.ceil(activities.length / columns);
  return Array.from({ length: columns }, (_, index) =>
    daysOf(activities.slice(index * height, (index + 1) * height)),
  ).filter((days) => days.length > 0);
}

function daysOf(activities: readonly Activity[]): ActivityDay[] {
  const days: { at: number; entries: Activity[] }[] = [];
  for (const activity of activities) {
    const at = Date.parse(activity.createdAt);
    const last = days.at(-1);
    if (last !== undefined && dayOf(last.at) === dayOf(at)) last.entries.push(activity);
    else days.push({ at, entries: [activity] });
  }
  return days;
}
