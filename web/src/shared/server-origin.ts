import { getServerInfo } from '@pressel/contract/auth';
import { queryOptions, useQuery } from '@tanstack/react-query';
import type { Api } from './api/api.ts';
import { useApi } from './services.tsx';

/** Query of what the server says of itself. */
export const serverInfoQuery = (api: Api) =>
  queryOptions({
    queryKey: ['serverInfo'],
    queryFn: ({ signal }) => api.call(getServerInfo, undefined, { signal }),
    staleTime: 60_000,
  });

/** The origin to hand to other people and devices, such as `https://192.168.1.23:3000` [TLS7]. */
export function useSharedOrigin(): string {
  const info = useQuery(serverInfoQuery(useApi()));
  return sharedOrigin(window.location, info.data?.address ?? null);
}

/**
 * The origin of this page, because others of the same network or proxy reach it too. A name that means only this machine is replaced
 * by the address that the server tells, if it knows one.
 */
export function sharedOrigin(page: Pick<Location, 'origin' | 'hostname'>, address: string | null): string {
  const isOnlyHere = /^(?:localhost|.+\.localhost|127(?:\.\d{1,3}){3}|\[::1\])$/u.test(page.hostname);
  return isOnlyHere ? (address ?? page.origin) : page.origin;
}
