import type { SessionUser } from '@pressel/contract/auth';
import { z } from '@pressel/contract/zod';

/** Storage key of the session's token (spec §3). */
const TOKEN_KEY = 'TOKEN_KEY';

/** Preferences of the device, kept after a session ends. */
export const PREFERENCES = ['language', 'colorScheme', 'voice', 'pageSize', 'roomFrame', 'letterKeys'] as const;
export type PreferenceName = (typeof PREFERENCES)[number];

/** The room entered last, with the spec's field names. */
export interface LastRoom {
  channelId: string;
  channelName: string;
  /** The channel's rtcSession. */
  roomId: string;
}

/** What an import creates. */
export type ImportedKind = 'users' | 'channels';
const importKey = (kind: ImportedKind) => `import.${kind}`;
const draftKey = (channelId: string) => `draft.${channelId}`;

/** The methods of Storage that the app uses. */
export type StorageArea = Pick<Storage, 'getItem' | 'setItem' | 'removeItem' | 'clear'>;

export type AppStorage = ReturnType<typeof createStorage>;

const token = z.string().min(1).max(256);
const importId = z.uuid();
const renewedAt = z.coerce.number().nonnegative();

/**
 * The only access to browser storage. Everything read is parsed. When a storage is full or forbidden, values are kept
 * in memory, so that the app works until the page is closed.
 */
export function createStorage(areas: { local: StorageArea; session: StorageArea }) {
  const local = withMemoryFallback(areas.local);
  const session = withMemoryFallback(areas.session);

  const readPreference = <T>(name: PreferenceName, schema: z.ZodType<T>): T | undefined => {
    const text = local.get(name);
    if (text === null) return undefined;
    return schema.safeParse(parseJson(text)).data;
  };

  return {
    /** The token of this tab's session or of a remembered one; undefined if there is none. */
    readToken(): string | undefined {
      return token.safeParse(session.get(TOKEN_KEY) ?? local.get(TOKEN_KEY)).data;
    },
    /** Takes the session of a call link. */
    keepToken(text: string): void {
      session.set(TOKEN_KEY, text);
    },
    /** Stores a session; with `remember` it survives closing the browser. */
    openSession(user: SessionUser, authToken: string, remember: boolean): void {
      session.set(TOKEN_KEY, authToken);
      if (remember) local.set(TOKEN_KEY, authToken);
      else local.remove(TOKEN_KEY);
      this.keepUser(user);
    },
    /** Stores the signed-in user, with the spec's field names. */
    keepUser(user: SessionUser): void {
      local.set('id', user.id);
      local.set('email', user.identifier);
      local.set('firstName', user.firstName);
      local.set('lastName', user.lastName);
      local.set('display_name', user.display_name);
    },
    /** Clears both storages except the device's preferences (spec §4). */
    clearSession(): void {
      const kept = PREFERENCES.map((name) => [name, local.get(name)] as const);
      session.clear();
      local.clear();
      for (const [name, text] of kept) if (text !== null) local.set(name, text);
    },
    keepRoom(room: LastRoom): void {
      local.set('roomId', room.roomId);
      local.set('channelId', room.channelId);
      local.set('channelName', room.channelName);
      local.set('selectedChannel', room.channelId);
    },
    /** The channel name of the room entered last, if it has this id. */
    readRoomName(roomId: string): string | undefined {
      return local.get('roomId') === roomId ? (local.get('channelName') ?? undefined) : undefined;
    },
    /** Stores the id of an import that this tab started, until its end was shown, so that a reload can resume it. */
    keepImport(kind: ImportedKind, id: string): void {
      session.set(importKey(kind), id);
    },
    readImport(kind: ImportedKind): string | undefined {
      return importId.safeParse(session.get(importKey(kind))).data;
    },
    forgetImport(kind: ImportedKind): void {
      session.remove(importKey(kind));
    },
    /** Stores the message that is being written to a channel, for this tab; '' forgets it. */
    keepDraft(channelId: string, text: string): void {
      if (text === '') session.remove(draftKey(channelId));
      else session.set(draftKey(channelId), text);
    },
    readDraft: (channelId: string): string => session.get(draftKey(channelId)) ?? '',
    /** When the page last reloaded itself to get newer code, ms; 0 if it did not. */
    readRenewedAt: (): number => renewedAt.safeParse(session.get('renewedAt')).data ?? 0,
    keepRenewedAt: (at: number): void => session.set('renewedAt', String(at)),
    readPreference,
    writePreference(name: PreferenceName, value: unknown): void {
      local.set(name, JSON.stringify(value));
    },
  };
}

/** Falls back to memory when storage throws (private windows, full disks). Nothing then survives the page. */
function withMemoryFallback(area: StorageArea) {
  const memory = new Map<string, string>();
  const attempt = <T>(act: () => T, otherwise: () => T): T => {
    try {
      return act();
    } catch {
      return otherwise();
    }
  };
  return {
    get: (name: string): string | null =>
      memory.get(name) ??
      attempt(
        () => area.getItem(name),
        () => null,
      ),
    set(name: string, text: string): void {
      memory.delete(name);
      attempt(
        () => area.setItem(name, text),
        () => void memory.set(name, text),
      );
    },
    remove(name: string): void {
      memory.delete(name);
      attempt(
        () => area.removeItem(name),
        () => {},
      );
    },
    clear(): void {
      memory.clear();
      attempt(
        () => area.clear(),
        () => {},
      );
    },
  };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
