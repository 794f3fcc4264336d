import { type Dashboard, getDashboard } from '@pressel/contract/dashboard';
import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { ownTimeZone } from '#src/shared/format/format.ts';
import { useApi } from '#src/shared/services.tsx';
import { DASHBOARD_KEY } from './dashboard.realtime.ts';

/** Interval of reads without news, ms, because today's figures begin anew at midnight. */
const REFRESH_MS = 60_000;

/** Reads all figures in one answer, and again when something happened (see dashboard.realtime.ts). */
export function useDashboard(): UseQueryResult<Dashboard> {
  const api = useApi();
  const timeZone = ownTimeZone();
  return useQuery({
    queryKey: [...DASHBOARD_KEY, timeZone],
    queryFn: async ({ signal }) => (await api.call(getDashboard, { timeZone }, { signal })).res,
    refetchInterval: REFRESH_MS,
  });
}
