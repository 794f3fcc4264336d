import { getServerInfo } from '@pressel/contract/auth';
import { type QueryClient, queryOptions, useQuery } from '@tanstack/react-query';
import type { Api } from './api/api.ts';
import { useApi } from './services.tsx';

/** Query of what the server says of itself. */
export const serverInfoQuery = (api: Api) =>
  queryOptions({
    queryKey: ['serverInfo'],
    queryFn: ({ signal }) => api.call(getServerInfo, undefined, { signal }),
    staleTime: 60_000,
  });

/** The origin to hand to other people and devices, such as `https://192.168.1.23:3000` [TLS7]; undefined: the server is still asked. */
export function useSharedOrigin(): string | undefined {
  const info = useQuery(serverInfoQuery(useApi()));
  return info.isLoading && isOnlyHere(window.location) ? undefined : sharedOrigin(window.location, info.data?.address);
}

/** The same, for what is handed on later and may not be wrong: it waits for the server. */
export async function askSharedOrigin(queries: QueryClient, api: Api): Promise<string> {
  const info = await queries.ensureQueryData(serverInfoQuery(api)).catch(() => undefined);
  return sharedOrigin(window.location, info?.address);
}

type PagePlace = Pick<Location, 'origin' | 'hostname'>;

const isOnlyHere = ({ hostname }: PagePlace): boolean =>
  /^(?:localhost|.+\.localhost|127(?:\.\d{1,3}){3}|\[::1\])$/u.test(hostname);

/**
 * The origin of this page, because others of the same network or proxy reach it too. A name that means only this machine is replaced
 * by the address that the server tells, if it knows one.
 */
export const sharedOrigin = (page: PagePlace, address: string | null | undefined): string =>
  isOnlyHere(page) ? (address ?? page.origin) : page.origin;
