import { channelId, userId } from '@pressel/contract/ids';
import { z } from '@pressel/contract/zod';
import type { StorageArea } from './storage.ts';

/** What a call link says (spec §3, call view data): who enters which channel, and by which session. */
const callLink = z.object({ channelId, userId, token: z.string().min(1).max(256) });
export type CallLink = z.infer<typeof callLink>;

/** Reads the text of a call link. `broken`: it is not what a call link says. */
export function readCallLink(text: string): CallLink | 'broken' {
  try {
    return callLink.parse(JSON.parse(text));
  } catch {
    return 'broken';
  }
}

/**
 * Storage for a page that was opened by a call link or a guest link: its session lives in memory only, and what belongs to whoever else is
 * signed in here is neither read nor changed. Only preferences of the device are the same.
 */
export function storageOfCall(
  device: StorageArea,
  preferences: readonly string[],
): { local: StorageArea; session: StorageArea } {
  const isPreference = (name: string) => preferences.includes(name);
  const memory = new Map<string, string>();
  return {
    local: {
      getItem: (name) => (isPreference(name) ? device.getItem(name) : null),
      setItem: (name, text) => {
        if (isPreference(name)) device.setItem(name, text);
      },
      removeItem: () => undefined,
      clear: () => undefined,
    },
    session: {
      getItem: (name) => memory.get(name) ?? null,
      setItem: (name, text) => void memory.set(name, text),
      removeItem: (name) => void memory.delete(name),
      clear: () => memory.clear(),
    },
  };
}
