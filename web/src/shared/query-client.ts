import { QueryClient } from '@tanstack/react-query';
import { isUnreachable } from './api/api-error.ts';

/**
 * The cache of server data. Socket events invalidate it, so refetching on focus is off. Refused calls are not retried;
 * calls without an answer are retried twice.
 */
export const createQueryClient = () =>
  new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 30_000,
        refetchOnWindowFocus: false,
        networkMode: 'always',
        retry: (count, error) => count < 2 && isUnreachable(error),
      },
      mutations: { retry: false, networkMode: 'always' },
    },
  });
