import { getServerInfo } from '@pressel/contract/auth';
import { type QueryClient, queryOptions, useQuery } from '@tanstack/react-query';
import type { Api } from './api/api.ts';
import { useApi } from './services.tsx';

/** Query of the server's information about itself. */
export const serverInfoQuery = (api: Api) =>
  queryOptions({
    queryKey: ['serverInfo'],
    queryFn: ({ signal }) => api.call(getServerInfo, undefined, { signal }),
    staleTime: 60_000,
  });

/**
 * The origin to hand to other people and devices, such as `https://192.168.1.23:3000` [TLS7]; undefined until the
 * server answers.
 */
export function useSharedOrigin(): string | undefined {
  const info = useQuery(serverInfoQuery(useApi()));
  return info.isLoading && isOnlyHere(window.location) ? undefined : sharedOrigin(window.location, info.data?.address);
}

/** The same, for origins that are handed on later and may not be wrong: waits for the server. */
export async function askSharedOrigin(queries: QueryClient, api: Api): Promise<string> {
  const info = await queries.ensureQueryData(serverInfoQuery(api)).catch(() => undefined);
  return sharedOrigin(window.location, info?.address);
}

type PageAddress = Pick<Location, 'origin' | 'hostname'>;

const isOnlyHere = ({ hostname }: PageAddress): boolean =>
  /^(?:localhost|.+\.localhost|127(?:\.\d{1,3}){3}|\[::1\])$/u.test(hostname);

/**
 * This page's origin, because others of the same network or proxy reach it too. A name that means only this machine is
 * replaced by the server's address, if the server knows one.
 */
export const sharedOrigin = (page: PageAddress, address: string | null | undefined): string =>
  isOnlyHere(page) ? (address ?? page.origin) : page.origin;
