import { type Activity, type ActivityFilter, getAllActivities } from '@pressel/contract/activities';
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { Api } from '#src/shared/api/api.ts';

/** First element of all query keys of the log, for invalidation. */
export const ACTIVITIES_KEY = ['activities'] as const;

export interface ActivitiesPart {
  activities: readonly Activity[];
  /** Entries that the filter finds from `top` on. */
  totalRecords: number;
  /** The number of entries that came above `top` since. */
  newer: number;
  /** Cursor above the newest entry of the list; null while there is none. */
  top: string | null;
}

/** The page, and the cursor from which the pages are counted. */
export interface LogPageRequest {
  page: number;
  /** Entries of a page. */
  size: number;
  /** Undefined: from the newest entry at the first reading of this `visit`. */
  top: string | undefined;
  visit: string;
}

/** A page of the log. Read again it has the same entries; newer ones are only counted (LOGS10). */
export const activitiesPage = (api: Api, filter: ActivityFilter, { page, size, top, visit }: LogPageRequest) => {
  const queryKey = [...ACTIVITIES_KEY, 'page', filter, top ?? visit, size, page] as const;
  return queryOptions({
    queryKey,
    queryFn: async ({ signal, client }): Promise<ActivitiesPart> => {
      const cursor = top ?? client.getQueryData<ActivitiesPart>(queryKey)?.top ?? undefined;
      const range = { start: (page - 1) * size, limit: size };
      const body = { ...filter, ...range, ...(cursor === undefined ? {} : { cursor }) };
      return (await api.call(getAllActivities, body, { signal })).res;
    },
    placeholderData: keepPreviousData,
  });
};

/** The number of entries, of all types, older than a moment. Read anew each time, because somebody is about to delete them. */
export const olderCount = (api: Api, before: string) =>
  queryOptions({
    queryKey: [...ACTIVITIES_KEY, 'older', before],
    queryFn: async ({ signal }): Promise<number> =>
      (await api.call(getAllActivities, { scope: 'all', to: before, limit: 1 }, { signal })).res.totalRecords,
    staleTime: 0,
    gcTime: 0,
  });
