import type { ActivityFilter } from '@pressel/contract/activities';
import { loggedType } from '@pressel/contract/activity-types';
import { channelId, userId } from '@pressel/contract/ids';
import { ACTIVITIES_PAGE, FILTER_MAX_LENGTH } from '@pressel/contract/limits';
import { isStorable } from '@pressel/contract/text';
import { onDemand, z } from '@pressel/contract/zod';

/** A day as date fields give it, or a minute of one, in the viewer's zone. */
const moment = onDemand(() =>
  z
    .string()
    .regex(/^\d{4}-\d{2}-\d{2}(?:T(?:[01]\d|2[0-3]):[0-5]\d)?$/u)
    .refine((text) => startOf(text) !== undefined),
);

/** Shows entries as cards in columns, or one a line. */
export const logLayout = z.enum(['columns', 'lines']);
export type LogLayout = z.infer<typeof logLayout>;
/** Entries of a page: a line takes a third of a card's height. */
export const LAYOUT_PAGE = { columns: ACTIVITIES_PAGE, lines: 50 } as const satisfies Record<LogLayout, number>;

/** The page's state in the URL. Malformed values are left out. */
export const activitiesSearch = onDemand(() =>
  z.object({
    q: z.string().max(FILTER_MAX_LENGTH).refine(isStorable).optional().catch(undefined),
    scope: z.enum(['audit', 'all']).optional().catch(undefined),
    types: z.array(loggedType).min(1).max(loggedType.options.length).optional().catch(undefined),
    /** The user who did it, and the user to whom it was done. */
    by: userId.optional().catch(undefined),
    target: userId.optional().catch(undefined),
    channel: channelId.optional().catch(undefined),
    /** The first and the last day or minute, both included. */
    from: moment().optional().catch(undefined),
    to: moment().optional().catch(undefined),
    /** Undefined: the layout that was chosen last. */
    layout: logLayout.optional().catch(undefined),
    page: z.int().min(2).max(1_000_000).optional().catch(undefined),
    /** Log cursor under which the pages are counted (LOGS10). */
    top: z.string().min(1).max(100).optional().catch(undefined),
  }),
);
/** Whether the address accepts this day or minute. */
export const isMoment = (text: string): boolean => moment().safeParse(text).success;
export type ActivitiesView = z.infer<ReturnType<typeof activitiesSearch>>;

/** The parts of the view that choose entries. */
export const FILTERS = ['q', 'scope', 'types', 'by', 'target', 'channel', 'from', 'to'] as const;

/** The view after a change; another filter begins with its newest entries. */
export function changedActivities(view: ActivitiesView, change: Partial<ActivitiesView>): ActivitiesView {
  const isFilter = FILTERS.some((name) => name in change);
  return { ...view, ...(isFilter ? { page: undefined, top: undefined } : {}), ...change };
}

export const isFiltered = (view: ActivitiesView): boolean =>
  FILTERS.some((name) => view[name] !== undefined && view[name] !== '');

/** The filter of the call. Days and minutes are those of the browser's zone; the last one is included. */
export function filterOf(view: ActivitiesView): ActivityFilter {
  const { q = '', scope, types, by, target, channel, from, to } = view;
  const text = q.trim();
  return {
    ...(scope && { scope }),
    ...(types && { types }),
    ...(by && { userId: by }),
    ...(target && { targetId: target }),
    ...(channel && { channelId: channel }),
    ...(from !== undefined && { from: startOf(from)?.toISOString() }),
    ...(to !== undefined && { to: endOf(to)?.toISOString() }),
    ...(text !== '' && { text }),
  };
}

/** Whether the period ends before it begins. */
export function isReversed({ from, to }: Pick<ActivitiesView, 'from' | 'to'>): boolean {
  const [start, end] = [from && startOf(from), to && endOf(to)];
  return Boolean(start && end && start >= end);
}

/** The last year that timestamps have. */
const LAST_YEAR = 9_999;
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** Returns when a day or a minute begins here; a day may have 23 or 25 hours. Undefined when there is no such day. */
function startOf(text: string): Date | undefined {
  const { year, month, date, minute } = partsOf(text);
  const start = new Date(year, month - 1, date, 0, minute ?? 0);
  // A clock that is set forward skips minutes. No entry from after them may be missing.
  if (minute !== undefined && minuteText(start) !== text) start.setTime(start.getTime() - HOUR_MS);
  const isReal = month >= 1 && month <= 12 && new Date(year, month - 1, date).getDate() === date;
  return isReal && year >= 1970 && start.getUTCFullYear() <= LAST_YEAR ? start : undefined;
}

/** Returns when it ends: at the beginning of the next one. Undefined when there is none. */
function endOf(text: string): Date | undefined {
  const { year, month, date, minute } = partsOf(text);
  const end = new Date(year, month - 1, minute === undefined ? date + 1 : date, 0, minute ?? 0);
  if (minute !== undefined) {
    // A clock that is set back has some minutes twice, on Lord Howe Island half an hour apart. The second one counts
    // too.
    const again = [HOUR_MS, HOUR_MS / 2].find((ms) => minuteText(new Date(end.getTime() + ms)) === text) ?? 0;
    end.setTime(end.getTime() + again + MINUTE_MS);
  }
  return end.getUTCFullYear() <= LAST_YEAR ? end : undefined;
}

/** The numbers of a day or a minute; `minute`: of the day, undefined for a whole day. */
function partsOf(text: string) {
  const [day = '', time] = text.split('T');
  const [year = 0, month = 0, date = 0] = day.split('-').map(Number);
  const [hours = 0, minutes = 0] = (time ?? '').split(':').map(Number);
  return { year, month, date, minute: time === undefined ? undefined : hours * 60 + minutes };
}

const pad = (part: number): string => String(part).padStart(2, '0');

/** The day and the minute of a moment as the address has them, in the browser's zone. */
const dayText = (at: Date): string => `${at.getFullYear()}-${pad(at.getMonth() + 1)}-${pad(at.getDate())}`;
const minuteText = (at: Date): string => `${dayText(at)}T${pad(at.getHours())}:${pad(at.getMinutes())}`;

/** The periods that users ask for most. */
export const PRESETS = ['lastHour', 'today', 'yesterday'] as const;
export type Preset = (typeof PRESETS)[number];

/** A preset as the moments that it means now: an address shows the same later. */
export function presetPeriod(preset: Preset, now: Date): Pick<ActivitiesView, 'from' | 'to'> {
  if (preset === 'lastHour') {
    return { from: minuteText(new Date(now.getTime() - HOUR_MS)), to: undefined };
  }
  const day = dayText(new Date(now.getFullYear(), now.getMonth(), now.getDate() - (preset === 'yesterday' ? 1 : 0)));
  return { from: day, to: day };
}
