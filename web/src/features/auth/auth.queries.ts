import { getServerInfo } from '@pressel/contract/auth';
import { queryOptions } from '@tanstack/react-query';
import type { Api } from '#src/shared/api/api.ts';

/** What the server says of itself to those who are not signed in yet. */
export const serverInfoQuery = (api: Api) =>
  queryOptions({
    queryKey: ['serverInfo'],
    queryFn: ({ signal }) => api.call(getServerInfo, undefined, { signal }),
    staleTime: 60_000,
  });
