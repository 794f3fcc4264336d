import { getServerInfo } from '@pressel/contract/auth';
import { queryOptions } from '@tanstack/react-query';
import type { Api } from '#src/shared/api/api.ts';
import { RETRY_MS } from '#src/shared/use-retry.ts';

/** What the server says of itself to those who are not signed in yet. */
export const serverInfoQuery = (api: Api) =>
  queryOptions({
    queryKey: ['serverInfo'],
    queryFn: ({ signal }) => api.call(getServerInfo, undefined, { signal }),
    staleTime: 60_000,
    // Until it answers: the page says so meanwhile.
    refetchInterval: ({ state }) => (state.status === 'error' ? RETRY_MS : false),
    refetchOnReconnect: true,
  });
