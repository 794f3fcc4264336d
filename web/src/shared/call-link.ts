import { channelId, userId } from '@pressel/contract/ids';
import { onDemand, z } from '@pressel/contract/zod';
import { memoryArea, outlivesSessions, type StorageArea } from './storage.ts';

/** The content of a call link (spec §3, call view data): who enters which channel, and by which session. */
const callLink = onDemand(() => z.object({ channelId, userId, token: z.string().min(1).max(256) }));
export type CallLink = z.infer<ReturnType<typeof callLink>>;

/** Reads the text of a call link. `broken`: the text is no call link. */
export function readCallLink(text: string): CallLink | 'broken' {
  try {
    return callLink().parse(JSON.parse(text));
  } catch {
    return 'broken';
  }
}

/**
 * Storage for a page that was opened by a call link or a guest link. Its session lives in memory only; the session of
 * another user who is signed in here is neither read nor changed. Only choices that outlive sessions are the browser's.
 */
export function storageOfCall(browser: StorageArea): { local: StorageArea; session: StorageArea } {
  const local = memoryArea();
  const areaOf = (key: string): StorageArea => (outlivesSessions(key) ? browser : local);
  return {
    local: {
      getItem: (key) => areaOf(key).getItem(key),
      setItem: (key, text) => areaOf(key).setItem(key, text),
      removeItem: (key) => areaOf(key).removeItem(key),
      key: local.key,
      get length() {
        return local.length;
      },
    },
    session: memoryArea(),
  };
}
