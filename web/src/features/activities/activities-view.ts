import type { ActivityFilter } from '@pressel/contract/activities';
import { loggedType } from '@pressel/contract/activity-types';
import { channelId, userId } from '@pressel/contract/ids';
import { FILTER_MAX_LENGTH } from '@pressel/contract/limits';
import { isStorable } from '@pressel/contract/text';
import { z } from '@pressel/contract/zod';

/** A day as date fields give it, in the viewer's zone. */
const day = z
  .string()
  .regex(/^\d{4}-\d{2}-\d{2}$/u)
  .refine((text) => startOf(text) !== undefined);

/** The page's state in the URL. What is malformed is left out. */
export const activitiesSearch = z.object({
  q: z.string().max(FILTER_MAX_LENGTH).refine(isStorable).optional().catch(undefined),
  scope: z.enum(['audit', 'all']).optional().catch(undefined),
  types: z.array(loggedType).min(1).max(loggedType.options.length).optional().catch(undefined),
  /** Who did it, and to whom it was done. */
  by: userId.optional().catch(undefined),
  target: userId.optional().catch(undefined),
  channel: channelId.optional().catch(undefined),
  /** The first and the last day. */
  from: day.optional().catch(undefined),
  to: day.optional().catch(undefined),
  page: z.int().min(2).max(1_000_000).optional().catch(undefined),
  /** Place in the log under which the pages are counted (LOGS10). */
  top: z.string().min(1).max(100).optional().catch(undefined),
});
/** Whether the address takes this day. */
export const isDay = (text: string): boolean => day.safeParse(text).success;
export type ActivitiesView = z.infer<typeof activitiesSearch>;

/** The parts of the view that choose entries. */
export const FILTERS = ['q', 'scope', 'types', 'by', 'target', 'channel', 'from', 'to'] as const;

/** The view after a change; another filter begins with its newest entries. */
export function changedActivities(view: ActivitiesView, change: Partial<ActivitiesView>): ActivitiesView {
  const isFilter = FILTERS.some((name) => name in change);
  return { ...view, ...(isFilter ? { page: undefined, top: undefined } : {}), ...change };
}

export const isFiltered = (view: ActivitiesView): boolean =>
  FILTERS.some((name) => view[name] !== undefined && view[name] !== '');

/** The filter of the call. Days are those of the browser's zone; the last one is included. */
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
    ...(to !== undefined && { to: startOf(to, 1)?.toISOString() }),
    ...(text !== '' && { text }),
  };
}

/** The last that timestamps have. */
const LAST_YEAR = 9_999;

/** When a day begins here, or the one so many days later; a day may have 23 or 25 hours. Undefined when there is no such day. */
function startOf(text: string, later = 0): Date | undefined {
  const [year = 0, month = 0, date = 0] = text.split('-').map(Number);
  const start = new Date(year, month - 1, date + later);
  const isReal = month >= 1 && month <= 12 && new Date(year, month - 1, date).getDate() === date;
  return isReal && year >= 1970 && start.getUTCFullYear() <= LAST_YEAR ? start : undefined;
}
