import { getServerInfo } from '@pressel/contract/auth';
import type { CallReply } from '@pressel/contract/call';
import { useEffect, useState } from 'react';
import { isUnreachable } from '#src/shared/api/api-error.ts';
import { useApi } from '#src/shared/services.tsx';

export type ServerInfo = CallReply<typeof getServerInfo>;

/** How long to wait, ms, before it is asked again where there was no answer. */
const AGAIN_MS = [1_000, 2_000];

/** What the server says of itself to those who are not signed in yet; undefined until it does. */
export function useServerInfo(): ServerInfo | undefined {
  const api = useApi();
  const [info, setInfo] = useState<ServerInfo>();
  useEffect(() => {
    const stop = new AbortController();
    let waiting: ReturnType<typeof setTimeout> | undefined;
    const ask = (delays: readonly number[]) => {
      api.call(getServerInfo, undefined, { signal: stop.signal }).then(setInfo, (error: unknown) => {
        const [delay, ...later] = delays;
        if (!stop.signal.aborted && delay !== undefined && isUnreachable(error))
          waiting = setTimeout(() => ask(later), delay);
      });
    };
    ask(AGAIN_MS);
    return () => {
      stop.abort();
      clearTimeout(waiting);
    };
  }, [api]);
  return info;
}
