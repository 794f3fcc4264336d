import type { Activity } from '@pressel/contract/activities';

/** Entries of one day in the viewer's zone, one after the other. */
export interface ActivityDay {
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
