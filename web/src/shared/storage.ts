import type { SessionUser } from '@pressel/contract/auth';
import * as z from 'zod';

/** The name of the session's token in browser storage (spec §3). */
export const TOKEN_KEY = 'TOKEN_KEY';

/** Choices that belong to the device and outlive a session. */
const PREFERENCES = ['language', 'colorScheme', 'voice', 'pageSize'] as const;
export type PreferenceName = (typeof PREFERENCES)[number];

/** The room that was entered last, under the spec's names. */
export interface LastRoom {
  channelId: string;
  channelName: string;
  /** The channel's rtcSession. */
  roomId: string;
}

/** What an import brings in. */
export type ImportedKind = 'users' | 'channels';
const importKey = (kind: ImportedKind) => `import.${kind}`;

/** What the app needs of a browser storage area. */
export type StorageArea = Pick<Storage, 'getItem' | 'setItem' | 'removeItem' | 'clear'>;

export type AppStorage = ReturnType<typeof createStorage>;

const token = z.string().min(1).max(256);
const importId = z.uuid();

/**
 * The only user of the browser's storages. All that is read is parsed; a storage that is full or forbidden is stood
 * in for by memory, so that the app works for as long as the page lives.
 */
export function createStorage(areas: { local: StorageArea; session: StorageArea }) {
  const local = safe(areas.local);
  const session = safe(areas.session);

  const readPreference = <T>(name: PreferenceName, schema: z.ZodType<T>): T | undefined => {
    const text = local.get(name);
    if (text === null) return undefined;
    return schema.safeParse(parseJson(text)).data;
  };

  return {
    /** The token of this tab's session, or of a remembered one; undefined when there is none. */
    readToken(): string | undefined {
      return token.safeParse(session.get(TOKEN_KEY) ?? local.get(TOKEN_KEY)).data;
    },
    /** Keeps a session; `remember` keeps it after the browser is closed. */
    openSession(user: SessionUser, authToken: string, remember: boolean): void {
      session.set(TOKEN_KEY, authToken);
      if (remember) local.set(TOKEN_KEY, authToken);
      else local.remove(TOKEN_KEY);
      this.keepUser(user);
    },
    /** Who is signed in, under the spec's names. */
    keepUser(user: SessionUser): void {
      local.set('id', user.id);
      local.set('email', user.identifier);
      local.set('firstName', user.firstName);
      local.set('lastName', user.lastName);
      local.set('display_name', user.display_name);
    },
    /** Empties both storages but for the device's preferences (spec §4). */
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
    /** The name of the channel entered last, if it is this room's. */
    readRoomName(roomId: string): string | undefined {
      return local.get('roomId') === roomId ? (local.get('channelName') ?? undefined) : undefined;
    },
    /** Which import of this kind this tab started and whose end nobody has seen yet: a reload finds it again. */
    keepImport(kind: ImportedKind, id: string): void {
      session.set(importKey(kind), id);
    },
    readImport(kind: ImportedKind): string | undefined {
      return importId.safeParse(session.get(importKey(kind))).data;
    },
    forgetImport(kind: ImportedKind): void {
      session.remove(importKey(kind));
    },
    readPreference,
    writePreference(name: PreferenceName, value: unknown): void {
      local.set(name, JSON.stringify(value));
    },
  };
}

/** Private windows and full disks throw; then this page's own memory stands in, and nothing outlives it. */
function safe(area: StorageArea) {
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
