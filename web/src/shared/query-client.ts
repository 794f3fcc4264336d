import { QueryClient } from '@tanstack/react-query';
import { isUnreachable } from './api/api-error.ts';

/**
 * The cache of what was read from the server. The socket says when something changed, so reading again on focus is
 * not needed; a refusal is final, silence is tried twice more.
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
