import { QueryClientProvider } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { createQueryClient } from './query-client.ts';
import { useQueryKeeper } from './query-keeper.tsx';

/** Provides the app's cache of server data. */
export function Queries({ children }: { children: ReactNode }) {
  const keeper = useQueryKeeper();
  const [client] = useState(() => keeper.take(createQueryClient));
  return <QueryClientProvider client={client}>{children}</QueryClientProvider>;
}
